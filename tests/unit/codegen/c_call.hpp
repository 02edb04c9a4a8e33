// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "../../support/guarded.hpp"

#include <aot_kernels.h>

/// A call of a C function whose every struct, list and buffer ends where a page begins that must not be
/// touched.
namespace frisket::testing {

using Numbers = std::vector<std::int64_t>;

class CCall {
public:
    static constexpr std::int64_t height = 6, width = 28, elements = height * width, word_count = 3;

    CCall(frisket_layout layout, bool with_strides) : with_strides_(with_strides) {
        a = put(std::vector{tensor<float>(FRISKET_FLOAT32, {height, width})});
        weight = put(std::vector{tensor<float>(FRISKET_FLOAT32, {height, width})});
        wide = put(std::vector{tensor<double>(FRISKET_FLOAT64, {height, width})});
        mu = put(std::vector{0.5});
        grad = put(std::vector{masked(layout)});
    }

    int run() {
        const aot_kernels_functions_args args{.mu = given("mu", mu),
                                              .count = 3,
                                              .a = given("a", a),
                                              .grad = given("grad", grad),
                                              .weight = given("weight", weight),
                                              .wide = given("wide", wide),
                                              .lr = 0.5};
        return aot_kernels_functions(&args);
    }

    static constexpr std::int64_t block_rows = 2, block_columns = 4;

    /// Shape of the gradient's elements that a layout stores.
    static Numbers stored_shape(frisket_layout layout) {
        switch (layout) {
            case FRISKET_COO:
            case FRISKET_CSR:
            case FRISKET_CSC: return {3};
            case FRISKET_ROWS: return {2, width};
            case FRISKET_BSR:
            case FRISKET_BSC: return {2, block_rows, block_columns};
            case FRISKET_TWO_FOUR: return {height, width / 2};
            default: return {height, width};
        }
    }
    static Numbers indices_of(frisket_layout layout) {
        switch (layout) {
            case FRISKET_COO: return {0, 1, 4, 2, 0, width - 1};
            case FRISKET_ROWS: return {4, 1};
            case FRISKET_CSR: return {1, 4, width - 1};
            case FRISKET_CSC: return {0, 3, height - 1};
            case FRISKET_BSR: return {1, width / block_columns - 1};
            case FRISKET_BSC: return {0, height / block_rows - 1};
            default: break;
        }
        Numbers slots;
        for (std::int64_t i = 0; i < elements / 4; ++i) slots.insert(slots.end(), {i % 2, 2 + i % 2});
        return slots;
    }
    /// Each of the first rows, or columns, has an entry.
    static Numbers pointers_of(frisket_layout layout) {
        if (layout < FRISKET_CSR || layout == FRISKET_TWO_FOUR) return {};
        const bool is_blocked = layout == FRISKET_BSR || layout == FRISKET_BSC;
        const bool is_by_column = layout == FRISKET_CSC || layout == FRISKET_BSC;
        const std::int64_t lines =
            is_by_column ? width / (is_blocked ? block_columns : 1) : height / (is_blocked ? block_rows : 1);
        Numbers pointers;
        for (std::int64_t i = 0; i <= lines; ++i) pointers.push_back(std::min(i, stored_shape(layout)[0]));
        return pointers;
    }

    /// Memory for a part of the call.
    template <class T>
    T* put(const std::vector<T>& elements) {
        const std::size_t bytes = elements.size() * sizeof(T);
        GuardedBuffer& buffer = buffers_.emplace_back(bytes, Place{.at_page_end = true});
        sizes_.push_back(bytes);
        std::memcpy(buffer.data(), elements.data(), bytes);
        return static_cast<T*>(buffer.data());
    }

    /// Every byte that the call was given.
    std::vector<std::byte> bytes() const {
        std::vector<std::byte> all;
        for (std::size_t i = 0; i < sizes_.size(); ++i) {
            const auto* data = static_cast<const std::byte*>(buffers_[i].data());
            all.insert(all.end(), data, data + sizes_[i]);
        }
        return all;
    }
    /// Values that a good call writes.
    std::vector<double> result() const {
        std::vector<double> all{*mu};
        all.insert(all.end(), static_cast<const float*>(a->data),
                   static_cast<const float*>(a->data) + elements);
        all.insert(all.end(), static_cast<const double*>(wide->data),
                   static_cast<const double*>(wide->data) + elements);
        return all;
    }
    /// True if no byte around the buffers was written.
    bool is_intact() const {
        return std::ranges::all_of(buffers_, [](const GuardedBuffer& buffer) { return buffer.is_intact(); });
    }

    frisket_tensor *a = nullptr, *weight = nullptr, *wide = nullptr;
    frisket_masked* grad = nullptr;
    double* mu = nullptr;
    std::vector<std::string> nulls;  ///< arguments that are null pointers

private:
    template <class T>
    T* given(const char* name, T* argument) const {
        return std::ranges::find(nulls, name) == nulls.end() ? argument : nullptr;
    }
    template <class T>
    frisket_tensor tensor(frisket_dtype dtype, const Numbers& shape) {
        std::vector<T> elements(static_cast<std::size_t>(element_count(shape)));
        for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<T>(1 + i % 7);
        return {.data = put(elements),
                .dtype = dtype,
                .rank = static_cast<int>(shape.size()),
                .shape = put(shape),
                .strides = with_strides_ ? put(contiguous_strides(shape)) : nullptr};
    }

    frisket_masked masked(frisket_layout layout) {
        frisket_masked made{};
        made.layout = layout;
        made.values = tensor<float>(FRISKET_FLOAT32, stored_shape(layout));
        if (layout == FRISKET_STRIDED) {
            made.mask = tensor<std::uint8_t>(FRISKET_BOOL, {height, width});
            auto* const bytes = static_cast<std::uint8_t*>(made.mask.data);
            for (std::int64_t i = 0; i < elements; ++i) bytes[i] = static_cast<std::uint8_t>(i % 3 == 0);
        }
        if (layout == FRISKET_BITMASK) made.mask = tensor<std::int64_t>(FRISKET_INT64, {word_count});
        if (layout < FRISKET_COO) return made;
        made.rank = 2;
        made.shape = put(Numbers{height, width});
        made.indices = put(indices_of(layout));
        made.count = stored_shape(layout)[0];
        if (layout == FRISKET_TWO_FOUR) made.count = elements / 2;
        const Numbers pointers = pointers_of(layout);
        if (pointers.empty()) return made;
        made.pointers = put(pointers);
        made.pointer_count = std::ssize(pointers);
        if (layout == FRISKET_BSR || layout == FRISKET_BSC) {
            made.block_rows = block_rows;
            made.block_columns = block_columns;
        }
        return made;
    }

    bool with_strides_;
    std::deque<GuardedBuffer> buffers_;
    std::vector<std::size_t> sizes_;
};

}  // namespace frisket::testing

// SPDX-License-Identifier: MIT
#include "c_results.hpp"

#include <algorithm>
#include <utility>

#include "../device/device_memory.hpp"
#include "../layouts/layout_traits.hpp"
#include "../tensor/error.hpp"
#include "../tensor/index_span.hpp"

namespace frisket::kernel_calls {

/// Values on their way to memory of the caller's.
struct CResults::Copy {
    AnyTensor from;  // row-major
    void* to;
    std::int64_t room;  // bytes
    std::string part;

    std::int64_t bytes() const { return from.size() * bytes_of(from.dtype()); }
};

namespace {

AnyTensor row_major(const AnyTensor& tensor) { return tensor.is_contiguous() ? tensor : tensor.clone(); }

/// Indices of a list of coordinates, dimension 0 first; or numbers of rows.
AnyTensor indices_of(const AnyMasked& list) {
    const std::int64_t count = list.index()->size();
    const Shape shape = list.layout() == Layout::rows ? Shape{list.shape()[0]} : list.shape();
    AnyTensor made(DType::int64, {static_cast<std::int64_t>(shape.size()), count});
    auto* const to = static_cast<std::int64_t*>(made.data());
    runtime::with_indices(*list.index(), [&](const auto* positions) {
        for (std::int64_t i = 0; i < count; ++i) {
            auto rest = static_cast<std::int64_t>(positions[i]);
            for (std::size_t d = shape.size(); d-- > 0;) {
                to[static_cast<std::int64_t>(d) * count + i] = rest % shape[d];
                rest /= shape[d];
            }
        }
    });
    return made;
}

/// Errors: LayoutError, which names the result.
AnyMasked in_layout(const AnyMasked& masked, Layout layout, const std::string& name) {
    try {
        return masked.to(layout);
    } catch (const LayoutError& error) { throw LayoutError(name + ": " + error.text()); }
}

void tell(frisket_result& result, DType dtype, const Shape& shape) {
    result.dtype = static_cast<int>(dtype);
    result.rank = static_cast<int>(shape.size());
    std::ranges::copy(shape, result.shape);
    result.count = element_count(shape);
}

}  // namespace

CResults::CResults(std::string function, std::span<frisket_result* const> results)
    : function_(std::move(function)), results_(results) {
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (results[i] == nullptr)
            throw ValueError(name(i) + " is a null pointer, or was not named: give the address of a "
                                       "frisket_result");
        if (reinterpret_cast<std::uintptr_t>(results[i]) % alignof(frisket_result) != 0)
            throw ValueError(name(i) + " lies at no multiple of " + std::to_string(alignof(frisket_result)) +
                             " bytes: give aligned memory");
    }
}

std::string CResults::name(std::size_t i) const { return function_ + ": results[" + std::to_string(i) + "]"; }

bool CResults::describe(std::span<const aot::ResultForm> forms) {
    bool needs_count = false, is_asking = false;
    for (std::size_t i = 0; i < forms.size(); ++i) {
        const int layout = results_[i]->layout;
        is_masked_.push_back(forms[i].is_masked);
        const bool is_list = layout == FRISKET_COO || layout == FRISKET_ROWS;
        if (forms[i].is_masked && !is_list && layout != FRISKET_STRIDED && layout != 0)
            throw LayoutError(name(i) + " has layout " + std::to_string(layout) +
                              ": masked results come as FRISKET_STRIDED, FRISKET_COO or FRISKET_ROWS");
        needs_count = needs_count || (forms[i].is_masked && is_list);
        is_asking = is_asking || (results_[i]->values == nullptr && element_count(forms[i].shape) > 0);
        if (forms[i].shape.size() > FRISKET_MAX_RANK)
            throw DimError(name(i) + " has rank " + std::to_string(forms[i].shape.size()) +
                           ": a rank is from 0 to " + std::to_string(FRISKET_MAX_RANK));
    }
    for (std::size_t i = 0; i < forms.size(); ++i) tell(*results_[i], forms[i].dtype, forms[i].shape);
    return is_asking && !needs_count;
}

void CResults::fill(std::size_t i, aot::Value& value, std::vector<Copy>& copies) const {
    frisket_result& result = *results_[i];
    const auto add = [&](AnyTensor from, void* to, std::int64_t room, const char* part) {
        copies.push_back({std::move(from), to, room, name(i) + ": " + part});
    };
    if (!is_masked_[i])
        return add(row_major(std::get<AnyTensor>(value)), result.values, result.values_bytes, "values");
    const bool is_list = result.layout == FRISKET_COO || result.layout == FRISKET_ROWS;
    const Layout layout = is_list ? static_cast<Layout>(result.layout) : Layout::strided;
    AnyMasked masked = std::get<AnyMasked>(value);
    if (masked.layout() != layout) masked = in_layout(masked, layout, name(i));
    if (is_list) masked = masked.coalesce();
    add(row_major(masked.values()), result.values, result.values_bytes, "values");
    if (is_list) {
        result.count = masked.index()->size();
        add(indices_of(masked), result.indices, result.indices_bytes, "indices");
    } else {
        const bool is_here = masked.device().is_cpu();
        add(is_here ? AnyTensor(masked.mask_tensor()) : row_major(masked.mask()), result.mask,
            result.mask_bytes, "mask");
    }
}

void CResults::check_place(const Copy& copy) const {
    if (copy.bytes() == 0) return;
    runtime::check_on_device(copy.to, copy.bytes(), copy.part);
    const Device from = copy.from.device(), to = runtime::device_of(copy.to);
    if (from == to) return;
    throw TargetError(copy.part + ": the result is on device " + std::string(from.name()) +
                      ", and its memory on " + std::string(to.name()) + ": give it memory of " +
                      std::string(from.name()));
}

void CResults::write(std::vector<aot::Value> values) {
    std::vector<Copy> copies;
    for (std::size_t i = 0; i < values.size(); ++i) fill(i, values[i], copies);
    const auto is_asked = [](const Copy& copy) { return copy.to == nullptr && copy.bytes() > 0; };
    if (std::ranges::any_of(copies, is_asked)) {
        const bool has_values = std::ranges::all_of(
            results_, [](const frisket_result* result) { return result->values != nullptr; });
        const auto missing = std::ranges::find_if(copies, is_asked);
        if (has_values)
            throw ValueError(missing->part + " has no memory, and the values have: give it " +
                             std::to_string(missing->bytes()) + " bytes");
        return;
    }
    for (const Copy& copy : copies)
        if (copy.bytes() > copy.room)
            throw ShapeError(copy.part + ": the memory has " + std::to_string(copy.room) + " bytes, wanted " +
                             std::to_string(copy.bytes()) +
                             ": ask for the size by a call with `values` null");
    for (auto a = copies.begin(); a != copies.end(); ++a)
        for (auto b = copies.begin(); b != a; ++b) {
            const auto* const x = static_cast<const std::byte*>(a->to);
            const auto* const y = static_cast<const std::byte*>(b->to);
            if (a->bytes() > 0 && b->bytes() > 0 && x < y + b->bytes() && y < x + a->bytes())
                throw ValueError(a->part + " and " + b->part + " share memory: give each memory of its own");
        }
    for (const Copy& copy : copies) check_place(copy);
    for (const Copy& copy : copies) {
        if (copy.bytes() == 0) continue;
        const Shape& shape = copy.from.shape();
        frisket::copy(copy.from, {copy.from.dtype(), copy.to, shape, contiguous_strides(shape), true, {}});
    }
}

}  // namespace frisket::kernel_calls

// SPDX-License-Identifier: MIT
#include "same_results.hpp"

#include <algorithm>
#include <cstring>

#include "../../../runtime/layouts/layout.hpp"

namespace frisket::codegen {

namespace {

/// Bits of a float but its sign, above which it is a NaN; for other elements all bits.
std::uint64_t infinity_of(DType dtype) {
    switch (dtype) {
        case DType::float16: return 0x7c00;
        case DType::bfloat16: return 0x7f80;
        case DType::float32: return 0x7f800000;
        case DType::float64: return 0x7ff0000000000000;
        default: return ~std::uint64_t{0};
    }
}

template <class Bits>
bool is_same_element(const std::byte* a, const std::byte* b, std::uint64_t infinity) {
    Bits x = 0, y = 0;
    std::memcpy(&x, a, sizeof(Bits));
    std::memcpy(&y, b, sizeof(Bits));
    const auto without_sign = static_cast<Bits>(static_cast<Bits>(~Bits{0}) >> 1);
    return x == y || ((x & without_sign) > infinity && (y & without_sign) > infinity);
}

template <class Bits>
bool are_same_elements(const AnyTensor& a, const AnyTensor& b, const bool* mask) {
    const auto* const x = static_cast<const std::byte*>(a.data());
    const auto* const y = static_cast<const std::byte*>(b.data());
    const std::uint64_t infinity = infinity_of(a.dtype());
    for (std::int64_t i = 0; i < a.size(); ++i) {
        const std::ptrdiff_t at = i * static_cast<std::ptrdiff_t>(sizeof(Bits));
        if ((mask == nullptr || mask[i]) && !is_same_element<Bits>(x + at, y + at, infinity)) return false;
    }
    return true;
}

/// The elements, row-major, on the processor.
AnyTensor contiguous(const AnyTensor& tensor) {
    return (tensor.is_contiguous() ? tensor : tensor.clone()).to(Device());
}

/// Compares elements where `mask` is true, or all.
bool are_same_values(const AnyTensor& given_a, const AnyTensor& given_b, const AnyTensor* given_mask) {
    if (given_a.shape() != given_b.shape() || given_a.dtype() != given_b.dtype()) return false;
    const AnyTensor a = contiguous(given_a), b = contiguous(given_b);
    const auto bytes = static_cast<std::size_t>(a.size() * bytes_of(a.dtype()));
    if (bytes == 0 || std::memcmp(a.data(), b.data(), bytes) == 0) return true;
    const AnyTensor mask = given_mask != nullptr ? contiguous(*given_mask) : AnyTensor();
    const bool* const specified = given_mask != nullptr ? static_cast<const bool*>(mask.data()) : nullptr;
    switch (bytes_of(a.dtype())) {
        case 1: return are_same_elements<std::uint8_t>(a, b, specified);
        case 2: return are_same_elements<std::uint16_t>(a, b, specified);
        case 4: return are_same_elements<std::uint32_t>(a, b, specified);
        default: return are_same_elements<std::uint64_t>(a, b, specified);
    }
}

/// Compares masked values without memory for elements that lists leave out.
bool are_same_lists(const AnyMasked& a, const AnyMasked& b) {
    if (a.layout() != b.layout() || a.shape() != b.shape()) return false;
    if (!a.index() || !b.index() || a.index()->size() != b.index()->size()) return false;
    for (std::int64_t i = 0; i < a.index()->size(); ++i)
        if ((*a.index())[i] != (*b.index())[i]) return false;
    return are_same_values(a.values(), b.values(), nullptr);
}

bool is_same(const Result& a, const Result& b) {
    if (a.listed.has_value() != b.listed.has_value() || a.mask.has_value() != b.mask.has_value())
        return false;
    if (a.listed) {
        if (are_same_lists(*a.listed, *b.listed)) return true;
        if (a.listed->layout() != b.listed->layout() || a.listed->shape() != b.listed->shape()) return false;
        const AnyTensor mask = a.listed->mask_tensor();
        return are_same_values(mask, b.listed->mask_tensor(), nullptr) &&
               are_same_values(a.listed->to_dense(0), b.listed->to_dense(0), &mask);
    }
    if (a.mask && !are_same_values(*a.mask, *b.mask, nullptr)) return false;
    return are_same_values(a.values, b.values, a.mask ? &*a.mask : nullptr);
}

}  // namespace

bool are_same(std::span<const Result> a, std::span<const Result> b) {
    return std::ranges::equal(a, b, is_same);
}

}  // namespace frisket::codegen

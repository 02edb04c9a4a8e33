// SPDX-License-Identifier: MIT
// Finds the buffers of loops over elements without gaps.
#pragma once
#include "../kernel/scratch.hpp"

namespace frisket::kernel_calls {

/// The buffers of a loop over elements without gaps, from one of them on.
struct FlatView {
    const Scratch& scratch;         ///< flat: values and masks; listed: values in the order of the list
    std::int64_t begin;             ///< position of the element at indices 0, a multiple of 64
    std::span<const LoopDim> dims;  ///< dimensions of the buffers of values
    const void* list = nullptr;     ///< the list that the loop walks, if any
    LoopDim list_dim = {0, 1};
    std::int64_t entry = 0;  ///< entry of the list at index 0
    LoopDim word_dim = {words_of(dims), 1};

    ArrayView operator()(const LoopParameter& parameter) const {
        const auto i = static_cast<std::size_t>(parameter.index);
        if (parameter.role == LoopRole::list) return {list, {&list_dim, 1}};
        if (parameter.form == ArrayForm::list_entries)
            return {static_cast<const std::byte*>(scratch.listed[i]) + entry * bytes_of(parameter.dtype),
                    {&list_dim, 1}};
        const FlatOperand& operand = scratch.flat[i];
        if (parameter.is_bits) return {operand.words + begin / 64, {&word_dim, 1}};
        if (parameter.role == LoopRole::mask) return {operand.bytes + begin, dims};
        return {static_cast<const std::byte*>(operand.values) + begin * bytes_of(parameter.dtype), dims};
    }

    /// Words of the bits of the given number of elements.
    static std::int64_t words_of(std::span<const LoopDim> dims) {
        std::int64_t elements = 1;
        for (const LoopDim& dim : dims) elements *= dim.extent;
        return runtime::words_for(elements);
    }
};

}  // namespace frisket::kernel_calls

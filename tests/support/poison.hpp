// SPDX-License-Identifier: MIT
#pragma once
#include <cstring>

#include "../../runtime/tensor/elements.hpp"
#include "../../runtime/tensor/masked_tensor.hpp"
#include "../../runtime/tensor/runs.hpp"

/// Bytes that must never be observed.
namespace frisket::testing {

/// Fillings of unspecified values.
enum class Poison : std::uint8_t {
    quiet,       ///< a NaN with a payload; integers: the lowest value; bool: true
    signalling,  ///< a NaN that signals, with a payload; integers: a pattern; bool: a byte above 1
    zero,        ///< numbers as good as any
};

/// The bits of one poisoned element.
template <class T>
auto poison_bits(Poison poison) {
    const auto chosen = [poison]<class Bits>(Bits quiet, Bits signalling) {
        return poison == Poison::zero ? Bits{0} : poison == Poison::quiet ? quiet : signalling;
    };
    if constexpr (std::is_same_v<T, float>)
        return chosen(std::uint32_t{0x7fc0'beef}, std::uint32_t{0xffa0'beef});
    else if constexpr (std::is_same_v<T, double>)
        return chosen(std::uint64_t{0x7ff8'0000'dead'beef}, std::uint64_t{0xfff4'0000'dead'beef});
    else if constexpr (std::is_same_v<T, float16>)
        return chosen(std::uint16_t{0x7e0b}, std::uint16_t{0xfd0b});
    else if constexpr (std::is_same_v<T, bfloat16>)
        return chosen(std::uint16_t{0x7fcb}, std::uint16_t{0xffab});
    else if constexpr (sizeof(T) == 1)
        return chosen(std::uint8_t{1}, std::uint8_t{0x5a});
    else if constexpr (sizeof(T) == 4)
        return chosen(std::uint32_t{0x8000'0000}, std::uint32_t{0xdead'beef});
    else
        return chosen(std::uint64_t{0x8000'0000'0000'0000}, std::uint64_t{0xdead'beef'dead'beef});
}

/// Fills the values that a masked tensor stores but does not specify; returns the same tensor.
inline const AnyMasked& poison(const AnyMasked& masked, Poison poison = Poison::quiet) {
    if (masked.mask().size() == 0) return masked;
    // Blocks and slots have a mask of their own.
    const Tensor<bool> mask =
        masked.compressed_index() ? Tensor<bool>(masked.mask().clone()) : masked.mask_tensor();
    dispatch(masked.dtype(), [&]<class T>() {
        const auto bits = poison_bits<T>(poison);
        auto* values = static_cast<std::byte*>(masked.values().data());
        const bool* is_specified = mask.data();
        runtime::for_each_run<1>(mask.shape(), {masked.values().strides()}, [&](const runtime::Run<1>& run) {
            for (std::int64_t i = 0; i < run.count; ++i)
                if (!*is_specified++)
                    std::memcpy(values + (run.offset[0] + i * run.step[0]) * sizeof bits, &bits, sizeof bits);
        });
    });
    return masked;
}

}  // namespace frisket::testing

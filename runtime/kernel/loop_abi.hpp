// SPDX-License-Identifier: MIT
// Defines the parameters of loops, in their order.
#pragma once
#include <array>
#include <span>
#include <vector>

#include "signature.hpp"
#include "strategy.hpp"

namespace frisket::kernel_calls {

/// Meanings of a loop's parameters.
enum class LoopRole : std::uint8_t {
    element_count,   ///< int32: elements that a loop over tiles walks
    number,          ///< a host scalar, in its dtype; index: which
    first_position,  ///< int64: the row-major position of the first element that the loop sees, a multiple of
                     ///< 64 but for strided arrays
    position_step,   ///< int32: stride in positions of an index of a dimension; index: which, innermost first
    size,            ///< int32: an extent, an offset or a step of an expression; index: which
    list,         ///< positions, lines, segments, rows (int32), or eight bytes of the domain's mask (uint64)
    values,       ///< values of a tensor that is read; index: the parameter of the signature, or the symbol
    mask,         ///< specified elements of that tensor
    output,       ///< values that are written; index: the parameter, or the result of an expression
    output_mask,  ///< specified elements of that output
    check,        ///< bool of rank 0: a check of an expression found something; index: which
};

/// One entry of the array of pointers that a loop takes.
struct LoopParameter {
    LoopRole role;
    int index = 0;
    DType dtype = DType::float32;        ///< dtype of numbers, values and outputs
    ArrayForm form = ArrayForm::scalar;  ///< form of arrays
    bool is_bits = false;                ///< true for a mask in words of 64 bits
    bool operator==(const LoopParameter&) const = default;
};

/// True for parameters that are buffers; other parameters are numbers.
bool is_array(LoopRole role);
/// True for buffers that the loop writes.  They come after all other parameters.
bool is_written(LoopRole role);

/// Parameters of a loop, which takes an array of pointers.  Entry 0 belongs to the module that has the loop,
/// entry 1 points to a 0 that is opaque to compilers (int64); then comes an entry for each parameter.
/// Buffers are halide_buffer_t with mins of 0, dimensions innermost first.
using LoopAbi = std::vector<LoopParameter>;

/// The parameters of a strategy's loop for a step: the number of elements, the host scalars,
/// positions, the list; then values and masks of tensors that are read, in the signature's order; then
/// outputs.
/// `is_single`, of loops over rows: parameters with one element for each row; empty: none.
LoopAbi abi_of(const Signature& signature, std::span<const DType> numbers, Strategy strategy,
               const std::vector<bool>& is_single = {});

/// Parameters of the loops of all strategies.
class LoopAbis {
public:
    /// Makes them for a step of this signature, whose loops take numbers of these dtypes.
    LoopAbis(const Signature& signature, std::span<const DType> numbers);
    const LoopAbi& operator[](Strategy strategy) const { return abis_[static_cast<std::size_t>(strategy)]; }

private:
    std::array<LoopAbi, strategy_count> abis_;
};

}  // namespace frisket::kernel_calls

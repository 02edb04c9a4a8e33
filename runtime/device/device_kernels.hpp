// SPDX-License-Identifier: MIT
// Declares the kernels of devices that make, sort and apply lists of indices.
#pragma once
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "../tensor/tensor.hpp"

struct halide_type_t;

/// Kernels of devices that make lists of indices of masks, sort them, and move elements by them.  What they
/// compute is in codegen/device/device_kernels.cpp.
namespace frisket::runtime {

/// Such kernels; brackets list the meaning of their numbers.
enum class DeviceKernel : std::uint8_t {
    iota,         ///< 0, 1, 2, …
    fill,         ///< [low and high half of its bits] one element everywhere
    scatter,      ///< [length] rows of this length, to the rows that a list names
    gather,       ///< [length] rows that a list names
    copy_view,    ///< [extents of dimensions 1 to 3, strides of 0 to 3] elements of a view of four dimensions
    blend,        ///< [low and high half of its bits] elements where bytes are not 0, another one elsewhere
    unpack_bits,  ///< a byte for each bit
    pack_bits,    ///< bits of bytes; those past the end are 0
    count_bits,   ///< [elements] set bits of each word
    chunk_totals,       ///< sums of 64 numbers each
    chunk_sums,         ///< running sums within each 64 numbers, from the one of the chunks before on
    positions_of_bits,  ///< [rounds of a search of the words] positions of set bits, by their running sums
    add_index,          ///< [extent] the positions before, times the extent, and an index of a dimension
    find_outside,       ///< [extent] bytes that are 1 where an index is not in [0, extent)
    find_unequal,       ///< bytes that are 1 where two elements have other bits
    make_keys,      ///< [lines, length] IndexList::Key of position p: (p % length * lines + p / length, i)
    sort_chunks,    ///< each 64 keys ascending
    merge_runs,     ///< [run, rounds of a search of it] ascending runs of this length, two become one
    find_first,     ///< bytes that are 1 where a key has another index than the one before
    key_places,     ///< [lines, length] positions p of the keys of a list
    key_entries,    ///< positions of keys
    sum_runs,       ///< [length] sums of rows whose keys have equal indices, in their order
    sum_runs_wide,  ///< [length] those sums in float64, rounded once
    row_flags,      ///< [length, least, most] bytes that are 1 where least to most of a row's bytes are not 0
    slots_of_groups,  ///< the two places of four, ascending, that layout two_four stores
    pack_list,        ///< [length, rounds of a search of it] bits of the rows that an ascending list names
    rank_list,        ///< [rounds of a search of it] AnyMasked::ranks() of the places of an ascending list
    count_missed,     ///< [step] steps since the last one of each row that a list names
    note_step,        ///< [step] that step for the rows that a list names
};

/// Kinds of arrays that they take and give.
enum class KernelArrayKind : std::uint8_t {
    none,
    bytes,     ///< bool
    words,     ///< 64 bits each
    indices,   ///< int32
    keys,      ///< int64
    counts,    ///< float64
    integers,  ///< int32 or int64
    reals,     ///< float32 or float64
    moved,     ///< elements of any dtype, as bits
    elements,  ///< elements of a dtype
};

/// The type of such an array's numbers, for elements of a dtype.
halide_type_t type_of(KernelArrayKind array, DType dtype);

/// A row of THE table of these kernels.
struct DeviceKernelInfo {
    DeviceKernel kernel;
    std::string_view name;
    int numbers;  ///< number of int32 that come first
    std::array<KernelArrayKind, 3> inputs;
    KernelArrayKind output;

    /// The dtype of which its loops are compiled for elements of `dtype`: bool if that does not matter.
    DType compiled_dtype(DType dtype) const noexcept;
    /// The dtypes that compiled_dtype() returns.
    std::vector<DType> compiled_dtypes() const;
};
std::span<const DeviceKernelInfo> device_kernels() noexcept;
const DeviceKernelInfo& info_of(DeviceKernel kernel) noexcept;

/// Starts a kernel on the device of `output`, which has its shape already.
/// Shape: inputs without gaps on that device; an output at the beginning of its memory; none is empty but
/// the output, which is not written then.
/// Errors: TargetError.
void run(DeviceKernel kernel, std::initializer_list<std::int64_t> numbers,
         std::initializer_list<AnyTensor> inputs, const AnyTensor& output);

/// Number of these kernels that the calling thread has started.
std::int64_t started_device_kernels() noexcept;

}  // namespace frisket::runtime

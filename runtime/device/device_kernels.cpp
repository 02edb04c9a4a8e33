// SPDX-License-Identifier: MIT
#include "device_kernels.hpp"

#include <HalideRuntime.h>

#include <algorithm>
#include <optional>
#include <string>

#include "../tensor/error.hpp"
#include "../tensor/loop_type.hpp"
#include "device_memory.hpp"

namespace frisket::runtime {

namespace {

using enum KernelArrayKind;

constexpr DeviceKernelInfo table[] = {
    {DeviceKernel::iota, "iota", 0, {}, indices},
    {DeviceKernel::fill, "fill", 2, {}, moved},
    {DeviceKernel::scatter, "scatter", 1, {indices, moved}, moved},
    {DeviceKernel::gather, "gather", 1, {indices, moved}, moved},
    {DeviceKernel::copy_view, "copy_view", 7, {moved}, moved},
    {DeviceKernel::blend, "blend", 2, {moved, bytes}, moved},
    {DeviceKernel::unpack_bits, "unpack_bits", 0, {words}, bytes},
    {DeviceKernel::pack_bits, "pack_bits", 0, {bytes}, words},
    {DeviceKernel::count_bits, "count_bits", 1, {words}, indices},
    {DeviceKernel::chunk_totals, "chunk_totals", 0, {indices}, indices},
    {DeviceKernel::chunk_sums, "chunk_sums", 0, {indices, indices}, indices},
    {DeviceKernel::positions_of_bits, "positions_of_bits", 1, {words, indices}, indices},
    {DeviceKernel::add_index, "add_index", 1, {indices, integers}, indices},
    {DeviceKernel::find_outside, "find_outside", 1, {integers}, bytes},
    {DeviceKernel::find_unequal, "find_unequal", 0, {moved, moved}, bytes},
    {DeviceKernel::make_keys, "make_keys", 2, {indices}, keys},
    {DeviceKernel::sort_chunks, "sort_chunks", 0, {keys}, keys},
    {DeviceKernel::merge_runs, "merge_runs", 2, {keys}, keys},
    {DeviceKernel::find_first, "find_first", 0, {keys}, bytes},
    {DeviceKernel::key_places, "key_places", 2, {keys, indices}, indices},
    {DeviceKernel::key_entries, "key_entries", 0, {keys}, indices},
    {DeviceKernel::sum_runs, "sum_runs", 1, {keys, indices, elements}, elements},
    {DeviceKernel::sum_runs_wide, "sum_runs_wide", 1, {keys, indices, reals}, reals},
    {DeviceKernel::row_flags, "row_flags", 3, {bytes}, bytes},
    {DeviceKernel::slots_of_groups, "slots_of_groups", 0, {bytes}, indices},
    {DeviceKernel::pack_list, "pack_list", 2, {indices}, words},
    {DeviceKernel::rank_list, "rank_list", 1, {indices}, keys},
    {DeviceKernel::count_missed, "count_missed", 1, {indices, keys}, counts},
    {DeviceKernel::note_step, "note_step", 1, {indices}, keys},
};

static_assert([] {
    for (std::size_t i = 0; i < std::size(table); ++i)
        if (table[i].kernel != static_cast<DeviceKernel>(i)) return false;
    return true;
}());

/// A buffer of a kernel's: inputs begin anywhere in their block; a second dimension holds the offset.
class KernelArray {
public:
    KernelArray(const AnyTensor& tensor, halide_type_t type, bool is_input) {
        const DevicePlace place = device_place(tensor.address());
        dims_[0] = {0, static_cast<std::int32_t>(tensor.size()), 1};
        dims_[1] = {0, 2, static_cast<std::int32_t>(place.offset / type.bytes())};
        buffer_.device = place.block->handle;
        buffer_.device_interface = &place.block->driver->functions;
        buffer_.set_device_dirty();
        buffer_.type = type;
        buffer_.dimensions = is_input ? 2 : 1;
        buffer_.dim = dims_.data();
    }
    KernelArray(const KernelArray&) = delete;
    KernelArray& operator=(const KernelArray&) = delete;
    ~KernelArray() = default;
    const void* address() const { return &buffer_; }

private:
    std::array<halide_dimension_t, 2> dims_{};
    halide_buffer_t buffer_{};
};

/// The dtype of the elements that a kernel reads or writes.
DType dtype_of_elements(const DeviceKernelInfo& kernel, std::span<const AnyTensor> inputs,
                        const AnyTensor& output) {
    const auto has_elements = [](KernelArrayKind array) {
        return array == moved || array == elements || array == integers || array == reals;
    };
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (has_elements(kernel.inputs[i])) return inputs[i].dtype();
    return output.dtype();
}

thread_local std::int64_t started = 0;

}  // namespace

halide_type_t type_of(KernelArrayKind array, DType dtype) {
    switch (array) {
        case bytes: return {halide_type_uint, 8};
        case words: return {halide_type_uint, 64};
        case indices: return {halide_type_int, 32};
        case keys: return {halide_type_int, 64};
        case counts: return {halide_type_float, 64};
        case moved: return {halide_type_uint, static_cast<std::uint8_t>(bytes_of(dtype) * 8)};
        default: return loop_type(dtype);
    }
}

std::int64_t started_device_kernels() noexcept { return started; }

std::span<const DeviceKernelInfo> device_kernels() noexcept { return table; }

const DeviceKernelInfo& info_of(DeviceKernel kernel) noexcept {
    return table[static_cast<std::size_t>(kernel)];
}

DType DeviceKernelInfo::compiled_dtype(DType dtype) const noexcept {
    const auto takes = [this](KernelArrayKind array) {
        return output == array || std::ranges::find(inputs, array) != inputs.end();
    };
    if (takes(elements)) return dtype;
    if (takes(integers)) return dtype == DType::int64 ? dtype : DType::int32;
    if (takes(reals)) return dtype == DType::float64 ? dtype : DType::float32;
    if (!takes(moved)) return DType::boolean;
    switch (bytes_of(dtype)) {
        case 1: return DType::boolean;
        case 2: return DType::bfloat16;
        case 4: return DType::int32;
        default: return DType::int64;
    }
}

std::vector<DType> DeviceKernelInfo::compiled_dtypes() const {
    std::vector<DType> made;
    for (const DTypeInfo& row : dtypes)
        if (compiled_dtype(row.dtype) == row.dtype) made.push_back(row.dtype);
    return made;
}

void run(DeviceKernel kernel, std::initializer_list<std::int64_t> numbers,
         std::initializer_list<AnyTensor> inputs, const AnyTensor& output) {
    if (output.size() == 0) return;
    const DeviceKernelInfo& row = info_of(kernel);
    const DType dtype = dtype_of_elements(row, inputs, output);
    constexpr std::size_t most_numbers = 7, most_inputs = 3;
    std::array<std::int32_t, most_numbers> given{};
    std::array<const void*, 2 + most_numbers + most_inputs + 1> argv{};
    const std::int64_t zero = 0;
    std::size_t count = 1;  // the first belongs to the driver
    argv[count++] = &zero;
    std::size_t i = 0;
    for (const std::int64_t number : numbers) {
        given[i] = static_cast<std::int32_t>(number);
        argv[count++] = &given[i++];
    }
    std::array<std::optional<KernelArray>, most_inputs + 1> arrays;
    i = 0;
    for (const AnyTensor& input : inputs) {
        argv[count++] = arrays[i].emplace(input, type_of(row.inputs[i], dtype), true).address();
        ++i;
    }
    argv[count++] = arrays[i].emplace(output, type_of(row.output, dtype), false).address();
    DeviceDriver& driver = *device_place(output.address()).block->driver;
    std::string message;
    const int status = driver.run(kernel, row.compiled_dtype(dtype), std::span(argv).first(count), message);
    if (status != 0)
        throw TargetError("device " + std::string(driver.name) + ": kernel " + std::string(row.name) +
                          " failed with code " + std::to_string(status) + ": " + message);
    ++started;
}

}  // namespace frisket::runtime

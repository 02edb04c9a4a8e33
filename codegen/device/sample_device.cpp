// SPDX-License-Identifier: MIT
#include "sample_device.hpp"

#include <HalideRuntime.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "../../runtime/device/device_kernels.hpp"
#include "../../runtime/device/device_memory.hpp"
#include "../../runtime/support/made_once.hpp"
#include "../../runtime/tensor/error.hpp"

namespace frisket::aot {

namespace {

using Interface = const halide_device_interface_t*;

std::byte* memory_of(const halide_buffer_t& buffer) {
    return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(buffer.device));
}

/// Bytes from the place of index 0 in all dimensions to that of the lowest indices.
std::ptrdiff_t offset_of(const halide_buffer_t& buffer, const halide_buffer_t& from) {
    std::ptrdiff_t elements = 0;
    for (int d = 0; d < buffer.dimensions; ++d)
        elements += std::ptrdiff_t{buffer.dim[d].min - from.dim[d].min} * from.dim[d].stride;
    return elements * buffer.type.bytes();
}

/// Copies the elements of dimensions 0 to `dims`.
void copy_elements(const std::byte* from, std::byte* to, const halide_buffer_t& a, const halide_buffer_t& b,
                   int dims) {
    const std::ptrdiff_t size = a.type.bytes();
    if (dims == 0) {
        std::memcpy(to, from, static_cast<std::size_t>(size));
        return;
    }
    const halide_dimension_t &in_a = a.dim[dims - 1], &in_b = b.dim[dims - 1];
    for (std::ptrdiff_t i = 0; i < in_b.extent; ++i)
        copy_elements(from + i * in_a.stride * size, to + i * in_b.stride * size, a, b, dims - 1);
}

int allocate(void*, halide_buffer_t* buffer, Interface functions) {
    constexpr std::size_t alignment = 128;
    const std::size_t bytes = (buffer->size_in_bytes() / alignment + 1) * alignment;
    void* const memory = std::aligned_alloc(alignment, bytes);
    if (memory == nullptr) return halide_error_code_out_of_memory;
    std::memset(memory, 0, bytes);
    buffer->device = reinterpret_cast<std::uintptr_t>(memory);
    buffer->device_interface = functions;
    return 0;
}

int release(void*, halide_buffer_t* buffer) {
    std::free(memory_of(*buffer));
    buffer->device = 0;
    return 0;
}

int nothing(void*, halide_buffer_t*) { return 0; }

int copy_to_host(void*, halide_buffer_t* buffer) {
    std::memcpy(buffer->host, memory_of(*buffer), buffer->size_in_bytes());
    return 0;
}

int copy_to_device(void*, halide_buffer_t* buffer, Interface) {
    std::memcpy(memory_of(*buffer), buffer->host, buffer->size_in_bytes());
    return 0;
}

int copy(void*, halide_buffer_t* from, Interface, halide_buffer_t* to) {
    copy_elements(memory_of(*from), memory_of(*to), *from, *to, to->dimensions);
    return 0;
}

int crop(void*, const halide_buffer_t* whole, halide_buffer_t* part) {
    part->device = reinterpret_cast<std::uintptr_t>(memory_of(*whole) + offset_of(*part, *whole));
    part->device_interface = whole->device_interface;
    return 0;
}

const halide_device_interface_t functions{.device_malloc = allocate,
                                          .device_free = release,
                                          .device_sync = nothing,
                                          .device_release = nullptr,
                                          .copy_to_host = copy_to_host,
                                          .copy_to_device = copy_to_device,
                                          .device_and_host_malloc = nullptr,
                                          .device_and_host_free = nullptr,
                                          .buffer_copy = copy,
                                          .device_crop = crop,
                                          .device_slice = nullptr,
                                          .device_release_crop = nothing,
                                          .wrap_native = nullptr,
                                          .detach_native = nullptr,
                                          .compute_capability = nullptr,
                                          .impl = nullptr};

class SampleDriver final : public runtime::DeviceDriver {
public:
    std::string_view name() const noexcept override { return "sample"; }
    const halide_device_interface_t& functions() const noexcept override { return aot::functions; }
    int call(const std::function<int(void*)>& body, std::string&) const override { return body(nullptr); }
    /// Every number is 1, so that lists have an entry, and nothing is found that would be refused.
    int run(runtime::DeviceKernel kernel, DType, std::span<const void*> argv, std::string&) override {
        const bool finds =
            kernel == runtime::DeviceKernel::find_unequal || kernel == runtime::DeviceKernel::find_outside;
        const auto& made = *static_cast<const halide_buffer_t*>(argv.back());
        std::byte* const bytes = memory_of(made);
        const std::size_t size = made.size_in_bytes();
        std::memset(bytes, 0, size);
        for (std::size_t i = 0; !finds && i < size; i += static_cast<std::size_t>(made.type.bytes()))
            bytes[i] = std::byte{1};
        return 0;
    }
};

}  // namespace

Device sample_device() {
    // Devices live as long as the process.
    return runtime::device_with(runtime::made_once([] { return SampleDriver(); }));
}

}  // namespace frisket::aot

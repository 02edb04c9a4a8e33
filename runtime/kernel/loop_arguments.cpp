// SPDX-License-Identifier: MIT
#include "loop_arguments.hpp"

#include "../device/device_memory.hpp"
#include "../tensor/loop_type.hpp"
#include "../tensor/reach.hpp"

#include <bit>
#include <limits>

namespace frisket::kernel_calls {

void LoopArguments::begin(std::size_t parameters, std::size_t rank) {
    scalars_.begin(1 + parameters);
    buffers_.begin(parameters);
    dims_.begin(parameters * (rank + 1));
    argv_.begin(2 + parameters);
    argv_.add(nullptr);
    add(std::int64_t{0});
}

void LoopArguments::add(double number, DType dtype) {
    Scalar scalar{.f64 = number};
    if (dtype == DType::float32) scalar.f32 = static_cast<float>(number);
    if (dtype == DType::int32) scalar.i32 = static_cast<std::int32_t>(number);
    if (dtype == DType::int64) scalar.i64 = std::bit_cast<std::int64_t>(number);
    if (dtype == DType::boolean || dtype == DType::uint8) scalar.i32 = static_cast<std::uint8_t>(number);
    add(scalar);
}

void LoopArguments::add(const LoopParameter& array, const void* data, std::span<const LoopDim> dims) {
    halide_buffer_t& buffer = *buffers_.add({});
    buffer.host = static_cast<std::uint8_t*>(const_cast<void*>(data));
    buffer.type = type_of(array);
    buffer.dimensions = static_cast<std::int32_t>(dims.size());
    halide_dimension_t* made = dims_.take(dims.size());
    buffer.dim = made;
    for (const LoopDim& dim : dims)
        *made++ = {0, static_cast<std::int32_t>(dim.extent), static_cast<std::int32_t>(dim.stride)};
    argv_.add(&buffer);
    if (detail::is_device_address(data)) place_on_device(array, buffer);
}

void LoopArguments::place_on_device(const LoopParameter& array, halide_buffer_t& buffer) {
    const runtime::DevicePlace place = runtime::device_place(buffer.host);
    buffer.host = nullptr;
    buffer.device = place.block->handle;
    buffer.device_interface = &place.block->driver->functions;
    buffer.set_device_dirty();
    const bool is_of_expression = array.form == ArrayForm::whole || array.form == ArrayForm::scalar;
    if (is_of_expression && is_written(array.role)) return;
    ++buffer.dimensions;
    dims_.add({0, 2, static_cast<std::int32_t>(place.offset / buffer.type.bytes())});
}

halide_type_t type_of(const LoopParameter& array) {
    constexpr halide_type_t words(halide_type_uint, 64), index(halide_type_int, 32);
    if (array.is_bits) return words;
    return array.role == LoopRole::list ? index : runtime::loop_type(array.dtype);
}

bool is_in_reach(const AnyTensor& tensor) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    if (tensor.is_contiguous()) return tensor.size() <= most;
    const runtime::Reach reach = runtime::reach_of(tensor.shape(), tensor.strides(), 1).value();
    return reach.high - reach.low <= most;
}

}  // namespace frisket::kernel_calls

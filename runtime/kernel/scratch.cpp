// SPDX-License-Identifier: MIT
#include "scratch.hpp"

#include "../tensor/reach.hpp"

#include <deque>
#include <limits>
#include <utility>

namespace frisket {

void LoopArguments::begin(std::size_t scalars, std::size_t buffers, std::size_t rank) {
    scalars_.begin(1 + scalars);
    buffers_.begin(buffers);
    dims_.begin(buffers * rank);
    argv_.begin(2 + scalars + buffers);
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

void LoopArguments::add(const void* data, DType dtype, std::initializer_list<LoopDim> dims) {
    add(data, loop_type(dtype), {dims.begin(), dims.size()});
}

void LoopArguments::add(const void* data, halide_type_t type, std::span<const LoopDim> dims) {
    halide_buffer_t buffer{};
    buffer.host = static_cast<std::uint8_t*>(const_cast<void*>(data));
    buffer.type = type;
    buffer.dimensions = static_cast<std::int32_t>(dims.size());
    buffer.dim = dims_.next();
    for (const LoopDim& dim : dims)
        dims_.add({0, static_cast<std::int32_t>(dim.extent), static_cast<std::int32_t>(dim.stride)});
    argv_.add(buffers_.add(buffer));
}

halide_type_t loop_type(DType dtype) {
    const auto bits = static_cast<std::uint8_t>(bytes_of(dtype) * 8);
    if (info(dtype).is_float && bits > 16) return {halide_type_float, bits, 1};
    const bool is_signed = dtype == DType::int32 || dtype == DType::int64;
    return {is_signed ? halide_type_int : halide_type_uint, bits, 1};
}

bool is_in_reach(const AnyTensor& tensor) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    if (tensor.is_contiguous()) return tensor.size() <= most;
    const Reach reach = reach_of(tensor.shape(), tensor.strides(), 1).value();
    return reach.high - reach.low <= most;
}

void Scratch::fit(const Signature& signature, std::size_t number_count) {
    const std::size_t parameters = signature.parameters.size();
    if (flat.size() < parameters) {
        words.resize(parameters);
        bytes.resize(parameters);
        values.resize(parameters);
        listed.resize(parameters);
        flat.resize(parameters);  // the last: who has these has them all
    }
    if (numbers.size() < number_count) numbers.resize(number_count);
}

struct FrameLease::Frames {
    std::deque<Scratch> all;
    Scratch* free = nullptr;

    Scratch& take() {
        if (free == nullptr) return all.emplace_back();
        return *std::exchange(free, free->next_free);
    }
    void give_back(Scratch& scratch) { scratch.next_free = std::exchange(free, &scratch); }
};

FrameLease::Frames& FrameLease::of_thread() {
    thread_local Frames frames;
    return frames;
}

FrameLease::FrameLease() : frames_(of_thread()), scratch(frames_.take()) {}

FrameLease::~FrameLease() {
    scratch.kept.clear();
    frames_.give_back(scratch);
}

void Call::begin_loop(LoopArguments& loop, std::int64_t first, std::optional<std::int64_t> elements) const {
    const auto dtypes = source.number_dtypes();
    constexpr std::size_t others = 6;  // the number of elements, the position and its four strides
    loop.begin(dtypes.size() + others, arguments.size() * 2 + 1);
    if (elements) loop.add(static_cast<std::int32_t>(*elements));
    for (std::size_t i = 0; i < dtypes.size(); ++i) loop.add(scratch.numbers[i], dtypes[i]);
    if (signature.needs_positions) loop.add(this->first + first);
}

}  // namespace frisket

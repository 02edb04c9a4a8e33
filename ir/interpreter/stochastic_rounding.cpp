// SPDX-License-Identifier: MIT
#include "stochastic_rounding.hpp"

#include "../ops/philox.hpp"
#include "tensor_kernels_walk.hpp"

#include <bit>

namespace frisket::ir {

std::uint32_t RandomBits::at(std::int64_t position) const {
    const auto low = [](std::uint64_t word) { return static_cast<std::uint32_t>(word); };
    const auto place = static_cast<std::uint64_t>(position), key = static_cast<std::uint64_t>(seed);
    const std::uint64_t first = (static_cast<std::uint64_t>(this->first) + place / philox::tile) *
                                philox::counters,
                        lane = place % philox::tile;
    const auto words = philox::random<philox::HostWords>(
        {low(first + lane % philox::counters), low(first >> 32U), low(static_cast<std::uint64_t>(step)),
         static_cast<std::uint32_t>(rounding)},
        {low(key), low(key >> 32U)});
    return words[lane / philox::counters];
}

float round_stochastically(float value, DType dtype, std::uint32_t bits) {
    const auto word = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t magnitude = word & 0x7fff'ffffU;
    const auto cut = [&](std::uint32_t lost) { return std::bit_cast<float>((word + (bits & lost)) & ~lost); };
    if (dtype == DType::bfloat16) return magnitude > 0x7f7f'0000U ? value : cut(0xffff);
    if (magnitude > std::bit_cast<std::uint32_t>(65504.0f)) return value;
    if (magnitude >= std::bit_cast<std::uint32_t>(0x1p-14f)) return cut(0x1fff);
    const float steps = std::bit_cast<float>(magnitude) * 0x1p24f;  // in units of float16's denormals
    const auto whole = static_cast<float>(static_cast<std::int32_t>(steps));
    const bool is_up = static_cast<float>(static_cast<std::int32_t>(bits >> 8U)) * 0x1p-24f < steps - whole;
    const float rounded = (is_up ? whole + 1 : whole) * 0x1p-24f;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(rounded) | (word & 0x8000'0000U));
}

AnyTensor round_stochastically(const AnyTensor& values, DType dtype, const RandomBits& random,
                               const Shape& shape) {
    const AnyTensor made(DType::float32, shape);
    auto* to = static_cast<float*>(made.data());
    std::int64_t position = 0;
    tensor_kernels::walk<1>(shape, {tensor_kernels::seen_as(values, shape)}, [&](const auto& at) {
        const auto value = tensor_kernels::element<float>(values, at[0]);
        to[position] = round_stochastically(value, dtype, random.at(position));
        ++position;
    });
    return made;
}

}  // namespace frisket::ir

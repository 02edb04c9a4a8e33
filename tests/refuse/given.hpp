// SPDX-License-Identifier: MIT
#pragma once
#include <frisket/dsl.hpp>

#include <cstdint>
#include <type_traits>

/// Declarations for the wrong programs.
using namespace frisket;

inline constexpr InOut<"param"> param;
inline constexpr InOut<"state"> state;
inline constexpr In<"weight"> weight;
inline constexpr Masked<"grad"> grad;
inline constexpr Scalar<"lr"> lr;
inline constexpr Scalar<"t", std::int64_t> t;
inline constexpr ScalarState<"product"> product;
inline constexpr Let<"d"> d;

inline constexpr auto sgd = step<"sgd">(param -= lr * grad);
inline constexpr auto nadam = step<"nadam">(product *= 0.5, param -= lr * product * grad * t);

void call(const Kernel<std::remove_const_t<decltype(sgd)>>& kernel, const Tensor<float>& p,
          const MaskedTensor<float>& g);

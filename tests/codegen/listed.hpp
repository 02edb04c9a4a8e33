// SPDX-License-Identifier: MIT
#pragma once
#include <catch2/generators/catch_generators.hpp>

#include <frisket/frisket.hpp>

/// What tests of expressions over lists have in common.
namespace frisket::testing {

inline constexpr std::int64_t huge = std::int64_t{1} << 40;  // of which no dense tensor can be made

/// Both ways of an expression, one after the other.
inline EvalOptions options() { return {.jit = GENERATE(Jit::always, Jit::never)}; }

/// The same as values and mask; what is not specified is 3.
template <class T>
MaskedTensor<T> strided(const MaskedTensor<T>& listed) {
    return masked(listed.to_dense(T{3}), listed.mask_tensor());
}

}  // namespace frisket::testing

// SPDX-License-Identifier: MIT
#pragma once
#include "symbols.hpp"

#include <cstdint>

namespace frisket::optim {

/// Over which elements of a parameter its norm goes.
enum class NormScope : std::uint8_t {
    specified,  ///< those whose gradient is specified
    all,
};

/// The norm of `param`, a dense number; 0 of no elements.
template <NormScope scope, class Gradient, class Parameter>
constexpr auto norm_within(const Gradient& grad, const Parameter& param) {
    if constexpr (scope == NormScope::specified)
        return to_dense(norm(on(grad, param)), 0);
    else
        return norm(param);
}

}  // namespace frisket::optim

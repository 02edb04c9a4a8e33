// SPDX-License-Identifier: MIT
#pragma once
#include "../ir/passes/gradient/gradcheck.hpp"
#include "../runtime/tensor/masked_tensor.hpp"
#include "describe.hpp"

#include <cstddef>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace frisket {

using build::GradcheckOptions;
using build::GradcheckReport;

/// Compares the gradient of a function of masked tensors with its differences:
/// `gradcheck([](auto x) { return sum(x * x); }, x, {.masked = true}).pass`; see build::gradcheck.
/// Errors: ValueError and ShapeError of the function.
template <class Function, class... Inputs>
GradcheckReport gradcheck(const Function& function, const std::tuple<Inputs...>& inputs,
                          const GradcheckOptions& options = {}) {
    const auto body = [&](build::ExpressionContext& session, std::span<const build::Expr> variables) {
        GraphEmitter lowering(session);
        return [&]<std::size_t... I>(std::index_sequence<I...> /*inputs*/) {
            const auto result = function(Variable{variables[I]}...);
            return build::Expr{&session.graph(), detail::emit(lowering, result)};
        }(std::index_sequence_for<Inputs...>{});
    };
    const auto list = std::apply(
        [](const MaskedTensor<typename Inputs::Element>&... input) {
            return std::vector<AnyMasked>{input...};
        },
        inputs);
    return build::gradcheck(body, list, options);
}

/// Checks a function of one input.
template <class Function>
GradcheckReport gradcheck(const Function& function, const MaskedTensor<double>& input,
                          const GradcheckOptions& options = {}) {
    return gradcheck(function, std::tuple(input), options);
}

}  // namespace frisket

// SPDX-License-Identifier: MIT
// Declares gradients of expressions.
#pragma once
#include "../../ir/passes/gradient/gradcheck.hpp"
#include "../../runtime/tensor/masked_tensor.hpp"
#include "../describe.hpp"
#include "../tensor_ops.hpp"

#include <cstddef>
#include <initializer_list>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace frisket {

struct AllowUnused {};
/// Says that a tensor may be missing in an expression: its gradient is specified nowhere then.
inline constexpr AllowUnused allow_unused{};

namespace op {

struct Gradient : TensorOp<Gradient, 1> {
    static constexpr TensorOpInfo info{.name = "gradient", .type = WholeType::floats};
    bool allows_unused = false;
    static constexpr ExprType check(std::initializer_list<ExprType> operands) {
        ExprType result = type_rules::check_whole(info, operands);
        result.differentiated |= operands.begin()->reads;
        if (result.category >= ExprCategory::open) return result;
        result.category = ExprCategory::masked;
        result.type = strong(operands.begin()[1].type);
        return result;
    }
    ir::Value lower(const GraphEmitter& emitter, const std::vector<ir::Value>& parts) const;
};

}  // namespace op

namespace detail {
template <class T>
inline constexpr bool allows_unused = std::is_same_v<T, AllowUnused>;
}  // namespace detail

/// Gradient of sum(e * upstream) with respect to `wrt`, a tensor or symbol that occurs in e; upstream: 1
/// unless given.
/// Shape: that of wrt, and so is the dtype.
/// Unspecified: masked, also for a dense wrt: specified where a specified element of the upstream reached it.
/// Layout: evaluated, a list of rows, or else of elements (coo), of a dense wrt of which e reads a part, by
/// index, slices or gather; else values and a mask: see dsl/README.md.
/// Tensors in the memory of a dense wrt are read from it: `x.reshape({6})`, `masked(x, mask)`.
/// Errors: ShapeError if the upstream has another shape than e; ValueError if wrt does not occur in e: what
/// is evaluated or converted at once (`eval(x * x)`, `m.to(Layout::coo)`) gives tensors that are not x.
template <class E, class Wrt, class... Upstream>
    requires(AnyOperand<E> && sizeof...(Upstream) <= 1 && (!detail::allows_unused<Upstream> && ...))
constexpr detail::WholePartsOf<op::Gradient, E, Wrt, Upstream...> gradient(const E& e, const Wrt& wrt,
                                                                           const Upstream&... upstream) {
    return detail::whole_of(op::Gradient{}, e, wrt, upstream...);
}
/// The gradient of sum(e) with respect to `wrt`, specified nowhere if wrt does not occur in e.
template <class E, class Wrt>
    requires(AnyOperand<E> && AnyOperand<Wrt>)
constexpr detail::WholePartsOf<op::Gradient, E, Wrt> gradient(const E& e, const Wrt& wrt,
                                                              AllowUnused /*said*/) {
    return detail::whole_of(op::Gradient{{}, true}, e, wrt);
}
/// Gradient for an upstream, specified nowhere if wrt does not occur in e.
template <class E, class Wrt, class Upstream>
    requires(AnyOperand<E> && AnyOperand<Wrt>)
constexpr detail::WholePartsOf<op::Gradient, E, Wrt, Upstream>
gradient(const E& e, const Wrt& wrt, const Upstream& upstream, AllowUnused /*said*/) {
    return detail::whole_of(op::Gradient{{}, true}, e, wrt, upstream);
}

using ir::GradcheckOptions;
using ir::GradcheckReport;

/// Compares the gradient of a function of masked tensors with its differences:
/// `gradcheck([](auto x) { return sum(x * x); }, x, {.masked = true}).pass`; see ir::gradcheck.
/// Errors: ValueError and ShapeError of the function.
template <class Function, class... Inputs>
GradcheckReport gradcheck(const Function& function, const std::tuple<Inputs...>& inputs,
                          const GradcheckOptions& options = {}) {
    const auto body = [&](ir::ExpressionContext& session, std::span<const ir::Value> variables) {
        GraphEmitter lowering(session);
        return [&]<std::size_t... I>(std::index_sequence<I...> /*inputs*/) {
            const auto result = function(Variable{variables[I]}...);
            return ir::Value{&session.graph(), detail::emit(lowering, result)};
        }(std::index_sequence_for<Inputs...>{});
    };
    const auto list = std::apply(
        [](const MaskedTensor<typename Inputs::Element>&... input) {
            return std::vector<AnyMasked>{input...};
        },
        inputs);
    return ir::gradcheck(body, list, options);
}

/// Checks a function of one input.
template <class Function>
GradcheckReport gradcheck(const Function& function, const MaskedTensor<double>& input,
                          const GradcheckOptions& options = {}) {
    return gradcheck(function, std::tuple(input), options);
}

}  // namespace frisket

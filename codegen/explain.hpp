// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "../dsl/describe.hpp"
#include "../dsl/kernel.hpp"
#include "eval.hpp"

/// Explanations of how expressions and steps are evaluated: the planner's stages, as text.
namespace frisket {

namespace detail {

/// Amount of a plan that is printed.
enum class PlanForm : std::uint8_t { full, summary };

/// The stages that `evaluate` runs, which is given how graphs are evaluated.
std::string explained(PlanForm text, const EvalOptions& options,
                      const std::function<void(const building::ExpressionContext::Evaluate&)>& evaluate);
/// The stages of a step's call; nothing is written.
std::string explained(PlanForm text, const Graph& step, std::span<const Argument> arguments);

template <class... E>
std::string explained_expression(PlanForm text, const EvalOptions& options, const E&... expressions) {
    return explained(text, options, [&](const building::ExpressionContext::Evaluate& evaluate) {
        static_cast<void>(run(evaluate, expressions...));
    });
}

template <class Made, class... Arguments>
std::string explained_call(PlanForm form, const Made& step, const Arguments&... arguments) {
    std::array<std::size_t, Made::parameter_count> places{};
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
    std::string text;
    call_ordered<Made>(
        places,
        [&](std::span<const Argument> ordered) {
            if constexpr (Made::has_structure)
                text = explained(form, describe(step, shapes_of(ordered)), ordered);
            else
                text = explained(form, describe(step), ordered);
        },
        arguments...);
    return text;
}

}  // namespace detail

/// The plan of an expression over tensors: its stages, each one's iteration space, how operands are read
/// there, the tensors that are stored and their bytes, and which rule decided and why; a line each.  Large
/// results and temporaries have a line that says how many blocks of the result pool they took.
/// Cost: that of eval with these options: rules decide by what the arguments store.
/// Errors: those of eval.
template <class E>
    requires AnyOperand<E>
std::string explain(const E& expression, const EvalOptions& options = {}) {
    return detail::explained_expression(detail::PlanForm::full, options, expression);
}

/// The plan of several expressions, as eval computes them; options may stand last, or a Jit.
template <class A, class B, class... More>
    requires(detail::are_ours<typename detail::EvalArguments<A, B, More...>::Expressions>)
std::string explain(const A& a, const B& b, const More&... more) {
    const std::tuple<const A&, const B&, const More&...> all(a, b, more...);
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return detail::explained_expression(detail::PlanForm::full, detail::options_of(all),
                                            std::get<I>(all)...);
    }(std::make_index_sequence<detail::EvalArguments<A, B, More...>::count>{});
}

/// The plan of a step's call with these arguments: `explain(adagrad, param = p, grad = g, lr = 0.1f)`.
/// Nothing is written.
/// Errors: those of the call.
template <SomeStep Made, class... Arguments>
std::string explain(const Made& step, const Arguments&... arguments) {
    return detail::explained_call(detail::PlanForm::full, step, arguments...);
}

}  // namespace frisket

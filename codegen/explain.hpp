// SPDX-License-Identifier: MIT
// Explains how an expression or a step is evaluated: the stages of its plan, as text.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "../dsl/describe.hpp"
#include "../dsl/kernel.hpp"
#include "eval.hpp"

/// Explanations of how expressions and steps are evaluated: the planner's stages, as text.
namespace frisket {

/// Tells explain whether to evaluate.
enum class Run : std::uint8_t {
    no,   ///< only the plan, from shapes, dtypes and layouts: nothing is evaluated
    yes,  ///< evaluates: the plan has counts and bytes, kinds of loops, knobs and the peak of memory as well
};

namespace detail {

/// Amount of a plan that is printed.
enum class PlanForm : std::uint8_t { full, summary };

/// The stages that `evaluate` runs, which is given how graphs are evaluated.
std::string explained(PlanForm text, Run run, const EvalOptions& options,
                      const std::function<void(const ir::ExpressionContext::Evaluate&)>& evaluate);
/// The stages of a step's call; nothing is written.
std::string explained(PlanForm text, const Graph& step, std::span<const Argument> arguments);

template <class... E>
std::string explained_expression(PlanForm text, Run run, const EvalOptions& options,
                                 const E&... expressions) {
    return explained(text, run, options, [&](const ir::ExpressionContext::Evaluate& evaluate) {
        static_cast<void>(detail::run(evaluate, expressions...));
    });
}

/// Arguments of explain: expressions, perhaps a Run, perhaps options.
template <class... E>
struct ExplainArguments {
    static constexpr std::size_t before_options = EvalArguments<E...>::count;
    template <std::size_t I>
    using At = std::tuple_element_t<I, std::tuple<E...>>;
    static constexpr bool has_run = [] {
        if constexpr (before_options > 0) return std::is_same_v<At<before_options - 1>, Run>;
        return false;
    }();
    static constexpr std::size_t count = before_options - (has_run ? 1 : 0);
    static constexpr bool are_given = []<std::size_t... I>(std::index_sequence<I...>) {
        return count > 0 && (OursOrList<At<I>> && ...);
    }(std::make_index_sequence<count>{});

    static Run run_of(const std::tuple<const E&...>& all) {
        if constexpr (has_run)
            return std::get<count>(all);
        else
            return Run::no;
    }
};

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
/// there, the tensors that it makes, and which rule decided and why; a line each.  Where the stored
/// coordinates of stages decide, both ways are listed, each with its condition.
/// Cost: making the plan: rules compare lists of arguments and count them; nothing is evaluated.
/// Errors: the errors that eval finds before it evaluates.
template <class E>
    requires AnyOperand<E>
std::string explain(const E& expression, const EvalOptions& options = {}) {
    return detail::explained_expression(detail::PlanForm::full, Run::no, options, expression);
}
/// Tells it, with Run::yes as eval ran it: with counts, bytes, kinds of loops, knobs, the peak of memory, and
/// how many blocks of the result pool large results and temporaries took.
/// Cost: as eval with these options.
/// Errors: as eval.
template <class E>
    requires AnyOperand<E>
std::string explain(const E& expression, Run run, const EvalOptions& options = {}) {
    return detail::explained_expression(detail::PlanForm::full, run, options, expression);
}

/// The plan of several expressions, as eval computes them; options or a Jit may be the last argument, and a
/// Run may precede them.
template <class A, class B, class... More>
    requires(detail::ExplainArguments<A, B, More...>::are_given)
std::string explain(const A& a, const B& b, const More&... more) {
    using Given = detail::ExplainArguments<A, B, More...>;
    const std::tuple<const A&, const B&, const More&...> all(a, b, more...);
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return detail::explained_expression(detail::PlanForm::full, Given::run_of(all),
                                            detail::options_of(all), std::get<I>(all)...);
    }(std::make_index_sequence<Given::count>{});
}

/// The plan of a step's call with these arguments: `explain(adagrad, param = p, grad = g, lr = 0.1f)`.
/// Nothing is written.
/// Errors: as the call.
template <SomeStep Made, class... Arguments>
std::string explain(const Made& step, const Arguments&... arguments) {
    return detail::explained_call(detail::PlanForm::full, step, arguments...);
}

}  // namespace frisket

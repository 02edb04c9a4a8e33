// SPDX-License-Identifier: MIT
// Names expressions of symbols, to be compiled and called as a function.
#pragma once
#include "evaluated.hpp"
#include "kernel.hpp"
#include "step.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

/// Expressions of symbols under a name, compiled and called as steps are.
namespace frisket {

namespace planning {
class ShapedFunction;
}

namespace detail {

/// The report of the type checker on the results of a function.
template <class... E>
consteval auto check_function() {
    StepReport<(E::leaves + ... + 1)> report;
    StepChecker check(report.symbols);
    const auto add = [&](const ExprType& result) {
        check.note(result.fault);
        if (result.has_tensors) check.note(DiagnosticId::tensor_operand);
        if (result.needs_eval) check.note(DiagnosticId::needs_eval);
    };
    (add(E::check(check)), ...);
    report.fault = check.fault();
    report.culprit = check.culprit();
    report.count = check.symbols().size();
    return report;
}

}  // namespace detail

/// Expressions of symbols under a name: the argument of `describe`, `jit` and frisket_add_kernels.
template <class FunctionName, class... E>
struct Function {
    static constexpr std::string_view name = FunctionName::name;
    static constexpr auto report = detail::check_function<E...>();
    static constexpr std::size_t parameter_count = report.count;
    /// Symbols that a call binds, in order of first appearance.
    static constexpr auto parameters = [] {
        std::array<StepSymbol, parameter_count> found{};
        for (std::size_t i = 0; i < parameter_count; ++i) found[i] = report.symbols[i];
        return found;
    }();
    /// The values of a call: a Tensor or a MaskedTensor, or a tuple of them.
    using Values = std::tuple<typename detail::Evaluation<E>::Type...>;

    /// Says what to write instead.
    template <class... Arguments>
    constexpr ErrorExpr operator()(const Arguments&... /*arguments*/) const {
        static_assert(
            diagnose::is_no_step<Arguments...>,
            "frisket: a function is compiled before it is called: write jit(function)(name = tensor, "
            "...)");
        return {};
    }

    std::tuple<E...> results;
};

/// Functions that `describe` and `jit` accept.
template <class F>
concept SomeFunction = requires(const F& function) {
    typename F::Values;
    F::parameters;
    function.results;
};

namespace detail {
/// The fault of a result of a function by itself, or none.
template <class E>
consteval DiagnosticId result_fault() {
    constexpr DiagnosticId fault = operand_fault<E>();
    if constexpr (fault != DiagnosticId::none)
        return fault;
    else
        return Operand<E>::expr_type.category == ExprCategory::scalar ? DiagnosticId::number_for_tensor
                                                                      : DiagnosticId::none;
}

/// The type of a function, which says what is wrong: with a result, with its name, or with its symbols.
template <class FunctionName, class... E>
consteval auto function_of() {
    constexpr std::array<DiagnosticId, sizeof...(E)> faults{result_fault<E>()...};
    constexpr std::size_t first = [&] {
        std::size_t i = 0;
        while (i < faults.size() && faults[i] == DiagnosticId::none) ++i;
        return i;
    }();
    if constexpr (first < sizeof...(E))
        return std::type_identity<Refused<faults[first], std::tuple_element_t<first, std::tuple<E...>>>>{};
    else
        return step_of<Function<FunctionName, Operand<E>...>>();
}
template <class FunctionName, class... E>
using FunctionOf = typename decltype(function_of<FunctionName, E...>())::type;
}  // namespace detail

/// A function: expressions of symbols, `function<"loss">(sum(square(m - matmul(u, v))), gradient(…, u))`,
/// that a call evaluates for tensors.
template <Name FunctionName, class... E>
    requires(sizeof...(E) > 0)
constexpr detail::FunctionOf<Called<FunctionName>, E...> function(const E&... expressions) {
    if constexpr (((detail::result_fault<E>() != DiagnosticId::none) || ...))
        return ErrorExpr{};
    else
        return Function<Called<FunctionName>, detail::Operand<E>...>{{detail::operand(expressions)...}};
}

/// The function as data for tensors of given shapes, in the order of its parameters; numbers have [].
/// Errors: ShapeError, DimError, IndexError, MaskMismatch.
template <class FunctionName, class... E>
Graph describe(const Function<FunctionName, E...>& function, std::span<const Shape> shapes) {
    GraphBuilder builder{std::string(FunctionName::name)};
    const std::vector<NamedShape> named = detail::named_shapes<Function<FunctionName, E...>>(shapes);
    GraphEmitter emitter(builder, named);
    emitter.only_read();
    std::vector<NodeId> results;
    std::apply([&](const auto&... result) { (results.push_back(detail::lowered(emitter, result).id), ...); },
               function.results);
    return builder.expression(results);
}

namespace detail {

/// Evaluates a function, as ShapedFunction::call.
std::vector<Result> call_function(planning::ShapedFunction& function, std::span<const Argument> arguments);

/// The result of a call: a value or a tuple of them, or what says that the call is wrong.
template <class F, class... Arguments>
consteval auto function_result() {
    if constexpr (!std::is_void_v<CallResult<F, Arguments...>>)
        return std::type_identity<CallResult<F, Arguments...>>{};
    else if constexpr (std::tuple_size_v<typename F::Values> == 1)
        return std::type_identity<std::tuple_element_t<0, typename F::Values>>{};
    else
        return std::type_identity<typename F::Values>{};
}
template <class F, class... Arguments>
using FunctionResult = typename decltype(function_result<F, Arguments...>())::type;

template <class... E>
std::tuple<typename Evaluation<E>::Type...> typed_values(std::vector<Result>& found,
                                                         const std::tuple<E...>* /*results*/) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return std::tuple{Evaluation<E>::typed(std::move(found[I]))...};
    }(std::index_sequence_for<E...>{});
}

}  // namespace detail

/// A compiled function, called with named arguments in any order: `loss(m = ratings, u = users, v = items)`.
/// A handle; copies share the compiled loops.
/// Threads: may be called from any number of threads.
template <class F>
class FunctionKernel {
public:
    /// A kernel of the function; made by jit().
    explicit FunctionKernel(std::shared_ptr<planning::ShapedFunction> function)
        : function_(std::move(function)) {
        for (std::size_t i = 0; i < places_.size(); ++i) places_[i] = i;
    }

    /// Evaluates the function, as eval does.  Every symbol is bound once.
    /// Errors: ShapedFunction::call's.
    template <class... Arguments>
    detail::FunctionResult<F, Arguments...> operator()(const Arguments&... arguments) const {
        if (!function_) detail::refuse_moved_from(F::name, "kernel");
        std::vector<Result> found;
        const auto run = [&](const auto& ordered) { found = detail::call_function(*function_, ordered); };
        if constexpr (!std::is_void_v<detail::CallResult<F, Arguments...>>) {
            return detail::call_ordered<F>(places_, run, arguments...);
        } else {
            detail::call_ordered<F>(places_, run, arguments...);
            auto values = detail::typed_values(found, static_cast<const decltype(F::results)*>(nullptr));
            if constexpr (std::tuple_size_v<typename F::Values> == 1)
                return std::get<0>(std::move(values));
            else
                return values;
        }
    }

private:
    std::shared_ptr<planning::ShapedFunction> function_;
    std::array<std::size_t, F::parameter_count> places_{};
};

}  // namespace frisket

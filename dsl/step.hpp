// SPDX-License-Identifier: MIT
// Puts statements together into a step, and checks them in order.
#pragma once
#include "../ir/graph.hpp"
#include "statement.hpp"
#include "symbols.hpp"
#include "tensor_ops.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace frisket {

/// Result of type-checking a step: its symbols in order of first appearance, and the first fault.
template <std::size_t Room>
struct StepReport {
    DiagnosticId fault = DiagnosticId::none;
    std::string_view culprit{};
    bool has_structure = false;
    std::size_t count = 0;
    std::array<StepSymbol, Room> symbols{};
};

/// Names of the symbols that statements update.
template <class... Statements>
consteval auto targets_of() {
    std::array<std::string_view, (Statements::targets.size() + ... + 0)> all{};
    auto to = all.begin();
    ((to = std::ranges::copy(Statements::targets, to).out), ...);
    return all;
}

/// The report of the type checker on these statements.
template <class... Statements>
consteval auto check_step() {
    StepReport<(Statements::leaves + ... + 1)> report;
    constexpr auto targets = targets_of<Statements...>();
    StepChecker check(report.symbols);
    check.set_targets(targets);
    (Statements::check(check), ...);
    check.finish();
    report.fault = check.fault();
    report.culprit = check.culprit();
    report.has_structure = check.has_structure();
    report.count = check.symbols().size();
    return report;
}

/// Statements under a name: the argument of `describe`, `jit` and frisket_add_kernels.
template <class StepName, class... Statements>
struct Step {
    static constexpr std::string_view name = StepName::name;
    static constexpr auto report = check_step<Statements...>();
    /// True if it holds operations on whole tensors: its graph is made for the shapes of a call.
    static constexpr bool has_structure = report.has_structure;
    static constexpr std::size_t parameter_count = [] {
        std::size_t count = 0;
        for (std::size_t i = 0; i < report.count; ++i) count += report.symbols[i].kind != SymbolKind::let;
        return count;
    }();
    /// Symbols that a call binds, in order of first appearance.
    static constexpr auto parameters = [] {
        std::array<StepSymbol, parameter_count> found{};
        std::size_t count = 0;
        for (std::size_t i = 0; i < report.count; ++i) {
            if (report.symbols[i].kind != SymbolKind::let) found[count++] = report.symbols[i];
        }
        return found;
    }();

    /// Says what to write instead.
    template <class... Arguments>
    constexpr ErrorExpr operator()(const Arguments&... /*arguments*/) const {
        static_assert(diagnose::is_no_step<Arguments...>,
                      "frisket: a step is compiled before it is called: write jit(step)(name = tensor, ...)");
        return {};
    }

    std::tuple<Statements...> statements;
};

/// Every update of the step is restricted to the elements that `Masked` specifies.
template <class Masked>
struct [[nodiscard("over(m) does nothing until it is part of a step")]] Over {
    static constexpr bool is_statement = true;
    static constexpr int leaves = 1;
    static constexpr std::array<std::string_view, 0> targets{};
    /// Type-checks the statement.
    static constexpr void check(StepChecker& step) { step.over(Masked::check(step)); }
};

namespace detail {
template <class M>
consteval auto over_of() {
    if constexpr (is_refused<M>)
        return std::type_identity<M>{};
    else if constexpr (requires { requires M::symbol_kind == SymbolKind::masked; })
        return std::type_identity<Over<M>>{};
    else
        return std::type_identity<Refused<DiagnosticId::over_not_masked, M>>{};
}
template <class M>
using OverOf = typename decltype(over_of<M>())::type;

template <class U>
consteval auto everywhere_of() {
    if constexpr (is_refused<U>)
        return std::type_identity<U>{};
    else if constexpr (is_tensor_update<U>)
        return std::type_identity<Everywhere<U>>{};
    else
        return std::type_identity<Refused<DiagnosticId::everywhere_other, U>>{};
}
template <class U>
using EverywhereOf = typename decltype(everywhere_of<U>())::type;
}  // namespace detail

/// `m` in front of the updates of a step: all of them are restricted to the elements that it specifies.
template <class M>
constexpr detail::OverOf<M> over(const M& /*masked*/) {
    if constexpr (is_refused<detail::OverOf<M>>)
        return ErrorExpr{};
    else
        return {};
}

/// An update of all elements in a step that has masked updates.
template <class U>
constexpr detail::EverywhereOf<U> everywhere(const U& update) {
    if constexpr (is_refused<detail::EverywhereOf<U>>)
        return ErrorExpr{};
    else
        return {update};
}

namespace type_rules {

/// The type of the operand of skip_nonfinite, or its fault.
constexpr ExprType check_skipped(const ExprType& value) {
    return check_whole({.name = "skip_nonfinite", .type = WholeType::floats}, {value});
}

}  // namespace type_rules

/// Statement: the step changes nothing if a specified element of the value is infinite or NaN.
template <class Value>
struct [[nodiscard("skip_nonfinite(e) does nothing until it is part of a step")]] SkipNonfinite {
    static constexpr bool is_statement = true;
    static constexpr int leaves = Value::leaves;
    static constexpr std::array<std::string_view, 0> targets{};
    /// Type-checks the statement.
    static constexpr void check(StepChecker& step) {
        step.skip(type_rules::check_skipped(Value::check(step)));
    }
    [[no_unique_address]] Value value;
};

namespace detail {

/// Fault of skip_nonfinite(value).
template <class Value>
consteval DiagnosticId skip_fault() {
    if constexpr (operand_fault<Value>() != DiagnosticId::none) {
        return operand_fault<Value>();
    } else {
        constexpr ExprType expr_type = Operand<Value>::expr_type;
        if (expr_type.has_tensors) return DiagnosticId::tensor_operand;
        if (expr_type.needs_eval) return DiagnosticId::needs_eval;
        return type_rules::check_skipped(expr_type).fault;
    }
}

template <class Value>
consteval auto skip_of() {
    constexpr DiagnosticId fault = skip_fault<Value>();
    if constexpr (fault == DiagnosticId::already_reported)
        return std::type_identity<ErrorExpr>{};
    else if constexpr (fault != DiagnosticId::none)
        return std::type_identity<Refused<fault, Value>>{};
    else
        return std::type_identity<SkipNonfinite<Operand<Value>>>{};
}
template <class Value>
using SkipOf = typename decltype(skip_of<Value>())::type;

}  // namespace detail

/// Statement of a step: if a specified element of `e` is infinite or NaN, the call changes no tensor and no
/// ScalarState.  A step may have several; each reads symbols as they are at its position.  A counter,
/// `steps += 1` of a ScalarState, tells the caller whether the step was done.
/// Cost: one pass before the step, over the values of a list, or over all elements of other layouts.
/// Errors: told by the compiler.
template <class E>
constexpr detail::SkipOf<E> skip_nonfinite(const E& e) {
    if constexpr (is_refused<detail::SkipOf<E>>)
        return ErrorExpr{};
    else
        return {detail::operand(e)};
}

namespace detail {
/// A statement as it is; what is none is refused.
template <class S>
constexpr auto statement(const S& given) {
    if constexpr (is_statement<S>)
        return given;
    else
        return ErrorExpr{};
}
template <class StepName, class... Statements>
using CheckedStep = Step<StepName, decltype(statement(std::declval<const Statements&>()))...>;

/// Fault of an argument of step() that is no statement.
template <class S>
consteval DiagnosticId statement_fault() {
    if (is_refused<S>) return DiagnosticId::already_reported;
    if (is_statement<S>) return DiagnosticId::none;
    return is_binding<S> ? DiagnosticId::binding_in_step : DiagnosticId::not_a_statement;
}

/// The type of a step, which says what is wrong: with its name, with what is no statement, or in the whole.
template <class Made>
consteval auto step_of() {
    if constexpr (!is_identifier(Made::name)) {
        return std::type_identity<Refused<DiagnosticId::step_name, Called<Name<1>("")>, Made>>{};
    } else if constexpr (Made::report.fault == DiagnosticId::none ||
                         Made::report.fault == DiagnosticId::already_reported) {
        return std::type_identity<Made>{};
    } else {
        constexpr std::string_view culprit = Made::report.culprit.empty() ? Made::name : Made::report.culprit;
        using At = Called<Name<culprit.size() + 1>(culprit)>;
        return std::type_identity<Refused<Made::report.fault, At, Made>>{};
    }
}
template <class Made, class First, class... Rest>
consteval auto step_of() {
    constexpr DiagnosticId fault = statement_fault<First>();
    if constexpr (fault == DiagnosticId::none || fault == DiagnosticId::already_reported)
        return step_of<Made, Rest...>();
    else
        return std::type_identity<Refused<fault, First, Made>>{};
}
template <class StepName, class... Statements>
using StepOf = typename decltype(step_of<CheckedStep<StepName, Statements...>, Statements...>())::type;
}  // namespace detail

/// A step: statements that hold in the order in which they are written.
template <Name StepName, class... Statements>
constexpr detail::StepOf<Called<StepName>, Statements...> step(const Statements&... statements) {
    return detail::CheckedStep<Called<StepName>, Statements...>{{detail::statement(statements)...}};
}

/// Says what to write instead.
template <class... Statements>
constexpr ErrorExpr step(const Statements&... /*statements*/) {
    static_assert(diagnose::is_no_step<Statements...>,
                  "frisket: a step has a name: write step<\"name\">(target = expression)");
    return {};
}

namespace aot {

/// A step or a function of the user's header: its name in C++ ("::adagrad"), and its description.
struct NamedStep {
    const char* name;
    Graph (*describe)() = nullptr;  ///< an elementwise step
    /// A step with operations on whole tensors, for the shapes of its parameters.
    Graph (*describe_for)(std::span<const Shape> shapes) = nullptr;
    std::string_view step_name{};  ///< name of such a step
    std::span<const StepSymbol> parameters{};
    std::size_t result_count = 0;  ///< number of results of a function
    /// In place of both functions: the recordings of a step that a program made at run time, one for each
    /// form of shapes (ir/passes/recording.hpp).  Without shapes: an elementwise step.
    std::span<const std::string_view> recordings{};
};

/// An optimizer to compile: its name in C++, and the graphs that it runs for a parameter of a shape, each
/// with the layouts in which its Masked symbol comes; without any: those of the library, dense and strided.
struct NamedOptimizer {
    const char* name;
    std::vector<std::pair<Graph, std::vector<Layout>>> (*graphs)(const Shape& param);
};

}  // namespace aot

}  // namespace frisket

// SPDX-License-Identifier: MIT
#pragma once
#include "statement.hpp"
#include "symbols.hpp"

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace frisket {

/// What the type checker finds of a step: its symbols in order of first appearance, and the first fault.
template <std::size_t Room>
struct StepReport {
    Fault fault = Fault::none;
    std::string_view culprit{};
    bool has_structure = false;
    std::size_t count = 0;
    std::array<StepSymbol, Room> symbols{};
};

template <class... Statements>
consteval auto judge_step() {
    StepReport<(Statements::leaves + ... + 1)> report;
    const std::array<std::string_view, sizeof...(Statements)> targets{Statements::target...};
    StepJudge judge(report.symbols);
    judge.set_targets(targets);
    (Statements::judge(judge), ...);
    judge.finish();
    report.fault = judge.fault();
    report.culprit = judge.culprit();
    report.has_structure = judge.has_structure();
    report.count = judge.symbols().size();
    return report;
}

/// Statements under a name: what `describe`, `jit` and frisket_add_kernels take.
template <class StepName, class... Statements>
struct Step {
    static constexpr std::string_view name = StepName::name;
    static constexpr auto report = judge_step<Statements...>();
    /// Whether it holds operations on whole tensors: its graph is made for the shapes of a call.
    static constexpr bool has_structure = report.has_structure;
    static constexpr std::size_t parameter_count = [] {
        std::size_t count = 0;
        for (std::size_t i = 0; i < report.count; ++i) count += report.symbols[i].kind != SymbolKind::let;
        return count;
    }();
    /// What a call binds, in order of first appearance.
    static constexpr auto parameters = [] {
        std::array<StepSymbol, parameter_count> found{};
        std::size_t count = 0;
        for (std::size_t i = 0; i < report.count; ++i) {
            if (report.symbols[i].kind != SymbolKind::let) found[count++] = report.symbols[i];
        }
        return found;
    }();

    std::tuple<Statements...> statements;
};

/// `m` in front of the updates of a step: all of them are restricted to what it specifies.
template <class M>
constexpr auto over(const M& /*masked*/) {
    if constexpr (is_refused<M>) {
        return Refused{};
    } else if constexpr (requires { requires M::symbol_kind == SymbolKind::masked; }) {
        return Over<M>{};
    } else {
        refuse<Fault::over_not_masked, M>();
        return Refused{};
    }
}

/// An update of all elements in a step that has masked ones.
template <class U>
constexpr auto everywhere(const U& update) {
    if constexpr (is_tensor_update<U>) {
        return Everywhere<U>{update};
    } else {
        if constexpr (!is_refused<U>) refuse<Fault::everywhere_other, U>();
        return Refused{};
    }
}

namespace detail {
/// What is wrong with what is no statement.
template <class S>
consteval Fault statement_fault() {
    if (is_refused<S>) return Fault::said;
    return is_binding<S> ? Fault::binding_in_step : Fault::not_a_statement;
}

/// A statement as it is; what is none is refused.
template <class S>
constexpr auto statement(const S& given) {
    if constexpr (is_statement<S>) {
        return given;
    } else {
        refuse<statement_fault<S>(), S>();
        return Refused{};
    }
}
}  // namespace detail

/// A step: statements that hold in the order in which they are written.
template <Name StepName, class... Statements>
constexpr auto step(const Statements&... statements) {
    static_assert(is_identifier(StepName.view()),
                  "frisket: a name is made of letters, digits and _, and does not start with a digit");
    using Made = Step<Called<StepName>, decltype(detail::statement(statements))...>;
    if constexpr (Made::report.fault != Fault::none) {
        constexpr std::string_view culprit = Made::report.culprit.empty() ? Made::name : Made::report.culprit;
        refuse<Made::report.fault, Called<Name<culprit.size() + 1>(culprit)>>();
    }
    return Made{{detail::statement(statements)...}};
}

}  // namespace frisket

// SPDX-License-Identifier: MIT
#pragma once
#include "describe.hpp"

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <utility>

/// A step among the statements of another: an optimizer's rule in a training step.
namespace frisket::detail {

/// Names of a rule's symbols in a step that applies it to a parameter: its InOut `param` is the parameter,
/// its state and its Lets get the parameter's name in front, NAME_sum; numbers and In symbols keep theirs.
template <class Rule, class Target>
struct RuleNames {
    static constexpr std::size_t count = Rule::report.count;

    static constexpr bool has_own(const StepSymbol& symbol) {
        return symbol.name != rule_symbol::param &&
               (symbol.kind == SymbolKind::in_out || symbol.kind == SymbolKind::scalar_state ||
                symbol.kind == SymbolKind::let);
    }
    static constexpr std::size_t length = [] {
        std::size_t letters = 1;
        for (std::size_t i = 0; i < count; ++i)
            letters += Target::name.size() + 1 + Rule::report.symbols[i].name.size();
        return letters;
    }();
    static constexpr std::array<char, length> letters = [] {
        std::array<char, length> made{};
        auto* to = made.data();
        for (std::size_t i = 0; i < count; ++i) {
            to = std::copy_n(Target::name.data(), Target::name.size(), to);
            *to++ = '_';
            const std::string_view own = Rule::report.symbols[i].name;
            to = std::copy_n(own.data(), own.size(), to);
        }
        return made;
    }();
    static constexpr std::array<RenamedSymbol, count> all = [] {
        std::array<RenamedSymbol, count> made{};
        std::size_t at = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const StepSymbol& symbol = Rule::report.symbols[i];
            const std::size_t size = Target::name.size() + 1 + symbol.name.size();
            const std::string_view longer(letters.data() + at, size);
            at += size;
            made[i] = {symbol.name, has_own(symbol)                     ? longer
                                    : symbol.name == rule_symbol::param ? Target::name
                                                                        : symbol.name};
        }
        return made;
    }();

    /// Names in the step of what the rule updates.
    static constexpr auto is_target = [](const StepSymbol& symbol) {
        return symbol.kind == SymbolKind::in_out || symbol.kind == SymbolKind::scalar_state;
    };
    static constexpr std::size_t target_count = [] {
        std::size_t found = 0;
        for (std::size_t i = 0; i < count; ++i) found += is_target(Rule::report.symbols[i]);
        return found;
    }();
    static constexpr std::array<std::string_view, target_count> targets = [] {
        std::array<std::string_view, target_count> made{};
        std::size_t found = 0;
        for (std::size_t i = 0; i < count; ++i)
            if (is_target(Rule::report.symbols[i])) made[found++] = all[i].to;
        return made;
    }();
};

/// The statements of a rule, applied to a parameter.
template <class Rule, class Target, class Gradient>
struct [[nodiscard("an update does nothing until it is part of a step")]] InlinedStep;

template <class RuleName, class... Statements, class Target, class Gradient>
struct [[nodiscard("an update does nothing until it is part of a step")]]
InlinedStep<Step<RuleName, Statements...>, Target, Gradient> {
    using Rule = Step<RuleName, Statements...>;
    using Names = RuleNames<Rule, Target>;
    static constexpr int leaves = static_cast<int>(Names::count) + Gradient::leaves + 1;
    static constexpr auto targets = Names::targets;
    static constexpr void check(StepChecker& step) {
        step.meet(Target::name, SymbolKind::in_out, Target::dtype);
        const ExprType gradient = Gradient::check(step);
        step.check_inlined({Names::all, gradient}, Target::name,
                           [](StepChecker& inner) { (Statements::check(inner), ...); });
    }
    [[no_unique_address]] Rule rule;
    [[no_unique_address]] Gradient gradient;
};

template <class Rule, class Target, class Gradient>
void emit_statement(GraphEmitter& lowering, const InlinedStep<Rule, Target, Gradient>& inlined) {
    lowering.symbol(Target::name, SymbolKind::in_out, Target::dtype);
    const NodeId gradient = emit(lowering, inlined.gradient);
    lowering.inlined({InlinedStep<Rule, Target, Gradient>::Names::all, gradient},
                     [&] { emit_statements(lowering, inlined.rule); });
}

/// The symbol of a rule that has a name, or nullptr.
template <class Rule>
constexpr const StepSymbol* symbol_of_rule(std::string_view name) {
    for (std::size_t i = 0; i < Rule::report.count; ++i)
        if (Rule::report.symbols[i].name == name) return &Rule::report.symbols[i];
    return nullptr;
}

/// Fault of the update of a parameter by a rule.
template <class Rule, class Target, class Gradient>
consteval DiagnosticId inlined_fault() {
    if constexpr (is_refused<Rule> || is_refused<Target>) {
        return DiagnosticId::already_reported;
    } else if constexpr (!SomeStep<Rule>) {
        return DiagnosticId::rule_of_other;
    } else {
        const StepSymbol* const param = symbol_of_rule<Rule>(rule_symbol::param);
        const StepSymbol* const grad = symbol_of_rule<Rule>(rule_symbol::grad);
        if (param == nullptr || param->kind != SymbolKind::in_out || grad == nullptr ||
            grad->kind != SymbolKind::masked)
            return DiagnosticId::rule_of_other;
        if constexpr (!requires { requires Target::symbol_kind == SymbolKind::in_out; })
            return DiagnosticId::rule_for_other;
        else if (param->dtype != Target::dtype)
            return DiagnosticId::rule_of_type;
        else
            return operand_fault<Gradient>();
    }
}

template <class Rule, class Target, class Gradient>
consteval auto inlined() {
    constexpr DiagnosticId fault = inlined_fault<Rule, Target, Gradient>();
    if constexpr (fault == DiagnosticId::already_reported)
        return std::type_identity<ErrorExpr>{};
    else if constexpr (fault != DiagnosticId::none)
        return std::type_identity<
            Refused<fault, std::conditional_t<fault == operand_fault<Gradient>(), Gradient, Target>>>{};
    else
        return std::type_identity<InlinedStep<Rule, Target, Operand<Gradient>>>{};
}
template <class Rule, class Target, class Gradient>
using Inlined = typename decltype(inlined<Rule, Target, Gradient>())::type;

}  // namespace frisket::detail

namespace frisket {

template <class Rule, class Target, class Gradient>
inline constexpr bool is_statement<detail::InlinedStep<Rule, Target, Gradient>> = true;

}  // namespace frisket

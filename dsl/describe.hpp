// SPDX-License-Identifier: MIT
// Turns the types of a step into a graph.
#pragma once
#include "../ir/graph.hpp"
#include "../ir/passes/transforms.hpp"
#include "graph_emitter.hpp"
#include "step.hpp"
#include "tensor_ops.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

/// The seam: types above become a Graph below, instruction by instruction in the order of the source.
namespace frisket {

namespace detail {

inline NodeId emit(GraphEmitter& /*lowering*/, const ErrorExpr& /*expression*/) { return no_node; }

template <class T>
NodeId emit(GraphEmitter& lowering, const Constant<T>& constant) {
    return lowering.graph().constant(constant.value);
}

template <Name SymbolName, SymbolKind Kind, class T>
NodeId emit(GraphEmitter& lowering, const Named<SymbolName, Kind, T>& /*symbol*/) {
    return lowering.symbol(SymbolName.view(), Kind, Named<SymbolName, Kind, T>::dtype);
}

template <class Handle>
NodeId emit(GraphEmitter& lowering, const Leaf<Handle>& leaf) {
    return lowering.leaf(leaf.tensor);
}

inline NodeId emit(GraphEmitter& /*lowering*/, const Variable& variable) { return variable.expr.id; }

template <class T, ExprCategory Category>
NodeId emit(GraphEmitter& lowering, const Held<T, Category>& expression);

template <class Node>
    requires requires { typename Node::WholeOperation; }
NodeId emit(GraphEmitter& lowering, const Node& node);

// One operand after the other, in the order of the source: in an argument list the order would be open.
template <class Node>
    requires requires { typename Node::Operation; }
NodeId emit(GraphEmitter& lowering, const Node& node) {
    using Op = typename Node::Operation;
    const NodeId a = emit(lowering, node.a);
    if constexpr (requires { node.c; }) {
        const NodeId b = emit(lowering, node.b);
        const NodeId c = emit(lowering, node.c);
        return lowering.graph().apply<Op>({a, b, c});
    } else if constexpr (requires { node.b; }) {
        const NodeId b = emit(lowering, node.b);
        if constexpr (std::is_same_v<Op, op::On>)
            return lowering.on(a, b);
        else if constexpr (std::is_same_v<Op, op::ToDense>)
            return lowering.graph().to_dense(a, b);
        else
            return lowering.graph().apply<Op>({a, b});
    } else {
        return lowering.graph().apply<Op>({a});
    }
}

/// An operation on whole tensors over operands that are instructions already.
template <class Op, class... Operands>
NodeId emit_whole(GraphEmitter& lowering, const Op& op, const Operands&... operands) {
    if constexpr (requires { op.lower(lowering, operands...); })
        return op.lower(lowering, operands...).id;
    else
        return op.lower(operands...).id;
}

template <class Node>
    requires requires { typename Node::WholeOperation; }
NodeId emit(GraphEmitter& lowering, const Node& node) {
    GraphBuilder& graph = lowering.graph();
    std::vector<ir::Value> parts;
    for_each_operand(node, [&](const auto& operand) { parts.push_back({&graph, emit(lowering, operand)}); });
    NodeId made = no_node;
    if constexpr (requires { node.parts; })
        made = emit_whole(lowering, node.op, parts);
    else if constexpr (requires { node.b; })
        made = emit_whole(lowering, node.op, parts[0], parts[1]);
    else
        made = emit_whole(lowering, node.op, parts[0]);
    ir::note_call(made, Node::WholeOperation::info.name, parts);
    return made;
}

inline void emit_statement(GraphEmitter& /*lowering*/, const ErrorExpr& /*statement*/) {}

template <class Target, class Value>
void emit_statement(GraphEmitter& lowering, const Assignment<Target, Value>& update,
                    Scope scope = Scope::inferred) {
    lowering.symbol(Target::name, Target::symbol_kind, Target::dtype);
    const NodeId value = emit(lowering, update.value);
    lowering.update(Target::name, value, scope);
}

template <class Said>
void emit_statement(GraphEmitter& lowering, const Everywhere<Said>& everywhere) {
    emit_statement(lowering, everywhere.update, Scope::everywhere);
}

template <class Target, class Value>
void emit_statement(GraphEmitter& lowering, const Definition<Target, Value>& definition) {
    const NodeId value = emit(lowering, definition.value);
    lowering.let(Target::name, value);
}

template <class Masked>
void emit_statement(GraphEmitter& lowering, const Over<Masked>& /*over*/) {
    lowering.over(emit(lowering, Masked{}));
}

template <class Value>
void emit_statement(GraphEmitter& lowering, const SkipNonfinite<Value>& skip) {
    lowering.graph().skip_nonfinite(emit(lowering, skip.value));
}

}  // namespace detail

namespace detail {
/// The statements of a step after those that are there already.
template <class StepName, class... Statements>
void emit_statements(GraphEmitter& lowering, const Step<StepName, Statements...>& step) {
    [&]<std::size_t... I>(std::index_sequence<I...> /*statements*/) {
        (emit_statement(lowering, std::get<I>(step.statements)), ...);
    }(std::index_sequence_for<Statements...>{});
}

/// Shapes of the parameters of a step or a function that are tensors, with their names.
template <class Described>
std::vector<NamedShape> named_shapes(std::span<const Shape> shapes) {
    if (shapes.size() != Described::parameter_count)
        throw BindingError(std::string(Described::name) + ": " + std::to_string(shapes.size()) +
                           " shapes for " + std::to_string(Described::parameter_count) + " parameters");
    std::vector<NamedShape> named;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        const StepSymbol& parameter = Described::parameters[i];
        const bool is_number =
            parameter.kind == SymbolKind::scalar || parameter.kind == SymbolKind::scalar_state;
        if (!is_number) named.push_back({parameter.name, shapes[i]});
    }
    return named;
}

template <class StepName, class... Statements>
Graph describe(const Step<StepName, Statements...>& step, std::span<const NamedShape> shapes) {
    GraphBuilder builder{std::string(StepName::name)};
    GraphEmitter lowering(builder, shapes);
    emit_statements(lowering, step);
    return builder.finish();
}
}  // namespace detail

/// A step as data.  Symbols come in order of first appearance; a symbol read after its update means the new
/// value.
/// Errors: GraphBuilder's, for what types cannot say (MaskMismatch of masks that depend on values).
template <class StepName, class... Statements>
Graph describe(const Step<StepName, Statements...>& step) {
    static_assert(!Step<StepName, Statements...>::has_structure,
                  "frisket: a step of whole tensors is made for given shapes: write describe(step, shapes)");
    return detail::describe(step, {});
}

/// The step as data for tensors of given shapes, in the order of the step's parameters; numbers have [].
/// Errors: as above; ShapeError, DimError and IndexError of operations on whole tensors.
template <class StepName, class... Statements>
Graph describe(const Step<StepName, Statements...>& step, std::span<const Shape> shapes) {
    return detail::describe(step, detail::named_shapes<Step<StepName, Statements...>>(shapes));
}

/// A step in which unspecified elements are zero; jit() and frisket_add_kernels take it as any other.
template <class S>
struct DenseEquivalent : S {};

/// The step in which unspecified elements of its masked symbols are zero: every element is updated.
template <class StepName, class... Statements>
constexpr auto dense_equivalent(const Step<StepName, Statements...>& step) {
    return DenseEquivalent<Step<StepName, Statements...>>{step};
}

/// The graph of the step after that change.  Errors: as describe(step).
template <class S>
Graph describe(const DenseEquivalent<S>& step) {
    return dense_equivalent(describe(static_cast<const S&>(step)));
}
/// The graph for these shapes after that change.  Errors: as describe(step, shapes).
template <class S>
Graph describe(const DenseEquivalent<S>& step, std::span<const Shape> shapes) {
    return dense_equivalent(describe(static_cast<const S&>(step), shapes));
}

/// Steps that `describe` and `jit` accept.
template <class S>
concept SomeStep = requires(const S& step) {
    { S::has_structure } -> std::convertible_to<bool>;
    S::parameters;
    step.statements;
};

}  // namespace frisket

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
    static constexpr bool is_statement = true;
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

/// The symbol of a rule that has a name, or nothing.
template <class Rule>
constexpr std::optional<StepSymbol> symbol_of_rule(std::string_view name) {
    for (std::size_t i = 0; i < Rule::report.count; ++i)
        if (Rule::report.symbols[i].name == name) return Rule::report.symbols[i];
    return {};
}

/// Fault of the update of a parameter by a rule.
template <class Rule, class Target, class Gradient>
consteval DiagnosticId inlined_fault() {
    if constexpr (is_refused<Rule> || is_refused<Target>) {
        return DiagnosticId::already_reported;
    } else if constexpr (!SomeStep<Rule>) {
        return DiagnosticId::rule_of_other;
    } else {
        const std::optional<StepSymbol> param = symbol_of_rule<Rule>(rule_symbol::param);
        const std::optional<StepSymbol> grad = symbol_of_rule<Rule>(rule_symbol::grad);
        if (!param || param->kind != SymbolKind::in_out || !grad || grad->kind != SymbolKind::masked)
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

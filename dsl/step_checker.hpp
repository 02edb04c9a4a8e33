// SPDX-License-Identifier: MIT
#pragma once
#include "expr_type.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace frisket {

/// A symbol of a step, as the type checker meets it.
struct StepSymbol {
    std::string_view name{};
    SymbolKind kind = SymbolKind::in;
    DType dtype = DType::float32;
    bool is_updated = false;
    bool is_defined = false;  ///< Let
    ExprType value{};         ///< Let: what it was defined as
};

/// Names by which a step reads a parameter and its gradient where another applies it to one.
namespace rule_symbol {
inline constexpr std::string_view param = "param", grad = "grad";
}  // namespace rule_symbol

/// The name of a symbol of a rule in the step that applies the rule.
struct RenamedSymbol { std::string_view from, to; };

/// The name that a symbol has among some that are renamed: its own if it is none of them.
constexpr std::string_view renamed(std::span<const RenamedSymbol> names, std::string_view name) {
    const auto known = std::ranges::find(names, name, &RenamedSymbol::from);
    return known == names.end() ? name : known->to;
}

/// Goes through the statements of a step in order, at compile time: notes its symbols and the first fault.
class StepChecker {
public:
    constexpr explicit StepChecker(std::span<StepSymbol> room) : room_(room) {}

    constexpr DiagnosticId fault() const { return fault_; }
    constexpr std::string_view culprit() const { return culprit_; }  ///< the symbol at fault, or empty
    /// True if a statement holds operations on whole tensors.
    constexpr bool has_structure() const { return has_structure_; }
    constexpr std::span<const StepSymbol> symbols() const { return room_.first(count_); }

    /// Notes a fault; the first one stays.
    constexpr void note(DiagnosticId fault, std::string_view culprit = {}) {
        if (fault_ != DiagnosticId::none || fault == DiagnosticId::none) return;
        fault_ = fault;
        culprit_ = culprit;
    }

    /// The symbol of this name, new or known.
    constexpr StepSymbol& meet(std::string_view name, SymbolKind kind, DType dtype) {
        name = renamed(rule_.names, name);
        StepSymbol* known = std::ranges::find(room_.data(), room_.data() + count_, name, &StepSymbol::name);
        if (known == room_.data() + count_) {
            *known = {.name = name, .kind = kind, .dtype = dtype};
            ++count_;
        } else if (known->kind != kind || known->dtype != dtype) {
            note(DiagnosticId::two_meanings, name);
        }
        return *known;
    }

    /// The type of a symbol where it is read; `expr_type` is the one that its kind alone says.
    constexpr ExprType read(std::string_view name, SymbolKind kind, DType dtype, ExprType expr_type) {
        if (kind == SymbolKind::masked && is_in_rule_ && name == rule_symbol::grad)
            return rules::holding(expr_type, {rule_.gradient});
        const StepSymbol& symbol = meet(name, kind, dtype);
        if (kind == SymbolKind::let) {
            if (!symbol.is_defined) note(DiagnosticId::let_undefined, name);
            if (!symbol.is_defined) return {.category = ExprCategory::error};
            ExprType value = symbol.value;
            value.differentiated = 0;  // judged where it was defined
            return value;
        }
        expr_type.reads = bit_of(symbol);
        expr_type.reads_updated =
            kind == SymbolKind::in_out && std::ranges::find(targets_, symbol.name) != targets_.end();
        return expr_type;
    }

    constexpr void define(std::string_view name, const ExprType& value) {
        note(value.fault != DiagnosticId::none ? value.fault : value.in_steps, name);
        check_gradients(value);
        StepSymbol& let = meet(name, SymbolKind::let, DType::float32);
        if (let.is_defined) note(DiagnosticId::let_twice, name);
        let.is_defined = true;
        let.value = value;
        has_structure_ |= value.has_structure;
    }

    constexpr void over(const ExprType& masked) {
        if (updates_ > 0 || is_over_) note(DiagnosticId::over_not_first, masked.mask);
        is_over_ = true;
    }

    constexpr void update(std::string_view name, SymbolKind kind, DType dtype, const ExprType& value,
                          bool everywhere) {
        ++updates_;
        has_structure_ |= value.has_structure;
        check_gradients(value);
        updated_ |= bit_of(meet(name, kind, dtype));
        note(value.fault, name);
        if (value.category == ExprCategory::error) return;
        note(value.in_steps, name);
        note(rules::check_update(kind, dtype, value), name);
        if (kind != SymbolKind::in_out) return;
        const bool is_masked = value.category == ExprCategory::masked;
        if (is_masked && value.mask_from_updated) note(DiagnosticId::mask_from_updated, name);
        if (is_masked && everywhere) note(DiagnosticId::everywhere_masked, name);
        if (is_masked || is_over_)
            has_masked_ = true;
        else if (!everywhere && dense_.empty())
            dense_ = name;
    }

    /// A step as statements of this one.
    struct Rule {
        std::span<const RenamedSymbol> names{};
        ExprType gradient{};  ///< type of its gradient here
    };
    /// Goes through the statements of a rule, which are judged by themselves, as `check` does.
    constexpr void check_inlined(const Rule& rule, std::string_view param, const auto& check) {
        const ExprType& gradient = rule.gradient;
        note(gradient.fault != DiagnosticId::none ? gradient.fault : gradient.in_steps, param);
        check_gradients(gradient);
        if (is_over_) note(DiagnosticId::rule_over, param);
        if (gradient.category == ExprCategory::scalar) note(DiagnosticId::number_for_tensor, param);
        StepChecker inner = *this;
        inner.rule_ = rule;
        inner.is_in_rule_ = true;
        inner.updates_ = 0;
        inner.has_masked_ = inner.is_over_ = false;
        inner.dense_ = {};
        check(inner);
        inner.finish();
        note(inner.fault_, inner.culprit_);
        count_ = inner.count_;
        updated_ = inner.updated_;
        has_structure_ |= inner.has_structure_ || gradient.has_structure;
        ++updates_;
    }

    /// Notes faults that show only after the last statement.
    constexpr void finish() {
        if (updates_ == 0) note(DiagnosticId::no_update);
        if (has_masked_ && !dense_.empty()) note(DiagnosticId::dense_update, dense_);
    }

    /// Names of what the step updates, known before the first statement is judged.
    constexpr void set_targets(std::span<const std::string_view> targets) { targets_ = targets; }

private:
    /// The bit of a symbol of the step; those after the 63rd share one.
    constexpr std::uint64_t bit_of(const StepSymbol& symbol) const {
        return std::uint64_t{1} << std::min<std::ptrdiff_t>(&symbol - room_.data(), 63);
    }
    /// Notes gradients of losses that read what was updated before.
    constexpr void check_gradients(const ExprType& value) {
        if ((value.differentiated & updated_) == 0) return;
        for (const StepSymbol& symbol : symbols())
            if ((value.differentiated & updated_ & bit_of(symbol)) != 0)
                note(DiagnosticId::gradient_after_update, symbol.name);
    }

    std::span<StepSymbol> room_;
    std::size_t count_ = 0;
    std::uint64_t updated_ = 0;  // symbols that statements so far update
    std::span<const std::string_view> targets_{};
    DiagnosticId fault_ = DiagnosticId::none;
    std::string_view culprit_{};
    std::string_view dense_{};  // the first target of a dense update that does not say everywhere
    int updates_ = 0;
    bool has_masked_ = false;
    bool has_structure_ = false;
    bool is_over_ = false;
    Rule rule_{};
    bool is_in_rule_ = false;
};

}  // namespace frisket

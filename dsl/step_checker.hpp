// SPDX-License-Identifier: MIT
#pragma once
#include "expr_type.hpp"

#include <algorithm>
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

/// Goes through the statements of a step in order, at compile time: notes its symbols and the first fault.
class StepChecker {
public:
    constexpr explicit StepChecker(std::span<StepSymbol> room) : room_(room) {}

    constexpr DiagnosticId fault() const { return fault_; }
    constexpr std::string_view culprit() const { return culprit_; }  ///< the symbol at fault, or empty
    /// Whether a statement holds operations on whole tensors.
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
        const StepSymbol& symbol = meet(name, kind, dtype);
        if (kind == SymbolKind::let) {
            if (!symbol.is_defined) note(DiagnosticId::let_undefined, name);
            return symbol.is_defined ? symbol.value : ExprType{.category = ExprCategory::error};
        }
        expr_type.reads_updated =
            kind == SymbolKind::in_out && std::ranges::find(targets_, name) != targets_.end();
        return expr_type;
    }

    constexpr void define(std::string_view name, const ExprType& value) {
        note(value.fault != DiagnosticId::none ? value.fault : value.in_steps, name);
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

    /// What can only be said at the end.
    constexpr void finish() {
        if (updates_ == 0) note(DiagnosticId::no_update);
        if (has_masked_ && !dense_.empty()) note(DiagnosticId::dense_update, dense_);
    }

    /// Names of what the step updates, known before the first statement is judged.
    constexpr void set_targets(std::span<const std::string_view> targets) { targets_ = targets; }

private:
    std::span<StepSymbol> room_;
    std::size_t count_ = 0;
    std::span<const std::string_view> targets_{};
    DiagnosticId fault_ = DiagnosticId::none;
    std::string_view culprit_{};
    std::string_view dense_{};  // the first target of a dense update that does not say everywhere
    int updates_ = 0;
    bool has_masked_ = false;
    bool has_structure_ = false;
    bool is_over_ = false;
};

}  // namespace frisket

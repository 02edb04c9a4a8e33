// SPDX-License-Identifier: MIT
// Defines the symbols: named inputs, parameters and numbers of a step.
#pragma once
#include "functions.hpp"
#include "operators.hpp"
#include "statement.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

namespace frisket {

/// A text as a template argument: the name of a symbol or of a step.
template <std::size_t Size>
struct Name {
    char text[Size]{};

    /// A text of the source.
    consteval Name(const char (&literal)[Size]) { std::copy_n(literal, Size, text); }
    /// Copies a text, as far as there is room.
    constexpr explicit Name(std::string_view view) {
        std::copy_n(view.data(), std::min(view.size(), Size - 1), text);
    }

    /// The text.
    constexpr std::string_view view() const { return {text, Size - 1}; }
};

/// True if a name can also be one in C, as the names of kernels and of their arguments are.
constexpr bool is_identifier(std::string_view name) {
    const auto is_letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    return !name.empty() && is_letter(name[0]) &&
           std::ranges::all_of(name, [&](char c) { return is_letter(c) || is_digit(c); });
}

/// A name as a type: of a step, or in the compiler's note below a sentence.
template <Name Text>
struct Called {
    static constexpr std::string_view name = Text.view();
};

}  // namespace frisket

/// Symbols: the leaves of expressions, empty types that carry a name, a kind and a type.
namespace frisket {

namespace detail {
template <class T>
inline constexpr bool is_scalar_type = std::is_same_v<T, double> || std::is_same_v<T, std::int64_t>;

template <SymbolKind Kind>
inline constexpr bool is_number = Kind == SymbolKind::scalar || Kind == SymbolKind::scalar_state;
/// A symbol of this kind may be of T.
template <class T, SymbolKind Kind>
inline constexpr bool has_type = is_number<Kind> ? is_scalar_type<T> : is_element<T>;
template <class T, SymbolKind Kind>
inline constexpr bool has_elements = is_number<Kind> || has_type<T, Kind>;
template <class T, SymbolKind Kind>
inline constexpr bool has_number = !is_number<Kind> || has_type<T, Kind>;

template <class T>
consteval DType symbol_dtype() {
    if constexpr (is_element<T> || is_scalar_type<T>)
        return dtype_of<T>;
    else
        return DType::float32;  // refused by the symbol
}

constexpr ExprType symbol_type(SymbolKind kind, DType dtype, std::string_view name) {
    ExprType expr_type{.category = ExprCategory::dense, .type = {.dtype = compute_dtype(dtype)}};
    expr_type.has_symbols = true;
    expr_type.type.is_host_scalar = kind == SymbolKind::scalar || kind == SymbolKind::scalar_state;
    if (expr_type.type.is_host_scalar) expr_type.category = ExprCategory::scalar;
    if (kind == SymbolKind::let) expr_type.category = ExprCategory::open;
    if (kind == SymbolKind::masked) {
        expr_type.category = ExprCategory::masked;
        expr_type.mask = name;
    }
    return expr_type;
}
}  // namespace detail

/// A symbol.  Users write its kinds: InOut, In, Masked, Scalar, ScalarState, Let.
template <Name SymbolName, SymbolKind Kind, class T>
struct Named : Subscripts<Named<SymbolName, Kind, T>> {
    static constexpr std::string_view name = SymbolName.view();
    static constexpr SymbolKind symbol_kind = Kind;
    static constexpr DType dtype = detail::symbol_dtype<T>();
    static constexpr int leaves = 1;
    static constexpr ExprType expr_type = detail::symbol_type(Kind, dtype, name);
    /// The type of the symbol, noted by the type checker of steps.
    static constexpr ExprType check(StepChecker& step) { return step.read(name, Kind, dtype, expr_type); }

    /// A symbol of this name, kind and type.
    constexpr Named() = default;
    /// Says what is wrong with the symbol.  A class with a failed assertion is no literal type to clang.
    constexpr Named()
        requires(!(is_identifier(SymbolName.view()) && detail::has_type<T, Kind>))
    {
        static_assert(is_identifier(SymbolName.view()),
                      "frisket: a name is made of letters, digits and _, and does not start with a digit");
        static_assert(
            detail::has_elements<T, Kind>,
            "frisket: elements are float, double, float16, bfloat16, bool, std::uint8_t, int32_t or int64_t");
        static_assert(detail::has_number<T, Kind>, "frisket: a Scalar is a double or a std::int64_t");
    }
    constexpr Named(const Named&) = default;

    /// An update, a definition or a binding, by kind: docs/language.md.
    template <class Value>
    constexpr detail::Assigned<Named, Value> operator=(Value&& value) const {
        return detail::assign<Named>(std::forward<Value>(value));
    }
    /// Makes a statement of an assignment from another object of this type: `=` would silently copy
    /// otherwise.
    constexpr detail::AssignedSelf<Named, Kind> operator=(const Named& value) const {
        return detail::assign<Named>(value);
    }
};

/// A dense tensor that the step reads and writes.
template <Name SymbolName, class T = float>
using InOut = Named<SymbolName, SymbolKind::in_out, T>;
/// A dense tensor that the step reads.
template <Name SymbolName, class T = float>
using In = Named<SymbolName, SymbolKind::in, T>;
/// A masked tensor that the step reads; a dense tensor bound to it has every element specified.
template <Name SymbolName, class T = float>
using Masked = Named<SymbolName, SymbolKind::masked, T>;
/// A host scalar, double or std::int64_t; it takes the dtype of the other operand.
template <Name SymbolName, class T = double>
using Scalar = Named<SymbolName, SymbolKind::scalar, T>;
/// A number that is preserved from call to call: bound to a double, which the step updates.
template <Name SymbolName>
using ScalarState = Named<SymbolName, SymbolKind::scalar_state, double>;
/// A name for an expression of the step, defined at its place: `d = expression`.
template <Name SymbolName>
using Let = Named<SymbolName, SymbolKind::let, float>;

/// Update of a symbol in a step: target = target + value.
template <class S, class Value>
    requires NamedSymbol<S>
constexpr detail::Updated<op::Add, S, Value> operator+=(const S& target, const Value& value) {
    return detail::update_by<op::Add>(target, value);
}
/// Update of a symbol in a step: target = target - value.
template <class S, class Value>
    requires NamedSymbol<S>
constexpr detail::Updated<op::Sub, S, Value> operator-=(const S& target, const Value& value) {
    return detail::update_by<op::Sub>(target, value);
}
/// Update of a symbol in a step: target = target * value.
template <class S, class Value>
    requires NamedSymbol<S>
constexpr detail::Updated<op::Mul, S, Value> operator*=(const S& target, const Value& value) {
    return detail::update_by<op::Mul>(target, value);
}
/// Update of a symbol in a step: target = target / value.
template <class S, class Value>
    requires NamedSymbol<S>
constexpr detail::Updated<op::Div, S, Value> operator/=(const S& target, const Value& value) {
    return detail::update_by<op::Div>(target, value);
}

}  // namespace frisket

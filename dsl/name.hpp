// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstddef>
#include <string_view>

namespace frisket {

/// A text as a template argument: the name of a symbol or of a step.
template <std::size_t Size>
struct Name {
    char text[Size]{};

    /// A text of the source.
    consteval Name(const char (&literal)[Size]) { std::copy_n(literal, Size, text); }
    /// As much of a text as there is room for.
    constexpr explicit Name(std::string_view view) {
        std::copy_n(view.data(), std::min(view.size(), Size - 1), text);
    }

    /// The text.
    constexpr std::string_view view() const { return {text, Size - 1}; }
};

/// Whether a name can also be one in C, as the names of kernels and of their arguments are.
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

// SPDX-License-Identifier: MIT
// Joins texts of a range.
#pragma once
#include <functional>
#include <ranges>
#include <string>
#include <string_view>

namespace frisket::runtime {

/// Texts of a range, one after the other: joined(rows, &Row::name) is "a, b, c".
template <std::ranges::input_range Range, class Text = std::identity>
std::string joined(Range&& range, Text text = {}, std::string_view between = ", ") {
    std::string all;
    bool is_first = true;
    for (const auto& element : range) {
        if (!is_first) all += between;
        is_first = false;
        all += std::string_view(std::invoke(text, element));
    }
    return all;
}

/// A joined list with a word before its last text: in_words("a, b, c", "or") is "a, b or c".
inline std::string in_words(std::string list, std::string_view word) {
    const std::size_t last = list.rfind(", ");
    if (last != std::string::npos) list.replace(last, 1, " " + std::string(word));
    return list;
}

}  // namespace frisket::runtime

// SPDX-License-Identifier: MIT
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

}  // namespace frisket::runtime

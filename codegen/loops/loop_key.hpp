// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <concepts>
#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <string_view>

#include "../../ir/graph.hpp"

namespace frisket::codegen {

/// Values as text, in a form that no other values have: the inputs of loops.
class KeyText {
public:
    KeyText& add(std::string_view text);
    KeyText& add(const std::string& text) { return add(std::string_view(text)); }
    KeyText& add(const char* text) { return add(std::string_view(text)); }
    template <class Number>
        requires std::integral<Number> || std::is_enum_v<Number>
    KeyText& add(Number number) {
        text_ += std::to_string(static_cast<std::int64_t>(number)) + " ";
        return *this;
    }
    KeyText& add(double number);
    template <std::ranges::sized_range List>
    KeyText& add(const List& list) {
        add(list.size());
        for (const auto& one : list) add(one);
        return *this;
    }
    KeyText& add(const Graph& graph);  ///< everything that == compares

    const std::string& text() const noexcept { return text_; }

private:
    KeyText& add(const Node& node);
    KeyText& add(const Symbol& symbol);
    KeyText& add(const Check& check);
    KeyText& add(const std::array<NodeId, 2>& pair) { return add(pair[0]).add(pair[1]); }

    std::string text_;
};

}  // namespace frisket::codegen

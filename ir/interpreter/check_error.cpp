// SPDX-License-Identifier: MIT
#include "interpret.hpp"

#include <string>
#include <string_view>

namespace frisket {

void raise_check(const Graph& graph, const Check& check, const Shape& place, std::int64_t value) {
    std::string text = check.text;
    const auto fill = [&](std::string_view hole, const std::string& with) {
        if (const auto at = text.find(hole); at != std::string::npos) text.replace(at, hole.size(), with);
    };
    fill("{}", to_string(place));
    if (check.value != no_node) fill("{value}", std::to_string(value));
    raise(check.code, graph.name + ": " + text);
}

}  // namespace frisket

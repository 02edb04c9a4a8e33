// SPDX-License-Identifier: MIT
#include "show.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <string>

#include "../support/joined.hpp"
#include "error.hpp"

namespace frisket::runtime {

namespace {

constexpr std::string_view stages[] = {"graph", "plan", "schedule", "loops", "cache"};

}  // namespace

bool shows(std::string_view stage) {
    const char* wanted = std::getenv("FRISKET_SHOW");
    std::string_view list = wanted ? wanted : "";
    bool found = false;
    while (!list.empty()) {
        const auto comma = list.find(',');
        const std::string_view named = list.substr(0, comma);
        if (!named.empty() && std::ranges::find(stages, named) == std::end(stages))
            throw ValueError("FRISKET_SHOW names \"" + std::string(named) +
                             "\", wanted a list, with commas, of " +
                             joined(stages, [](std::string_view one) { return std::string(one); }));
        found |= named == stage;
        list = comma == list.npos ? "" : list.substr(comma + 1);
    }
    return found;
}

void show(std::string_view stage, std::string_view title, std::string_view text) {
    std::string out = "--- " + std::string(stage) + ": " + std::string(title) + "\n" + std::string(text);
    if (out.back() != '\n') out += '\n';
    std::cerr << out << std::flush;
}

}  // namespace frisket::runtime

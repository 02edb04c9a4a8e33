// SPDX-License-Identifier: MIT
#include "show.hpp"

#include <cstdlib>
#include <iostream>
#include <string>

namespace frisket::runtime {

bool shows(std::string_view stage) {
    const char* wanted = std::getenv("FRISKET_SHOW");
    std::string_view list = wanted ? wanted : "";
    while (!list.empty()) {
        const auto comma = list.find(',');
        if (list.substr(0, comma) == stage) return true;
        list = comma == list.npos ? "" : list.substr(comma + 1);
    }
    return false;
}

void show(std::string_view stage, std::string_view title, std::string_view text) {
    std::string out = "--- " + std::string(stage) + ": " + std::string(title) + "\n" + std::string(text);
    if (out.back() != '\n') out += '\n';
    std::cerr << out << std::flush;
}

}  // namespace frisket::runtime

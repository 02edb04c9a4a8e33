// SPDX-License-Identifier: MIT
#include "guide_rows.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>
#include <regex>
#include <stdexcept>

namespace frisket::testing {

namespace {

/// The macro's text has the spaces of the source's lines, which a document need not have.
std::string without_spaces(std::string text) {
    std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
    return text;
}

}  // namespace

std::vector<GuideRow> rows_of_guide(std::string_view name) {
    std::ifstream file(std::string(FRISKET_GUIDES "/") + std::string(name) + ".md");
    if (!file) throw std::runtime_error("docs/guides has no " + std::string(name) + ".md");
    const std::regex form(R"(\| `([^`]+)` \| `([^`]+)` \|)");
    std::vector<GuideRow> rows;
    int head = 0;  // lines of a table that have been read: its first two are no rows
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with('|')) {
            head = 0;
            continue;
        }
        if (head++ < 2) continue;
        std::smatch cells;
        if (!std::regex_match(line, cells, form))
            throw std::runtime_error("no row of two spellings: " + line);
        rows.push_back({.theirs = cells[1], .ours = cells[2]});
    }
    return rows;
}

void check_code(std::string_view guide, const std::vector<GuideRow>& rows) {
    const std::vector<GuideRow> documented = rows_of_guide(guide);
    REQUIRE(documented.size() == rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        CHECK(without_spaces(documented[i].theirs) == without_spaces(rows[i].theirs));
        CHECK(without_spaces(documented[i].ours) == without_spaces(rows[i].ours));
    }
}

void check_values(const std::vector<GuideRow>& rows, std::function<Numbers()> GuideRow::* side) {
    for (const GuideRow& row : rows) {
        INFO(row.theirs << " | " << row.ours);
        const Numbers found = (row.*side)();
        REQUIRE(found.size() == row.wanted.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
            INFO("element " << i << " is " << found[i] << ", wanted " << row.wanted[i]);
            CHECK(std::abs(found[i] - row.wanted[i]) <= 1e-6 * std::max(1.0, std::abs(row.wanted[i])));
        }
    }
}

std::string bare_code(std::string_view in_parentheses) {
    return std::string(in_parentheses.substr(1, in_parentheses.size() - 2));
}

}  // namespace frisket::testing

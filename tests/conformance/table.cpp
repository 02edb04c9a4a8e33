// SPDX-License-Identifier: MIT
#include "table.hpp"

#include <algorithm>

using namespace frisket;

namespace conformance {

namespace {

const char* const head = R"(# Operations and layouts

What the tests saw: how many reference cases of each operation hold when their masked inputs are
stored in each layout, by the interpreter and by compiled loops (interpreter / compiled).
`conformance --table` writes this page and a test compares it.

An empty cell (`-`): no case of the operation has inputs that the layout can hold. `csr`, `csc`,
`bsr`, `bsc` and `two_four` hold matrices alone, `two_four` with columns in groups of four of which
at most two are specified, and `rows` tensors whose rows are specified whole or not at all.
Conversion says so with a `LayoutError`, and the operation is had by `.to(...)` another layout
first: the meaning is the same in all. `coalesce` is about `coo`, the one layout that keeps
duplicates as they come.
)";

bool has_masked_input(const Json& test) {
    return std::ranges::any_of(test.at("inputs"),
                               [](const Json& input) { return input.at("kind") == "masked"; });
}

std::vector<Layout> columns() {
    std::vector<Layout> found;
    for (const Layout layout : all_layouts())
        if (layout != Layout::dense) found.push_back(layout);
    return found;
}

}  // namespace

LayoutTable::LayoutTable(Backend compiled)
    : interpreter_(backend_of("interpret")), compiled_(std::move(compiled)) {}

bool LayoutTable::holds(const Json& test, const Backend& backend, Layout layout, bool& fits) {
    const Verdict verdict = run_meaning(test, {.backend = backend, .layout = layout});
    fits = verdict.outcome != Outcome::skipped;
    if (verdict.outcome == Outcome::failed) {
        const std::lock_guard lock(mutex_);
        failures_.push_back(test.at("id").get<std::string>() + " in layout " + std::string(name_of(layout)) +
                            ": " + verdict.text);
    }
    return verdict.outcome == Outcome::passed;
}

void LayoutTable::add(const Json& test) {
    // Cases of broken storage are about the layout that they are in.
    const std::string op = test.at("op");
    if (!has_masked_input(test) || op == "construct") return;
    for (const Layout layout : columns()) {
        if (op == "coalesce" && layout != Layout::coo) continue;
        bool fits = true;
        const bool interpreted = holds(test, interpreter_, layout, fits);
        const bool compiled = fits && holds(test, compiled_, layout, fits);
        const std::lock_guard lock(mutex_);
        Cell& cell = rows_[op][layout];
        cell.interpreted += interpreted ? 1 : 0;
        cell.compiled += compiled ? 1 : 0;
    }
}

std::string LayoutTable::failures() const {
    std::string text;
    for (const std::string& failure : failures_) text += "FAILED  " + failure + "\n";
    return text;
}

std::string LayoutTable::text() const {
    std::string text = std::string(head) + "\n| operation |", rule = "|---|";
    for (const Layout layout : columns()) {
        text += " " + std::string(name_of(layout)) + " |";
        rule += "---|";
    }
    text += "\n" + rule + "\n";
    for (const auto& [operation, cells] : rows_) {
        text += "| " + operation + " |";
        for (const Layout layout : columns()) {
            const auto found = cells.find(layout);
            const Cell cell = found == cells.end() ? Cell{} : found->second;
            const bool is_empty = cell.interpreted == 0 && cell.compiled == 0;
            text += is_empty ? " - |"
                             : " " + std::to_string(cell.interpreted) + " / " +
                                   std::to_string(cell.compiled) + " |";
        }
        text += "\n";
    }
    return text;
}

}  // namespace conformance

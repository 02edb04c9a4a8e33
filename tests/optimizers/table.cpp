// SPDX-License-Identifier: MIT
#include "table.hpp"

#include <algorithm>
#include <iterator>
#include <map>

using namespace frisket;
using namespace frisket::optim;

namespace goldens {

namespace {

const char* const head = R"(# Optimizers and layouts

What the tests saw: with how many sets of options of the golden cases each optimizer runs, for each layout
of the gradient, by the interpreter and by compiled loops (interpreter / compiled).  Three steps of a
float32 parameter give what the interpreter gives for the layout `strided`, to the bit; where a step holds
reductions or rows catch up, within 1e-6.  `optimizers --table` writes this page and a test compares it.

What is unspecified is `left alone`, to the bit (`Untouched::masked`), `zero` (`dense_equivalent`), or `zero,
when next touched` (`caught_up`, after `catch_up()`: within 1e-6 of `zero` as well).

After 1,000 steps parameters are those of PyTorch 2.13's optimizers in float64, to 1e-11 in float64 and to
1e-4 in float32 (`tests/optimizers/long_runs.cpp`).

Parameters of 16 bits give the interpreter's bytes in every layout and where rows catch up, rounded to nearest
or stochastically (`tests/optimizers/small_floats.cpp`, `stochastic_rounding.cpp`).

A cell with a dash: adafactor and muon have no masked form, because means over rows and columns, and an
orthogonal matrix, mix all elements; a masked gradient is refused with a sentence that says so.  A dense one
is as good as masked with everything specified.

Rows catch up by a closed form of the steps that they missed.  Sets of options without one are refused, and
not counted in the third line of an optimizer.  A line of dashes: adam, adamax, adamw, nadam, radam and
sparse_adam move a parameter at each missed step by a quotient of averages and of powers of t; asgd by a rate
of that step; adafactor, lamb, lars and muon by norms, means and products of all rows.  Weight decay that goes
into a state (of adadelta, adagrad, rmsprop, row-wise adagrad's l2, and sgd with momentum) has no closed form
either.
)";

const Shape shape{8, 8};

/// Values of some use: multiples of 1/64, of both signs, none 0 but a few.
float value_at(std::int64_t i, int step) {
    const auto mixed = static_cast<int>((i * 37 + step * 101 + 11) % 257) - 128;
    return static_cast<float>(mixed) / 64;
}

/// A gradient that the layout can hold: with duplicates where there are such, of two in four columns.
AnyMasked gradient(Layout layout, int step) {
    if (layout == Layout::rows) {
        Tensor<float> values({4, 8});
        for (std::int64_t i = 0; i < values.size(); ++i) values.data()[i] = value_at(i, step);
        return AnyMasked::rows(shape, {6, 1 + step, 6, 0}, values);
    }
    Tensor<float> values(shape);
    Tensor<bool> mask(shape);
    for (std::int64_t i = 0; i < values.size(); ++i) {
        values.data()[i] = value_at(i, step);
        const std::int64_t row = i / 8, column = i % 8;
        mask.data()[i] = layout == Layout::dense ||
                         (row % 3 != step % 3 && (column + row + step) % 4 < 2 && column % 3 != 0);
    }
    const AnyMasked whole = AnyMasked::strided(values, mask);
    if (layout != Layout::coo) return whole.to(layout);
    std::vector<std::vector<std::int64_t>> lists(2);
    std::vector<float> listed;
    for (const int pass : {0, 1}) {
        for (std::int64_t i = 63; i >= 0; --i) {
            if (!mask.data()[i] || (pass == 1 && i % 5 != 0)) continue;
            lists[0].push_back(i / 8);
            lists[1].push_back(i % 8);
            listed.push_back(value_at(i + pass, step));
        }
    }
    const auto count = static_cast<std::int64_t>(listed.size());
    return AnyMasked::coo(shape, lists, Tensor<float>({count}, listed));
}

/// Parameter and state after three steps.
std::map<std::string, AnyTensor> trajectory(const AnyRule& rule, Untouched untouched, Layout layout,
                                            bool as_strided, bool interpret) {
    Tensor<float> param(shape);
    for (std::int64_t i = 0; i < param.size(); ++i) param.data()[i] = value_at(i, 7);
    Optimizer optimizer({.untouched = untouched, .target = {}, .interpret = interpret}, rule,
                        {{"param", param}});
    for (int step = 0; step < 3; ++step) {
        const AnyMasked given = gradient(layout, step);
        const bool is_dense = layout == Layout::dense;
        const AnyMasked used = as_strided && !is_dense ? given.to(Layout::strided) : given;
        optimizer.step({is_dense ? Argument(given.values()) : Argument(used)});
    }
    optimizer.catch_up();
    std::map<std::string, AnyTensor> found{{"param", param}};
    for (const StateEntry& entry : optimizer.state())
        if (entry.name != "last_step") found.emplace(entry.name, entry.value);
    return found;
}

bool agrees(const std::map<std::string, AnyTensor>& a, const std::map<std::string, AnyTensor>& b,
            bool is_exact) {
    return std::ranges::equal(a, b, [&](const auto& x, const auto& y) {
        return x.first == y.first &&
               (is_exact ? same(x.second, y.second) : allclose(x.second, y.second, 1e-6, 1e-6));
    });
}

struct Cell {
    int tried = 0;
    int interpreted = 0;
    int compiled = 0;
};

/// The different sets of options of an optimizer's cases.
std::map<std::string, std::vector<AnyRule>> rules_of(const std::vector<Json>& cases) {
    std::map<std::string, std::map<std::string, AnyRule>> found;
    for (const Json& test : cases)
        found[test.at("optimizer")].emplace(test.at("hyper").dump(), rule_of_case(test));
    std::map<std::string, std::vector<AnyRule>> rules;
    for (const auto& [name, sets] : found)
        for (const auto& [text, rule] : sets) rules[name].push_back(rule);
    return rules;
}

std::vector<AnyRule> with_closed_form(const std::vector<AnyRule>& rules) {
    std::vector<AnyRule> found;
    std::ranges::copy_if(rules, std::back_inserter(found),
                         [](const AnyRule& rule) { return rule.info().no_closed_form(rule.data()).empty(); });
    return found;
}

}  // namespace

SupportTable support_table(const std::vector<Json>& cases) {
    SupportTable table{.text = std::string(head) + "\n| optimizer | unspecified is |", .failures = {}};
    std::string line = "|---|---|";
    for (const Layout layout : all_layouts()) {
        table.text += " " + std::string(name_of(layout)) + " |";
        line += "---|";
    }
    table.text += "\n" + line + "\n";
    const auto add_row = [&](const std::string& name, const std::vector<AnyRule>& rules, Untouched untouched,
                             std::string_view meaning) {
        table.text += "| " + name + " | " + std::string(meaning) + " |";
        for (const Layout layout : all_layouts()) {
            Cell cell;
            for (const AnyRule& rule : rules) {
                const bool has_form = rule.info().no_mask.empty() || layout == Layout::dense ||
                                      untouched == Untouched::dense_equivalent;
                if (!has_form) continue;
                ++cell.tried;
                const bool is_late = untouched == Untouched::caught_up;
                const bool is_exact =
                    !is_late && !rule.info().graph(rule.data(), DType::float32, shape).shaped;
                const auto wanted = trajectory(rule, untouched, layout, true, true);
                const bool is_right =
                    !is_late ||
                    agrees(trajectory(rule, Untouched::dense_equivalent, layout, true, true), wanted, false);
                const auto interpreted = trajectory(rule, untouched, layout, false, true);
                const auto compiled = trajectory(rule, untouched, layout, false, false);
                cell.interpreted += is_right && agrees(interpreted, wanted, true);
                cell.compiled += is_right && agrees(compiled, wanted, is_exact);
            }
            if (cell.interpreted != cell.tried || cell.compiled != cell.tried)
                table.failures.push_back(name + ", " + std::string(meaning) + ", layout " +
                                         std::string(name_of(layout)) + ": " +
                                         std::to_string(cell.interpreted) + " and " +
                                         std::to_string(cell.compiled) + " of " + std::to_string(cell.tried));
            table.text += cell.tried == 0 ? " - |"
                                          : " " + std::to_string(cell.interpreted) + " / " +
                                                std::to_string(cell.compiled) + " |";
        }
        table.text += "\n";
    };
    for (const auto& [name, rules] : rules_of(cases)) {
        add_row(name, rules, Untouched::masked, "left alone");
        add_row(name, rules, Untouched::dense_equivalent, "zero");
        add_row(name, with_closed_form(rules), Untouched::caught_up, "zero, when next touched");
    }
    return table;
}

}  // namespace goldens

// SPDX-License-Identifier: MIT
#include "operations.hpp"

#include "../../ir/at.hpp"

#include <algorithm>
#include <set>

namespace closure {

using fuzz::Building;
using ir::at;

namespace {

/// Kind of an operand: a huge one is a list, or read by one.
std::string_view kind_of(Value x) {
    if (is_huge(x.shape())) return x.is_masked() ? "list" : "read";
    return "dense";
}

bool is_elementwise(const Instruction& one) { return fuzz::forms()[at(one.form)].is_elementwise(); }

/// Name of an elementwise operation of two operands.
std::string name_of_binary(const Instruction& one, Value x, Value y) {
    const std::string_view kinds[] = {kind_of(x), kind_of(y)};
    const bool has_list = kinds[0] == "list" || kinds[1] == "list";
    if (!has_list) return kinds[0] == "dense" && kinds[1] == "dense" ? "dense elementwise" : "outer";
    if (kinds[0] == kinds[1])
        return one.mode == MaskMode::equal ? "same" : one.mode == MaskMode::unite ? "unite" : "intersect";
    if (kinds[1] == "read" || kinds[0] == "read") return "times read";
    const Value dense = kinds[0] == "dense" ? x : y;
    if (dense.rank() == 0) return "elementwise";
    return dense.shape().back() == 1 ? "by column" : "by row";
}

std::string name_of(const Instruction& one, const Building& known) {
    const std::string form(fuzz::forms()[at(one.form)].name);
    const Value x = known[one.operands[0]];
    if (form == "binary") return name_of_binary(one, x, known[one.operands[1]]);
    if (form == "matmul") {
        const Value y = known[one.operands[1]];
        const bool has_batches = x.rank() > 2 || y.rank() > 2;
        return (has_batches ? "batched " : "") + std::string(kind_of(x)) + " @ " + std::string(kind_of(y));
    }
    if (form == "gradient from") return "gradient";
    if (form == "unary" || form == "with number")
        return kind_of(x) == "dense" ? "dense elementwise" : "elementwise";
    return kind_of(x) == "dense" ? "dense " + form : form;
}

template <class Visit>
auto with_values(const Program& program, Visit&& visit) {
    const std::deque<fuzz::Bound> tensors = store(program, {});
    Building known(program, tensors, {});
    known.add_all();
    return visit(known);
}

}  // namespace

std::vector<std::string> operations_of(const Program& small) {
    return with_values(small, [&](const Building& known) {
        std::vector<std::string> names;
        for (const Instruction& one : small.instructions) names.push_back(name_of(one, known));
        return names;
    });
}

namespace {

std::string name_of_operand(const Program& small, int operand, const std::vector<std::string>& names) {
    if (operand >= 0) return names[at(operand)];
    return small.inputs[at(-1 - operand)].list ? "list" : "dense";
}

}  // namespace

std::vector<std::string> operands_of_last(const Program& small) {
    const std::vector<std::string> names = operations_of(small);
    std::vector<std::string> found;
    for (const int operand : small.instructions.back().operands)
        found.push_back(name_of_operand(small, operand, names));
    return found;
}

std::vector<Pair> pairs_of(const Program& small) {
    const std::vector<std::string> names = operations_of(small);
    std::set<Pair> pairs;
    for (std::size_t i = 0; i < names.size(); ++i)
        for (const int operand : small.instructions[i].operands)
            pairs.insert({name_of_operand(small, operand, names), names[i]});
    return {pairs.begin(), pairs.end()};
}

bool is_list_expression(const Program& small) {
    return with_values(small, [&](const Building& known) {
        const auto is_read = [&](int operand) { return kind_of(known[operand]) == "read"; };
        if (is_read(small.results.at(0))) return false;
        for (std::size_t i = 0; i < small.instructions.size(); ++i) {
            const Instruction& one = small.instructions[i];
            const auto is_list = [&](int operand) { return kind_of(known[operand]) == "list"; };
            // Masks of whole rows of a huge shape are no lists.
            if (is_list(static_cast<int>(i)) && std::ranges::none_of(one.operands, is_list)) return false;
            const std::string_view form = fuzz::forms()[at(one.form)].name;
            // Neither is an operation that joins a list and a dense tensor.
            const bool joins = form == "cat" || form == "stack";
            if (joins && is_list(static_cast<int>(i)) && !std::ranges::all_of(one.operands, is_list))
                return false;
            if (std::ranges::none_of(one.operands, is_read)) continue;
            if (!is_elementwise(one) && form != "transpose") return false;
        }
        return true;
    });
}

}  // namespace closure

// SPDX-License-Identifier: MIT
#include "stage_report.hpp"

#include "../../../runtime/limits.hpp"
#include "../../../runtime/support/joined.hpp"
#include "../../at.hpp"
#include "../../graph_text.hpp"
#include "../memory_need.hpp"
#include "../rules/rule.hpp"

#include <algorithm>
#include <span>

namespace frisket::planning {

using ir::at;

using frisket::to_string;

namespace {

/// " of m, x": the masked symbols that store elements of a space.
std::string listed_names(const Graph& graph, const IterationSpace& space) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < graph.symbols.size(); ++i)
        if (space.has_mask[i]) names.push_back(graph.symbols[i].name);
    return names.empty() ? "" : " of " + runtime::joined(names);
}

/// "5 positions", "2 rows", or without the number where nobody knows it.
std::string count_of(bool by_rows, Count count) {
    const std::string_view many = by_rows ? "rows" : "positions";
    return count ? count_text(*count, by_rows ? "row" : "position", many) : std::string(many);
}

}  // namespace

std::string body_text(const Graph& graph) {
    const auto text = [&](NodeId id) { return ir::expression_text(graph, id, body_depth); };
    if (graph.updates.empty()) return runtime::joined(graph.results, text);
    std::vector<std::string> updates;
    for (const Node& node : graph.nodes)
        if (node.kind == NodeKind::updated)
            updates.push_back(graph.symbols[at(node.symbol)].name + " takes " +
                              text(node.operands[update_operand::value]));
    return runtime::joined(updates);
}

TensorReport list_report(const Node& node, Layout planned, const StageEvent* run) {
    const std::string layout(name_of(run == nullptr ? planned : run->layout));
    return {.name = "",
            .dtype = node.result_dtype(),
            .shape = node.shape,
            .format = layout + (run == nullptr ? "" : ", " + count_text(run->entries, "entry", "entries")),
            .bytes = run == nullptr ? TensorReport::unknown : run->bytes};
}

StageReport report_of_whole(const Graph& body) {
    Shape largest;
    std::int64_t count = -1;
    for (const Node& node : body.nodes) {
        if (node.is_host_scalar || node.symbol >= 0) continue;
        const Shape shape = is_along_dims(node.kind) ? reduced_shape(body, node) : node.shape;
        if (element_count(shape) <= count) continue;
        count = element_count(shape);
        largest = shape;
    }
    return {.space = "all elements of " + to_string(largest)};
}

StageReport report_of_dense(const Graph& body, const RuleInfo* rule) {
    if (!body.results.empty())
        return {.rule = rule,
                .space = "all elements of " + to_string(body[body.results[0]].shape),
                .why = rule == &rules::shared_value ? "results have stages of their own"
                                                    : "a list kernel reads it as a dense factor"};
    StageReport report = report_of_whole(body);
    report.rule = rule;
    report.why = "checks look at whole numbers alone";
    return report;
}

StageReport report_of_sampled(const SampledResults& sampled, Count count) {
    const std::string share =
        (count ? std::to_string(*count) + " of " + std::to_string(element_count(sampled.shape)) +
                     " elements are specified, "
               : "") +
        "an element of a list costs " + std::to_string(limits::sampled_cost) + " of a whole product";
    if (sampled.positions == no_value)
        return {.rule = &rules::sampled_whole,
                .space = "all elements of " + to_string(sampled.shape),
                .why = share};
    return {.rule = &rules::sampled_product, .space = count_of(false, count) + " of the mask", .why = share};
}

std::string sampled_format(const SampledResults& sampled, Layout layout) {
    return std::string(name_of(layout)) +
           (sampled.positions == no_value ? ", specified elements of the whole" : " values at the positions");
}

std::string placed_format(const RuleInfo* rule) {
    return rule == &rules::same_pattern      ? "values of the same list"
           : rule == &rules::intersection_of ? "coo values of the intersection"
                                             : "coo values of the union";
}

StageReport report_at(const Graph& planned, const BodyStage& body, const IterationSpace& space, Count count,
                      const RuleInfo* rule) {
    StageReport report{.rule = rule, .space = count_of(space.by_rows, count)};
    for (const BodyOperand& operand : body.operands) {
        if (operand.symbol == BodyOperand::whole) continue;
        const bool is_stored = rule == &rules::same_pattern && space.has_mask[at(operand.symbol)];
        report.reads.push_back({planned.symbols[at(operand.symbol)].name,
                                is_stored ? "stored values" : "located at the positions"});
    }
    // A body of only checks has no results.
    if (!body.results.empty() && body.results[0].form == ResultForm::in_line) {
        report.why = "list kernels read it at the positions alone";
        return report;
    }
    report.space += listed_names(planned, space);
    const std::int64_t all = space.by_rows ? space.shape[0] : element_count(space.shape);
    if (count)
        report.why = std::to_string(*count) + " of " + std::to_string(all) +
                     (space.by_rows ? " rows" : " elements") + " are listed";
    return report;
}

void add_reads(StageReport& report, const Graph& body, std::span<const BodyOperand> operands,
               std::span<const Format> formats) {
    const std::vector<OperandReport> known = std::exchange(report.reads, {});
    for (std::size_t i = 0; i < body.symbols.size(); ++i) {
        const std::string& name = body.symbols[i].name;
        const Format& format = formats[at(operands[i].value)];
        const auto found = std::ranges::find(known, name, &OperandReport::name);
        report.reads.push_back(found != known.end() ? *found
                               : format.is_masked()
                                   ? OperandReport{name, "whole, " + std::string(name_of(format.layout))}
                               : format.kind == Format::Kind::tensor ? OperandReport{name, "whole"}
                                                                     : OperandReport{name, "a number"});
    }
}

std::int64_t made_bytes(const StageReport& stage) {
    std::int64_t bytes = 0;
    for (const TensorReport& tensor : stage.makes)
        if (tensor.lifetime == Lifetime::call) bytes += tensor.bytes;
    return bytes;
}

std::int64_t gathered_bytes(const Graph& body, std::span<const BodyOperand> operands) {
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const Symbol& symbol = body.symbols[i];
        if (operands[i].symbol == BodyOperand::whole) continue;
        bytes += tensor_bytes(symbol.dtype, symbol.shape);
        if (symbol.kind == SymbolKind::masked) bytes += tensor_bytes(DType::boolean, symbol.shape);
    }
    return bytes;
}

StageReport report_of_kernel(const PlanStage& stage, const Graph& planned, Count count, TensorReport made) {
    made.name = stage.name;
    const std::span<const NodeId> operands = planned[stage.node].operands;
    StageReport report{.rule = stage.rule,
                       .space = count_of(false, count),
                       .body = ir::expression_text(planned, stage.node, body_depth),
                       .why = stage.rule == &rules::sampled_factor
                                  ? "the rest reads it at the positions of a list alone"
                                  : "the operands are lists, and the result is one"};
    const auto read = [&](NodeId id, const char* how) {
        report.reads.push_back({ir::expression_text(planned, id, 1), how});
    };
    if (const auto* const sums = std::get_if<GatheredSumStage>(&stage.action)) {
        const Node& gathered = planned[operands[0]];
        report.space = count_text(element_count(sums->space), "row", "rows") + " that indices say";
        report.why = count_text(element_count(gathered.shape), "element", "elements") + " are read";
        made = {.name = stage.name,
                .dtype = sums->dtype,
                .shape = sums->shape,
                .bytes = tensor_bytes(sums->dtype, sums->shape)};
        read(gathered.operands[0], "rows at the indices");
    } else if (stage.rule != &rules::spmm) {
        for (const NodeId operand : operands)
            if (operand != no_node) read(operand, "at the positions");
    }
    report.makes = {std::move(made)};
    return report;
}

StageReport report_of_scatters(const ScatteredResults::Scatters& scatters, const Graph& planned,
                               NodeId result, TensorReport made) {
    constexpr int scatter_depth = 2;  // the report of the rest has the scattered values
    std::int64_t count = 0;
    for (const ListedScatter& scatter : scatters) count += scatter.count;
    const std::string share = count_text(count, "element", "elements");
    return {.rule = &rules::scattered_list,
            .space = share + " that are scattered",
            .body = ir::expression_text(planned, result, scatter_depth),
            .makes = {std::move(made)},
            .why = share + " for a tensor of " + std::to_string(element_count(planned[result].shape))};
}

}  // namespace frisket::planning

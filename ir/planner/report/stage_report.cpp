// SPDX-License-Identifier: MIT
#include "stage_report.hpp"

#include "../../../runtime/limits.hpp"
#include "../../../runtime/support/joined.hpp"
#include "../../at.hpp"
#include "../../graph_text.hpp"
#include "../memory_need.hpp"
#include "../rules/rule.hpp"

#include <algorithm>

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
std::string counted(Count count, std::string_view one, std::string_view many) {
    return count ? count_text(*count, one, many) : std::string(many);
}
std::string count_of(bool by_rows, Count count) {
    return by_rows ? counted(count, "row", "rows") : counted(count, "position", "positions");
}

TensorReport report_of(const Result& result) {
    if (result.listed) return tensor_report("", *result.listed);
    TensorReport made = tensor_report("", result.values);
    if (!result.mask) return made;
    made.format = "values and a mask";
    made.bytes += result.mask->size();
    return made;
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

TensorReport tensor_report(std::string name, const AnyMasked& made) {
    const std::int64_t count = made.specified_count();
    return {.name = std::move(name),
            .dtype = made.dtype(),
            .shape = made.shape(),
            .format = std::string(name_of(made.layout())) + ", " + count_text(count, "entry", "entries"),
            .bytes = made.values().size() * bytes_of(made.dtype())};
}

TensorReport tensor_report(std::string name, const AnyTensor& made) {
    return {.name = std::move(name),
            .dtype = made.dtype(),
            .shape = made.shape(),
            .bytes = made.size() * bytes_of(made.dtype())};
}

BodyReport report_of_whole(const Graph& body) {
    Shape largest;
    std::int64_t count = -1;
    for (const Node& node : body.nodes) {
        if (node.is_host_scalar || node.symbol >= 0) continue;
        const Shape shape = is_along_dims(node.kind) ? reduced_shape(body, node) : node.shape;
        if (element_count(shape) <= count) continue;
        count = element_count(shape);
        largest = shape;
    }
    return {{.space = "all elements of " + to_string(largest)}};
}

BodyReport report_of_dense(const Graph& body, const RuleInfo* rule) {
    if (body.results.empty()) {
        BodyReport report = report_of_whole(body);
        report.stage.rule = rule;
        report.stage.why = "checks look at whole numbers alone";
        return report;
    }
    return {{.rule = rule,
             .space = "all elements of " + to_string(body[body.results[0]].shape),
             .why = rule == &rules::shared_value ? "results have stages of their own"
                                                 : "a list kernel reads it as a dense factor"}};
}

BodyReport report_of_sampled(const SampledResults& sampled, Layout sampled_layout, const Shape& shape,
                             Count count) {
    const std::string cost =
        "an element of a list costs " + std::to_string(limits::sampled_cost) + " of a whole product";
    const std::string share = count ? std::to_string(*count) + " of " + std::to_string(element_count(shape)) +
                                          " elements are specified, " + cost
                                    : cost;
    const std::string layout(name_of(sampled_layout));
    const std::size_t results = sampled.has_own_mask.size();
    if (sampled.positions == no_value)
        return {{.rule = &rules::sampled_whole, .space = "all elements of " + to_string(shape), .why = share},
                std::vector<std::string>(results, layout + ", specified elements of the whole")};
    return {{.rule = &rules::sampled_product, .space = count_of(false, count) + " of the mask", .why = share},
            std::vector<std::string>(results, layout + " values at the positions")};
}

std::deque<StageReport> reports_of_scatters(const ScatteredResults& scattered, const Graph& planned) {
    constexpr int scatter_depth = 2;  // the report of the rest has what is scattered
    std::deque<StageReport> reports;
    for (std::size_t i = 0; i < scattered.results.size(); ++i) {
        const auto* const scatters = std::get_if<ScatteredResults::Scatters>(&scattered.results[i]);
        if (scatters == nullptr) continue;
        std::int64_t count = 0;
        for (const ListedScatter& scatter : *scatters) count += scatter.count;
        const std::string share = count_text(count, "element", "elements");
        reports.push_back({.rule = &rules::scattered_list,
                           .space = share + " that are scattered",
                           .body = ir::expression_text(planned, planned.results[i], scatter_depth),
                           .why = share + " for a tensor of " +
                                  std::to_string(element_count(planned[planned.results[i]].shape))});
    }
    return reports;
}

BodyReport report_at(const Graph& planned, const BodyStage& body, const IterationSpace& space, Count count,
                     const RuleInfo* rule) {
    BodyReport report{{.rule = rule, .space = count_of(space.by_rows, count)}};
    for (std::size_t i = 0; i < body.operands.size(); ++i) {
        const int symbol = body.operands[i].symbol;
        if (symbol == BodyOperand::whole) continue;
        const bool is_stored = rule == &rules::same_pattern && space.has_mask[at(symbol)];
        report.stage.reads.push_back(
            {planned.symbols[at(symbol)].name, is_stored ? "stored values" : "located at the positions"});
    }
    // A body of checks alone has no results.
    if (!body.results.empty() && body.results[0].form == ResultForm::in_line) {
        report.stage.why = "list kernels read it at the positions alone";
        return report;
    }
    report.stage.space += listed_names(planned, space);
    const std::int64_t all = space.by_rows ? space.shape[0] : element_count(space.shape);
    if (count)
        report.stage.why = std::to_string(*count) + " of " + std::to_string(all) +
                           (space.by_rows ? " rows" : " elements") + " are listed";
    for (const BodyResult& result : body.results)
        report.formats.push_back(result.form != ResultForm::placed ? ""
                                 : rule == &rules::same_pattern    ? "values of the same list"
                                 : rule == &rules::intersection_of ? "coo values of the intersection"
                                                                   : "coo values of the union");
    return report;
}

std::vector<OperandReport> reads_of(const Graph& body, std::span<const Format> formats,
                                    const std::vector<OperandReport>& known) {
    std::vector<OperandReport> reads;
    for (std::size_t i = 0; i < body.symbols.size(); ++i) {
        const Symbol& symbol = body.symbols[i];
        const auto found = std::ranges::find(known, symbol.name, &OperandReport::name);
        if (found != known.end())
            reads.push_back(*found);
        else if (formats[i].is_masked())
            reads.push_back({symbol.name, "whole, " + std::string(name_of(formats[i].layout))});
        else if (formats[i].kind == Format::Kind::tensor)
            reads.push_back({symbol.name, "whole"});
        else
            reads.push_back({symbol.name, "a number"});
    }
    return reads;
}

StageReport finished(BodyReport report, std::span<const Result> results) {
    for (std::size_t i = 0; i < results.size(); ++i) {
        TensorReport made = report_of(results[i]);
        if (i < report.formats.size() && !report.formats[i].empty()) made.format = report.formats[i];
        report.stage.makes.push_back(std::move(made));
    }
    return std::move(report.stage);
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

StageReport report_of_kernel(const PlanStage& stage, const Graph& planned, bool by_rows, Count count,
                             TensorReport made) {
    StageReport report{.rule = stage.rule,
                       .space = count_of(by_rows, count),
                       .body = ir::expression_text(planned, stage.node, body_depth),
                       .makes = {std::move(made)},
                       .why = "the operands are lists, and the result is one"};
    for (const NodeId operand : planned[stage.node].operands)
        if (operand != no_node && stage.rule != &rules::spmm)
            report.reads.push_back({ir::expression_text(planned, operand, 1), "at the positions"});
    return report;
}

StageReport report_of_sums(const PlanStage& stage, const Graph& planned, TensorReport made) {
    const Node& gathered = planned[planned[stage.node].operands[0]];
    const std::int64_t count = element_count(std::get<GatheredSumStage>(stage.action).space);
    return {.rule = stage.rule,
            .space = count_text(count, "row", "rows") + " that indices say",
            .body = ir::expression_text(planned, stage.node, body_depth),
            .reads = {{ir::expression_text(planned, gathered.operands[0], 1), "rows at the indices"}},
            .makes = {std::move(made)},
            .why = count_text(element_count(gathered.shape), "element", "elements") + " are read"};
}

}  // namespace frisket::planning

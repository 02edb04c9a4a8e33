// SPDX-License-Identifier: MIT
#include "executor.hpp"

#include "rules/coiterate.hpp"
#include "rules/sampled_product.hpp"
#include "stage_text.hpp"

#include <algorithm>

namespace frisket {

namespace {

std::string space_of(const Graph& graph) {
    Shape largest;
    std::int64_t count = 0;
    for (const Node& node : graph.nodes)
        if (!node.is_host_scalar && element_count(node.shape) > count) {
            count = element_count(node.shape);
            largest = node.shape;
        }
    return "all elements of " + to_string(largest);
}

std::vector<StageOperand> reads_of(const Graph& graph, std::span<const Argument> arguments,
                                   const std::vector<StageOperand>& known) {
    std::vector<StageOperand> reads;
    for (std::size_t i = 0; i < graph.symbols.size(); ++i) {
        const Symbol& symbol = graph.symbols[i];
        const auto found = std::ranges::find(known, symbol.name, &StageOperand::name);
        const Argument& argument = arguments[i];
        if (found != known.end())
            reads.push_back(*found);
        else if (argument.kind() == Argument::Kind::masked)
            reads.push_back({symbol.name, "whole, " + std::string(name_of(argument.masked().layout()))});
        else if (argument.kind() == Argument::Kind::tensor)
            reads.push_back({symbol.name, "whole"});
        else
            reads.push_back({symbol.name, "a number"});
    }
    return reads;
}

StageTensor made_of(const Result& result) {
    if (result.listed) return stage_tensor("", *result.listed);
    StageTensor made{.name = "",
                     .dtype = result.values.dtype(),
                     .shape = result.values.shape(),
                     .bytes = result.values.size() * bytes_of(result.values.dtype())};
    if (!result.mask) return made;
    made.format = "values and a mask";
    made.bytes += result.mask->size();
    return made;
}

}  // namespace

StageTensor stage_tensor(std::string name, const AnyMasked& made) {
    const std::int64_t count = made.specified_count();
    return {.name = std::move(name),
            .dtype = made.dtype(),
            .shape = made.shape(),
            .format = std::string(name_of(made.layout())) + ", " + count_text(count, "entry", "entries"),
            .bytes = made.values().size() * bytes_of(made.dtype())};
}

std::vector<Result> Executor::run(const Graph& graph, std::span<const Argument> arguments) const {
    if (auto results = coiterate(graph, arguments, *this)) return std::move(*results);
    if (auto results = run_sampled_product(graph, arguments, *this)) return std::move(*results);
    return run_stage(graph, arguments);
}

std::vector<Result> Executor::run_stage(const Graph& graph, std::span<const Argument> arguments) const {
    if (plan_ == nullptr) return backend_(graph, arguments, nullptr);
    PlanStage stage = within_ ? within_->stage : PlanStage{.space = space_of(graph)};
    stage.body = body_text(graph);
    stage.reads = reads_of(graph, arguments, stage.reads);
    std::vector<Result> results = backend_(graph, arguments, &stage);
    for (std::size_t i = 0; i < results.size(); ++i) {
        StageTensor made = made_of(results[i]);
        if (within_ && i < within_->formats.size() && !within_->formats[i].empty())
            made.format = within_->formats[i];
        stage.makes.push_back(std::move(made));
    }
    plan_->stages.push_back(std::move(stage));
    return results;
}

}  // namespace frisket

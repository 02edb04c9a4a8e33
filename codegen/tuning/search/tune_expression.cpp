// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "tune_expression.hpp"

#include <algorithm>
#include <utility>

#include "../../../ir/graph_text.hpp"
#include "../../../ir/rewrite.hpp"
#include "../../../runtime/kernel/binding.hpp"
#include "../../jit/device_driver.hpp"
#include "../../jit/evaluate.hpp"
#include "../../jit/halide_jit.hpp"
#include "../../loops/tuning_text.hpp"
#include "../records/tuned_expressions.hpp"
#include "same_results.hpp"
#include "search.hpp"

namespace frisket {

TrialLoops::TrialLoops(CompiledKernel kernel) : kernel_(std::move(kernel)) {}
TrialLoops::TrialLoops(Evaluate evaluate) : evaluate_(std::move(evaluate)) {}

void TrialLoops::call(std::span<const Argument> arguments) const {
    if (evaluate_)
        static_cast<void>(evaluate_(arguments));
    else
        kernel_->call(arguments);
}

std::vector<Result> TrialLoops::evaluate(std::span<const Argument> arguments) const {
    if (!evaluate_)
        throw ValueError("tune: a kernel of a step was given as a candidate for an expression: give a "
                         "function that evaluates it");
    return evaluate_(arguments);
}

namespace codegen {

namespace {

/// A body as loops are made for it, in a call.
struct MetBody {
    Graph graph;
    std::string text;    ///< the text under which tuning keeps its schedule
    WorkloadClass call;  ///< the class of calls, for people
    bool is_parallel;
    bool has_row_stages;  ///< its stages along rows are fused unless a schedule sets otherwise
};

/// True if several nodes read an elementwise one.
bool has_shared_values(const Graph& graph) {
    std::vector<int> readers(graph.nodes.size());
    for (const Node& node : graph.nodes)
        ir::for_each_id(node, [&](NodeId id) {
            if (id != no_node) ++readers[static_cast<std::size_t>(id)];
        });
    for (std::size_t i = 0; i < readers.size(); ++i)
        if (readers[i] > 1 && graph.nodes[i].kind == NodeKind::op && !graph.nodes[i].is_host_scalar)
            return true;
    return false;
}

LoopParts parts_of(std::span<const MetBody> bodies) {
    LoopParts parts;
    for (const MetBody& body : bodies) {
        parts.are_parallel = parts.are_parallel || body.is_parallel;
        parts.have_row_stages = parts.have_row_stages || body.has_row_stages;
        parts.have_shared_values = parts.have_shared_values || has_shared_values(body.graph);
        bool has_products = false, has_views = false;
        for (const Node& node : body.graph.nodes) {
            has_products = has_products || (is_product(node) && info_of(node.dtype).is_float);
            has_views = has_views || (node.kind == NodeKind::view && node.shape.size() > 1);
        }
        parts.have_products = parts.have_products || has_products;
        // Products copy their factors, and rows are no tiles.
        parts.have_views = parts.have_views || (has_views && !has_products && !body.has_row_stages);
    }
    return parts;
}

/// Takes the bodies of an evaluation into a list, each once.
class MetBodies {
public:
    explicit MetBodies(std::shared_ptr<std::vector<MetBody>> met) : met_(std::move(met)) {}
    void operator()(const Graph& body, const Pattern& pattern, const Specialization& form) const {
        std::string text = tuning_text(body, pattern, form);
        if (std::ranges::find(*met_, text, &MetBody::text) != met_->end()) return;
        met_->push_back({.graph = body,
                         .text = std::move(text),
                         .call = class_of_body(body),
                         .is_parallel = form.parallel,
                         .has_row_stages = fuses_rows(pattern)});
    }

private:
    const std::shared_ptr<std::vector<MetBody>> met_;
};

/// The search for an expression.
class ExpressionSearch final : public Search {
public:
    ExpressionSearch(const Graph& graph, std::span<const Argument> arguments, const TuneOptions& options)
        : Search(options, check_present({options.target})),
          graph_(std::make_shared<const Graph>(graph)),
          calls_(signature_of(graph), arguments, device_of(target())),
          met_(std::make_shared<std::vector<MetBody>>()) {
        for (const Schedule& made : options.schedules) check_of_expression(made);
        result().step = ir::expression_text(graph, graph.results.at(0), 2);
        result().usual = Strategy::expression;
        usual().schedule = default_schedule(Strategy::expression);
        LoopChoice loops{
            .schedule = usual().schedule, .in_memory = loops_in_memory(), .met = MetBodies(met_)};
        right_ = trial(loops).evaluate(calls_.arguments());
        loops.met = nullptr;  // calls that are timed note nothing
        usual().kernel = trial(loops);
        const auto largest =
            std::ranges::max_element(*met_, {}, [](const MetBody& body) { return body.call.elements; });
        if (largest != met_->end()) result().call = largest->call;
    }

private:
    bool has_choice() const override { return !met_->empty(); }
    Workload& calls() override { return calls_; }
    void find_references() override {}  // made with the default's bodies

    std::string why_wrong(const Candidate& candidate) override {
        try {
            return are_same(candidate.kernel.evaluate(calls_.arguments()), right_)
                       ? ""
                       : "its bytes are not the default's";
        } catch (const Error& error) { return error.what(); }
    }

    SchedulesToTry all_schedules() const override {
        return schedules_of_expression(parts_of(*met_), float_lanes(target()));
    }

    TrialLoops compiled(const Schedule& made) const override {
        TrialLoops made_trial = trial({.schedule = made, .in_memory = loops_in_memory()});
        try {
            made_trial.call(calls_.arguments());
        } catch (const Error&) {}  // its check has the reason
        return made_trial;
    }

    /// Evaluations by these loops, which may outlive the search.
    TrialLoops trial(const LoopChoice& loops) const {
        return TrialLoops([graph = graph_, target = TargetName{options().target},
                           loops](std::span<const Argument> arguments) {
            return jit_evaluate(*graph, arguments, target, {.loops = loops});
        });
    }

    void finish(TuneResult& found) override {
        for (const MetBody& body : *met_) found.keys.push_back({body.text, body.call});
        // Its loops are on disk when they are first called for.
        if (found.schedule)
            static_cast<void>(jit_evaluate(*graph_, calls_.arguments(), {options().target},
                                           {.loops = {.schedule = found.schedule}}));
    }

    const std::shared_ptr<const Graph> graph_;
    Workload calls_;
    std::shared_ptr<std::vector<MetBody>> met_;
    std::vector<Result> right_;
};

}  // namespace

TuneResult tune_expression(const Graph& graph, std::span<const Argument> arguments,
                           const TuneOptions& options) {
    TuneResult found = ExpressionSearch(graph, arguments, options).run();
    if (!found.keys.empty()) keep(found, options.database);
    return found;
}

}  // namespace codegen

namespace detail {

/// State of a tuner while its expression is built, whose parts may have to be evaluated for that.
struct TunedEvaluation {
    TuneOptions options;
    bool is_built = false;
    TuneResult result = {};

    std::vector<Result> run(const Graph& graph, std::span<const Argument> arguments) {
        // Parts that it is built from are evaluated where their tensors live.
        const bool is_device = find_target({options.target}).gpu;
        if (!is_built) return evaluator({.target = {is_device ? "" : options.target}})(graph, arguments);
        result = frisket::tune(graph, arguments, options);
        return std::vector<Result>(graph.results.size());
    }
};

ExpressionTuner::ExpressionTuner(const TuneOptions& options)
    : ExpressionTuner(std::make_shared<TunedEvaluation>(TunedEvaluation{.options = options})) {}

ExpressionTuner::ExpressionTuner(const std::shared_ptr<TunedEvaluation>& state)
    : Evaluator([state](const Graph& graph, std::span<const Argument> arguments) {
          return state->run(graph, arguments);
      }),
      state_(state) {}

TuneResult ExpressionTuner::tuned() {
    state_->is_built = true;
    static_cast<void>(values());
    return std::move(state_->result);
}

}  // namespace detail

}  // namespace frisket

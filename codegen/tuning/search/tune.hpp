// SPDX-License-Identifier: MIT
// Searches for the fastest schedule of a step, a function or an expression.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../../../dsl/describe.hpp"
#include "../../../dsl/kernel.hpp"
#include "../../../runtime/kernel/argument.hpp"
#include "../../../runtime/kernel/workload_class.hpp"
#include "../../eval.hpp"
#include "../../jit/jit.hpp"

namespace frisket {

/// Comparison of two kernels in calls made in turn: the median of time of the one by time of the other.
struct Paired {
    double ratio = 1;
    double low = 1, high = 1;  ///< quartiles
    double first_s = 0,
           second_s = 0;  ///< the shortest call of each on the clock, whatever the processors did
};

/// Loops on trial: a kernel of a step, or a function that evaluates an expression on arguments.
class TrialLoops {
public:
    /// A function that evaluates an expression on arguments, one for each of its symbols.
    using Evaluate = std::function<std::vector<Result>(std::span<const Argument>)>;
    TrialLoops() = default;
    TrialLoops(CompiledKernel kernel);  ///< runs a step by the schedule on trial
    TrialLoops(Evaluate evaluate);      ///< evaluates an expression by it

    /// Runs the kernel, or evaluates the expression and drops its value.
    void call(std::span<const Argument> arguments) const;
    /// The values of the expression.  Errors: ValueError for a kernel of a step.
    std::vector<Result> evaluate(std::span<const Argument> arguments) const;

private:
    std::optional<CompiledKernel> kernel_;
    Evaluate evaluate_;
};

/// A schedule on trial.
struct Candidate {
    Schedule schedule;
    TrialLoops kernel;                 ///< with that schedule
    std::string rejected = {};         ///< reason why it may not be used: its bytes are wrong; empty: it may
    std::vector<double> times = {};    ///< time of each timed call, seconds
    double best_s = 0;                 ///< the shortest of `times`; 0: not timed
    int left_after = 0;                ///< the round of the race after which it was dropped; 0: none
    std::optional<Paired> pairs = {};  ///< default by this, if it came to that
};

/// A schedule that there is not.
struct RefusedSchedule {
    Schedule schedule;
    std::string why;  ///< the ScheduleError's sentence
};

/// Progress of a tuner.
struct TuneProgress {
    std::string_view stage;  ///< "compiling", "timing", "confirming"
    double done = 0;         ///< share of the budget
    double left_s = 0;
    int candidates = 0;    ///< made so far, and not rejected
    double default_s = 0;  ///< 0: not known yet
    double best_s = 0;
};

/// Candidates, budget and callbacks of a search.
struct TuneOptions {
    double seconds = 30;  ///< all together; the step that is under way is finished
    std::uint64_t seed = 1;
    /// Name in the table of targets; empty: the device where the arguments live, or the default.
    std::string target = {};
    std::vector<Schedule> schedules = {};  ///< schedules to try; empty: all that there are
    std::vector<Candidate> others = {};    ///< loops of one's own for the same step, tried like ours
    /// Tuning database that keeps the result of an expression; empty: the default one, where eval finds it;
    /// "off": none.  Results of steps are stored by keep().
    std::string database = {};
    std::function<void(const TuneProgress&)> progress = {};
    std::function<bool()> is_stopped = {};  ///< asked between calls; the best schedule so far is the result
};

/// A point of the best time over the time spent.
struct TunePoint { double spent_s = 0, best_s = 0; };

/// Result of a search.
struct TuneResult {
    /// The key of a result: the text of a step, or of a body of an expression's plan, and its calls.
    struct Key {
        std::string text;
        WorkloadClass call;
    };
    std::string step;  ///< its name; for an expression its outermost operations
    std::string target;
    std::vector<Key> keys;
    WorkloadClass call;
    Strategy usual = Strategy::dense;  ///< strategy that the call would have chosen; Strategy::expression
    std::optional<Schedule> schedule;  ///< confirmed to be faster; nothing: the default stays
    double gain = 1;                   ///< time of the default divided by `schedule`'s, median of pairs
    Paired against_itself;             ///< comparison of the default with itself
    double noise = 0;                  ///< |against_itself.ratio - 1|
    double default_s = 0, best_s = 0;
    std::vector<double> default_times;  ///< time of each timed call of the default, seconds
    std::vector<Candidate> candidates;  ///< the fastest first, rejected candidates last
    std::vector<RefusedSchedule> refused;
    std::vector<TunePoint> curve;  ///< begins with the default
    double spent_s = 0;
    bool is_exhausted = false;  ///< every schedule that there is was tried
};

/// Looks for the schedule with which a step runs fastest on arguments like these, on this machine, or with
/// which the results of an expression's graph are evaluated fastest, and stores the latter.  Arguments are
/// read; the step's outputs are written to copies.  Every candidate has to return the bytes of the
/// interpreter on a part of the arguments, and the bytes of the default on all of them, before it is timed.
/// Errors: the errors of a call; TargetError for devices whose name cannot be found, by which results would
/// be stored; ScheduleError if a schedule that is to be tried cannot walk the call's arguments.
TuneResult tune(const Graph& step, std::span<const Argument> arguments, const TuneOptions& options = {});
/// Looks for the fastest schedule for arguments by name, in any order.
TuneResult tune(const Graph& step, std::span<const NamedArgument> arguments, const TuneOptions& options = {});

/// Looks for the fastest schedules of the parts of a step with operations on whole tensors: the bodies of its
/// plan, and its updates, each once, in the order in which a call runs them, within the time of the options
/// all together.  Each part takes its legal schedules from the schedules that are to be tried; `others` are
/// not tried.  Steps that run over listed rows as a whole have no parts.
/// Shape: the arguments have those that the graph was made for.
/// Errors: as tune.
std::vector<TuneResult> tune_parts(const Graph& step, std::span<const Argument> arguments,
                                   const TuneOptions& options = {});

/// Looks for the fastest schedule of a step written as an expression: `tune(adagrad, {.seconds = 20}, param =
/// p, …)`; the result is for `jit(adagrad, *result.schedule)`.
template <SomeStep Made, class... Arguments>
    requires(!Made::has_structure)
TuneResult tune(const Made& step, const TuneOptions& options, const Arguments&... arguments) {
    const Graph graph = describe(step);
    const Signature signature = signature_of(graph);
    std::array<std::size_t, Made::parameter_count> places{};
    for (std::size_t i = 0; i < places.size(); ++i)
        places[i] = static_cast<std::size_t>(signature.find(Made::parameters[i].name));
    TuneResult result;
    detail::call_ordered<Made>(
        places, [&](const auto& ordered) { result = tune(graph, ordered, options); }, arguments...);
    return result;
}

namespace detail {

/// Calls body(graph, arguments) with the graph of a step or a function for named arguments: the arguments of
/// its symbols, in their order.
template <class Made, class Body, class... Arguments>
void with_shaped_graph(const Made& made, Body&& body, const Arguments&... arguments) {
    std::array<std::size_t, Made::parameter_count> places{};
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
    call_ordered<Made>(
        places,
        [&](std::span<const Argument> given) {
            const Graph graph = describe(made, shapes_of(given));
            std::vector<Argument> ordered;
            for (const Symbol& symbol : graph.symbols)
                for (std::size_t i = 0; i < given.size(); ++i)
                    if (Made::parameters[i].name == symbol.name) ordered.push_back(given[i]);
            body(graph, std::span<const Argument>(ordered));
        },
        arguments...);
}

}  // namespace detail

/// Looks for the fastest schedules of the parts of a step with operations on whole tensors, for arguments by
/// name.
template <SomeStep Made, class... Arguments>
    requires(Made::has_structure)
std::vector<TuneResult> tune_parts(const Made& step, const TuneOptions& options,
                                   const Arguments&... arguments) {
    std::vector<TuneResult> found;
    detail::with_shaped_graph(
        step,
        [&](const Graph& graph, std::span<const Argument> ordered) {
            found = tune_parts(graph, ordered, options);
        },
        arguments...);
    return found;
}

/// Looks for the schedule with which a function is evaluated fastest, for arguments by name, and stores it as
/// an expression's.
template <SomeFunction Made, class... Arguments>
TuneResult tune(const Made& function, const TuneOptions& options, const Arguments&... arguments) {
    TuneResult found;
    detail::with_shaped_graph(
        function,
        [&](const Graph& graph, std::span<const Argument> ordered) { found = tune(graph, ordered, options); },
        arguments...);
    return found;
}

namespace detail {

struct TunedEvaluation;

/// An expression on its way to a search.
class ExpressionTuner : public Evaluator {
public:
    explicit ExpressionTuner(const TuneOptions& options);
    /// Tensors of one's own among the operands; they outlive the search.
    ir::ExpressionContext& session() noexcept { return context(); }
    TuneResult tuned();

private:
    explicit ExpressionTuner(const std::shared_ptr<TunedEvaluation>& state);
    std::shared_ptr<TunedEvaluation> state_;
};

}  // namespace detail

/// Looks for the schedule with which an expression over tensors is evaluated fastest on this machine:
/// vectors, parallel tasks, tiles of products and of transposed operands, stored values, and whether stages
/// along rows are fused.  Every candidate has to return the default's bytes before it is timed.  The result
/// is stored in the tuning database, where `eval` finds it for the same operations on tensors of these
/// layouts and, up to the nearest powers of two, these extents; `eval(e, {.schedule = *result.schedule})`
/// takes it without.
/// Errors: the errors of eval; IoError if the database cannot be written; ScheduleError if one that is to be
/// tried is a step's.
template <class E>
    requires AnyOperand<E>
TuneResult tune(const E& expression, const TuneOptions& options = {}) {
    if constexpr (is_refused<detail::Evaluated<E>>) {
        return {};
    } else {
        detail::ExpressionTuner tuner(options);
        tuner.add(detail::lowered(tuner.emitter(), expression));
        return tuner.tuned();
    }
}

/// Stores a result in a tuning database, where kernels made after that, or eval, find it.  `database`: its
/// file; empty: the default one.  Nothing is stored if it is "off", or if the default one is missing.
/// Errors: IoError if it cannot be written.
void keep(const TuneResult& result, const std::string& database = "");

/// Schedules of a search.
struct SchedulesToTry {
    std::vector<Schedule> legal;  ///< legal schedules, first those that differ from the default in one knob
    std::vector<RefusedSchedule> refused;
};
/// The schedules that loops of these strategies can have, and combinations of knobs that they cannot.
SchedulesToTry schedules_of(std::span<const Strategy> strategies, int lanes);
/// The schedules that loops of these strategies can have on a device, and the refused schedules.
SchedulesToTry schedules_of_device(std::span<const Strategy> strategies);

}  // namespace frisket

// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "tune.hpp"

#include <algorithm>
#include <ctime>
#include <ranges>

#include "../../../ir/interpreter/interpret.hpp"
#include "../../../ir/passes/assume_equal_masks.hpp"
#include "../../../runtime/dispatch/mask_statistics.hpp"
#include "../../../runtime/iterate/coalesce_domain.hpp"
#include "../../../runtime/kernel/binding.hpp"
#include "../../../runtime/kernel/densify.hpp"
#include "../../../runtime/layouts/layout.hpp"
#include "../../../runtime/layouts/layout_traits.hpp"
#include "../../../runtime/support/joined.hpp"
#include "../../../runtime/tensor/bitmask_ops.hpp"
#include "../../jit/device_driver.hpp"
#include "../../jit/halide_jit.hpp"
#include "../../jit/jit_module.hpp"
#include "../records/database.hpp"
#include "../records/machine.hpp"
#include "../records/tuned.hpp"
#include "search.hpp"
#include "tune_expression.hpp"

namespace frisket {

namespace {

constexpr std::int64_t interpreted_elements = 1 << 16;
constexpr double closeness = 1e-5;  // relative: for a step of functions that are exact to some units

/// The query of a call before it is made.
kernel_calls::DispatchQuery situation_of_call(const Signature& signature, std::span<const Argument> arguments,
                                              const Shape& space) {
    if (signature.domain < 0 && std::ranges::any_of(arguments, runtime::has_mask, &Argument::layout))
        return kernel_calls::query_of_several_masks(space);
    const Argument argument =
        signature.domain < 0 ? Argument() : arguments[static_cast<std::size_t>(signature.domain)];
    const Layout walked = runtime::kernel_layout(argument.layout());
    if (!runtime::has_mask(walked)) return kernel_calls::query_of(space, walked, {});
    const AnyMasked& masked = argument.masked();
    if (runtime::is_list(walked)) {
        const std::int64_t stored = masked.index() ? masked.index()->size() : masked.specified_count();
        return kernel_calls::query_of(space, walked, {.specified = stored});
    }
    std::vector<std::uint64_t> words(static_cast<std::size_t>(runtime::words_for(masked.size())));
    runtime::bits_of(masked, words.data());
    std::vector<runtime::WordRange> ranges;
    return kernel_calls::query_of(
        space, Layout::bitmask,
        kernel_calls::counts_of(words.data(), runtime::words_for(masked.size()), ranges));
}

/// The step as calls with these arguments run it.
Graph as_called(const Graph& step, std::span<const Argument> arguments) {
    const Signature signature = signature_of(step);
    if (signature.domain < 0 && kernel_calls::has_one_list(signature, arguments))
        if (std::optional<Graph> of_equal_masks = ir::with_equal_masks(step))
            return std::move(*of_equal_masks);
    return step;
}

/// The names of targets whose machines have names.
std::string tunable_targets() {
    const auto has_names = [](const TargetRow& row) { return row.devices != nullptr; };
    return "cpu, " + runtime::joined(known_targets() | std::views::filter(has_names), &TargetRow::name);
}

/// The search for a step.
class StepSearch final : public codegen::Search {
public:
    StepSearch(const Graph& step, std::span<const Argument> arguments, const TuneOptions& options)
        : codegen::Search(options, check_present({options.target})),
          step_(step),
          graph_(as_called(step, arguments)),
          signature_(signature_of(graph_)),
          space_(kernel_calls::check_call(signature_, arguments)),
          whole_(signature_, arguments, codegen::device_of(target())),
          reduced_(arguments, space_, interpreted_elements),
          part_(signature_, reduced_.arguments(), codegen::device_of(target())) {
        if (codegen::machine_name(target()).empty())
            throw TargetError(step.name + ": the device of target " + std::string(target().name) +
                              " has no name that can be found, by which a result would be kept: tune for "
                              "target " +
                              runtime::in_words(tunable_targets(), "or"));
        result().step = step.name;
        const kernel_calls::DispatchQuery query = situation_of_call(signature_, arguments, space_);
        result().call = class_of(query);
        layouts_ = codegen::kernel_layouts(signature_, arguments);
        strategies_ = target().gpu ? kernel_calls::strategies_on_device(signature_, layouts_)
                                   : kernel_calls::legal_strategies(signature_, layouts_);
        const bool has_choice = strategies_.size() > 1 && !target().gpu;
        result().usual = has_choice ? choose(query.counts) : strategies_.at(0);
        usual().kernel = trial({});
    }

private:
    bool has_choice() const override { return !strategies_.empty(); }
    codegen::Workload& calls() override { return whole_; }

    void find_references() override {
        part_.reset();
        usual().kernel.call(part_.arguments());
        std::vector<AnyTensor> usual_part = part_.written();
        codegen::Workload interpreted(signature_, reduced_.arguments());
        interpret(graph_, interpreted.arguments());
        right_part_ = interpreted.written();
        // Functions of the loops may be other roundings than the interpreter's (docs/functions.md): then the
        // default, where it is as near as they are, replaces the interpreter.
        if (std::ranges::equal(usual_part, right_part_, [](const AnyTensor& found, const AnyTensor& right) {
                return allclose(found, right, closeness);
            }))
            right_part_ = std::move(usual_part);
        part_.reset();
        usual().kernel.call(whole_.arguments());
        right_whole_ = whole_.written();
    }

    std::string why_wrong(const Candidate& candidate) override {
        candidate.kernel.call(part_.arguments());
        if (!part_.has_written(right_part_))
            return "its bytes are not those of the default, or of the interpreter";
        candidate.kernel.call(whole_.arguments());
        if (!whole_.has_written(right_whole_)) return "its bytes are not the default's";
        return "";
    }

    CompiledKernel trial(const std::optional<Schedule>& made) const {
        return CompiledKernel(std::make_shared<codegen::JitModule>(
            graph_, target(), made, codegen::JitModule::Tuning::ignore, codegen::JitModule::Keep::in_memory));
    }

    TrialLoops compiled(const Schedule& made) const override {
        CompiledKernel kernel = trial(made);
        warm_up(kernel);
        return kernel;
    }

    void warm_up(const CompiledKernel& kernel) const {
        if (const auto layout = runtime::common_layout(layouts_)) kernel.warm_up({*layout});
    }

    SchedulesToTry all_schedules() const override {
        return target().gpu
                   ? schedules_of_device(strategies_)
                   : schedules_of(strategies_, codegen::machine_of(target()).natural_vector_size<float>());
    }

    void finish(TuneResult& found) override {
        if (found.schedule)  // its loops are on disk when they are first called for
            warm_up(jit(graph_, *found.schedule, {options().target}));
        // Calls look for it before they make bits of their bytes.
        if (found.schedule && found.schedule->strategy == Strategy::bytes)
            found.call.layout = Layout::strided;
        found.keys = {{to_string(step_), found.call}};
    }

    const Graph& step_;
    const Graph graph_;
    Signature signature_;
    Shape space_;
    codegen::Workload whole_;
    codegen::Reduced reduced_;
    codegen::Workload part_;
    std::vector<Layout> layouts_;  // layouts of the masked arguments
    std::vector<Strategy> strategies_;
    std::vector<AnyTensor> right_part_, right_whole_;
};

}  // namespace

TuneResult tune(const Graph& step, std::span<const Argument> given, const TuneOptions& options) {
    if (std::ranges::any_of(given, kernel_calls::lives_on_device)) {
        // The search looks at masks; it moves the tensors of its calls itself.
        TuneOptions there = options;
        if (there.target.empty()) there.target = kernel_calls::device_of(signature_of(step), given)->name();
        return tune(step, kernel_calls::arguments_on_processor(given), there);
    }
    if (!step.results.empty()) return codegen::tune_expression(step, given, options);
    return StepSearch(step, given, options).run();
}

TuneResult tune(const Graph& step, std::span<const NamedArgument> named, const TuneOptions& options) {
    const Signature signature = signature_of(step);
    std::vector<Argument> arguments(signature.parameters.size());
    kernel_calls::bind_names(signature, named, arguments);
    return tune(step, arguments, options);
}

void keep(const TuneResult& result, const std::string& database) {
    const std::string path = database.empty() ? codegen::default_tuning_path() : database;
    if (path.empty() || path == "off") return;
    codegen::TuningDatabase records(path);
    for (const TuneResult::Key& key : result.keys)
        records.put({.step = key.text,
                     .target = result.target,
                     .machine = codegen::machine_name(find_target({result.target})),
                     .build = codegen::build_name(),
                     .call = key.call,
                     .schedule = result.schedule ? to_string(*result.schedule) : "",
                     .gain = result.gain,
                     .default_s = result.default_s,
                     .best_s = result.best_s,
                     .found_at = static_cast<std::int64_t>(std::time(nullptr))});
    codegen::reread_tuned_expressions();
}

}  // namespace frisket

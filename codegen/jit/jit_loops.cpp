// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "jit_loops.hpp"

#include <atomic>
#include <memory>
#include <string_view>
#include <vector>

#include "../../ir/planner/report/report_writer.hpp"
#include "../../runtime/support/made_once.hpp"
#include "../../runtime/tensor/show.hpp"
#include "../strategies/strategies.hpp"
#include "../tuning/records/tuned.hpp"
#include "../tuning/records/tuned_expressions.hpp"
#include "compiled_loops.hpp"
#include "device_driver.hpp"
#include "evaluator.hpp"
#include "halide_jit.hpp"
#include "jit.hpp"
#include "jit_module.hpp"

namespace frisket::codegen {

namespace {

class JitLoops final : public LoopProvider {
public:
    explicit JitLoops(const TargetRow& target)
        : target_(target), lanes_(float_lanes(target.gpu ? find_target(TargetName{"cpu"}) : target)) {
        set_up_halide();
    }

    int lanes() const noexcept override { return lanes_; }
    std::optional<Schedule> tuned(const Graph& body, const Pattern& pattern,
                                  const Specialization& form) const override {
        if (target_.gpu) return {};
        return tuned_schedule(body, pattern, form, target_);
    }
    std::uint64_t tuning_number() const noexcept override { return tuned_expressions_number(); }
    LoopCode loop(const LoopRequest& request) const override {
        if (request.form.is_of_step()) show_plan(request);
        return compiled_loop(request, target_);
    }
    Device device() const override { return device_of(target_); }
    const LoopProvider& on(const Device& device) const override {
        const bool runs_anywhere = target_.name == std::string_view("cpu") && !device.is_cpu();
        return runs_anywhere ? jit_loops(find_target({std::string(device.name())}))
                             : LoopProvider::on(device);
    }
    std::optional<CompiledKernel> kernel(const Graph& step,
                                         std::span<const Argument> /*arguments*/) const override {
        return jit(step, name());
    }
    std::vector<Result> evaluate(const Graph& graph, std::span<const Argument> arguments) const override {
        return evaluate_shown(graph, arguments, {.target = name()});
    }

private:
    TargetName name() const { return {std::string(target_.name)}; }

    const TargetRow& target_;
    const int lanes_;
};

}  // namespace

const LoopProvider& jit_loops(const TargetRow& target) {
    const auto& all = runtime::made_once([] {
        std::vector<std::unique_ptr<JitLoops>> made;
        for (const TargetRow& row : known_targets()) made.push_back(std::make_unique<JitLoops>(row));
        return made;
    });
    return *all[static_cast<std::size_t>(&target - known_targets().data())];
}

void show_plan(const LoopRequest& request) {
    if (runtime::shows("plan"))
        runtime::show(
            "plan", request.graph.name,
            planning::plan_text(request.graph, signature_of(request.graph), request.form.schedule.strategy));
}

namespace {

std::atomic<FindReadyLoops> find_ready_loops = nullptr;

/// Loops that were compiled ahead of time, if they are those that would be compiled now.
LoopCode ready_loop(const LoopRequest& request, const TargetRow& target) {
    const FindReadyLoops find = find_ready_loops.load(std::memory_order_acquire);
    const bool is_default =
        request.form.is_of_step() || request.form.schedule == default_schedule(Strategy::expression);
    if (find == nullptr || !is_default || !request.is_kept || target.name != std::string_view("cpu"))
        return {};
    const LoopProvider* const source = runtime::shows("loops") ? nullptr : find();
    if (source == nullptr || (!request.form.is_of_step() && source->lanes() != request.form.lanes)) return {};
    LoopCode loop = source->loop(request);
    if (loop && runtime::shows("cache")) runtime::show("cache", request.graph.name, "compiled ahead of time");
    return loop;
}

}  // namespace

void set_ready_loops(FindReadyLoops find) noexcept { find_ready_loops = find; }

LoopCode compiled_loop(const LoopRequest& request, const TargetRow& target) {
    const auto& [graph, numbers, form, loops, title, is_kept] = request;
    if (LoopCode ready = ready_loop(request, target)) return ready;
    const bool is_step = form.is_of_step();
    const KeyText key = loop_key(graph, form);
    return loop_code(
        {.name = graph.name,
         .loops = is_step ? to_string(form.schedule) : loops,
         .title = is_step ? graph.name + ", strategy " + std::string(name_of(form.schedule.strategy)) : title,
         .target = target,
         .key = key,
         .is_kept = is_kept,
         .build = [&] { return lower(request, machine_of(target)); }});
}

}  // namespace frisket::codegen

namespace frisket {

const codegen::LoopProvider& just_in_time(const TargetName& target) {
    return codegen::jit_loops(check_present(target));
}

}  // namespace frisket

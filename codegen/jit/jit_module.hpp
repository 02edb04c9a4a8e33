// SPDX-License-Identifier: MIT
// Internal; needs <Halide.h> before it.
#pragma once
#include <array>
#include <atomic>

#include "../../runtime/support/fork.hpp"
#include "../loops/loop_code.hpp"
#include "../loops/step_module.hpp"
#include "../lowering/kernel_builder.hpp"

namespace frisket::codegen {

/// Loops that are compiled when they are first needed.
class JitModule final : public kernel_calls::KernelModule {
public:
    enum class Tuning : std::uint8_t { read, ignore };
    enum class Keep : std::uint8_t { on_disk, in_memory };  ///< place of its loops, if it can have them
    /// With a schedule, calls take its strategy and its knobs; without, the schedule in the tuning database
    /// for them, if it is read, and else the choice of the cost model.
    /// Errors: ValueError if the step has a skip_nonfinite statement.
    JitModule(Graph graph, const TargetRow& target, std::optional<Schedule> schedule = {},
              Tuning tuning = Tuning::read, Keep keep = Keep::on_disk);

    const Graph& graph() const noexcept { return graph_; }
    const ir::ScalarProgram& numbers() const noexcept { return numbers_; }
    const TargetRow& target() const noexcept { return target_; }
    const std::optional<Schedule>& schedule() const noexcept { return schedule_; }
    /// Memory of the loops that were compiled, without loops of tuned schedules.
    std::size_t bytes() const;

    void specialize(std::span<const Layout> layouts, std::int64_t row_length) override;
    kernel_calls::KernelModule* of_equal_masks() override;
    kernel_calls::Variant choose(const kernel_calls::DispatchQuery& query) override;
    void compile_variants(std::span<const Strategy> wanted) override;
    void run(const kernel_calls::Variant& variant, std::span<const void*> argv) override;

private:
    /// A loop that is compiled once, by who first needs it.
    struct Slot {
        ~Slot() { delete loop.load(); }
        std::atomic<const LoopCode*> loop{nullptr};
        runtime::Mutex compiling;
    };
    /// The loop of a tuned variant.
    struct Tuned {
        std::optional<Schedule> schedule;  ///< none: the default is the fastest
        std::unique_ptr<Slot> slot = std::make_unique<Slot>();
    };
    void find_tuned();
    std::shared_ptr<KernelModule> made_on(const Device& device) override;
    void specialize_for_device(std::span<const Layout> layouts) const;
    void check_schedule(std::span<const Strategy> legal) const;
    /// The schedule of a strategy's own loop.
    Schedule schedule_of(Strategy strategy) const;
    const LoopCode& loop(Slot& slot, const Schedule& schedule) const;
    const LoopCode& loop(const kernel_calls::Variant& variant);
    std::unique_ptr<const LoopCode> compile(const Schedule& schedule) const;

    const Graph graph_;
    const ir::ScalarProgram numbers_ = ir::ScalarProgram::of(graph_);
    const TargetRow& target_;
    Halide::Target machine_;
    std::optional<Schedule> schedule_;
    Tuning tuning_;
    Keep keep_;
    std::array<Slot, strategy_count> slots_;
    runtime::Once tuned_once_;
    std::vector<Tuned> tuned_;         // by Variant::tuned
    const Graph* tuned_as_ = &graph_;  // the step that records are of
    runtime::Once one_mask_once_;
    std::unique_ptr<JitModule> one_mask_;
    std::atomic<std::uint32_t> met_{0};  // a bit for each layout that all Masked arguments of some call had
};

}  // namespace frisket::codegen

// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "tune.hpp"

#include <algorithm>
#include <deque>
#include <future>

#include "../../../ir/interpreter/interpret.hpp"
#include "../../../ir/passes/assume_equal_masks.hpp"
#include "../../../runtime/dispatch/mask_statistics.hpp"
#include "../../../runtime/iterate/coalesce_domain.hpp"
#include "../../../runtime/kernel/binding.hpp"
#include "../../../runtime/layouts/layout.hpp"
#include "../../../runtime/layouts/layout_traits.hpp"
#include "../../../runtime/tensor/bitmask_ops.hpp"
#include "../../jit/halide_jit.hpp"
#include "../../jit/jit_module.hpp"
#include "../../jit/threads.hpp"
#include "../records/machine.hpp"
#include "race.hpp"

namespace frisket {

namespace {

constexpr std::int64_t interpreted_elements = 1 << 16;
constexpr double closeness = 1e-5;  // relative: of a step of functions that are exact to some units

/// The query of a call before it is made.
kernel::DispatchQuery situation_of_call(const Signature& signature, std::span<const Argument> arguments,
                                        const Shape& space) {
    if (signature.domain < 0) {
        const auto has_mask = [](const Argument& argument) {
            return argument.kind() == Argument::Kind::masked && argument.masked().layout() != Layout::dense;
        };
        return std::ranges::any_of(arguments, has_mask) ? kernel::query_of_several_masks(space)
                                                        : kernel::query_of(space, Layout::dense, {});
    }
    const Argument& argument = arguments[static_cast<std::size_t>(signature.domain)];
    if (argument.kind() != Argument::Kind::masked) return kernel::query_of(space, Layout::dense, {});
    const AnyMasked& masked = argument.masked();
    const Layout walked = runtime::kernel_layout(masked.layout());
    if (walked == Layout::coo || walked == Layout::rows) {
        const std::int64_t stored = masked.index() ? masked.index()->size() : masked.specified_count();
        return kernel::query_of(space, walked, {.specified = stored});
    }
    if (walked == Layout::dense) return kernel::query_of(space, walked, {});
    std::vector<std::uint64_t> words(static_cast<std::size_t>(runtime::words_for(masked.size())));
    runtime::bits_of(masked, words.data());
    std::vector<runtime::WordRange> ranges;
    return kernel::query_of(space, Layout::bitmask,
                            kernel::counts_of(words.data(), runtime::words_for(masked.size()), ranges));
}

std::vector<Layout> walked_layouts(const Signature& signature, std::span<const Argument> arguments) {
    std::vector<Layout> layouts;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (signature.parameters[i].kind != SymbolKind::masked) continue;
        const Layout layout =
            arguments[i].kind() == Argument::Kind::masked ? arguments[i].masked().layout() : Layout::dense;
        layouts.push_back(runtime::kernel_layout(layout));
    }
    return layouts;
}

/// The step as calls with these arguments run it.
Graph as_called(const Graph& step, std::span<const Argument> arguments) {
    const Signature signature = signature_of(step);
    if (signature.domain < 0 && kernel::has_one_list(signature, arguments))
        if (std::optional<Graph> of_equal_masks = ir::with_equal_masks(step))
            return std::move(*of_equal_masks);
    return step;
}

/// One search.
class Search {
public:
    Search(const Graph& step, std::span<const Argument> arguments, const TuneOptions& options)
        : options_(options),
          begin_(codegen::now_s()),
          target_(check_present({options.target})),
          random_(options.seed),
          graph_(as_called(step, arguments)),
          signature_(signature_of(graph_)),
          space_(kernel::check_call(signature_, arguments)),
          whole_(signature_, arguments),
          reduced_(arguments, space_, interpreted_elements),
          part_(signature_, reduced_.arguments()) {
        if (codegen::machine_name(target_).empty())
            throw TargetError(step.name + ": the device of target " + std::string(target_.name) +
                              " has no name that can be found, by which a result would be kept: tune for "
                              "target cpu or opencl");
        result_.step = step.name;
        const kernel::DispatchQuery query = situation_of_call(signature_, arguments, space_);
        result_.call = class_of(query);
        layouts_ = walked_layouts(signature_, arguments);
        strategies_ = kernel::legal_strategies(signature_, layouts_);
        result_.usual = strategies_.size() == 1 ? strategies_[0] : choose(query.counts);
    }

    TuneResult run() {
        if (strategies_.empty()) return finished();
        find_references();
        for (const Candidate& other : options_.others) add(other.schedule, other.kernel);
        make_candidates();
        tell("timing");
        codegen::race(
            result_.candidates, whole_, random_, [this] { return is_race_over(); }, [this] { note_best(); });
        confirm();
        return finished();
    }

private:
    // Shares of the budget after which a stage gives way to the next.
    static constexpr double making_share = 0.6, race_share = 0.85;

    double spent() const { return codegen::now_s() - begin_; }
    bool is_stopped() const { return options_.is_stopped && options_.is_stopped(); }
    bool is_over(double share = 1) const { return spent() > share * options_.seconds || is_stopped(); }
    /// Compiled candidates are timed once at least, however long compiling took.
    bool is_race_over() const { return usual_.times.empty() ? is_stopped() : is_over(race_share); }

    void tell(std::string_view stage) const {
        if (!options_.progress) return;
        const auto count = std::ranges::count_if(
            result_.candidates, [](const Candidate& candidate) { return candidate.rejected.empty(); });
        options_.progress({.stage = stage,
                           .done = std::min(1.0, spent() / options_.seconds),
                           .left_s = std::max(0.0, options_.seconds - spent()),
                           .candidates = static_cast<int>(count),
                           .default_s = usual_.best_s,
                           .best_s = result_.curve.empty() ? 0 : result_.curve.back().best_s});
    }

    /// Finds the bytes that every candidate has to give.
    void find_references() {
        part_.reset();
        usual_.kernel.call(part_.arguments());
        std::vector<AnyTensor> usual_part = part_.written();
        part_.reset();
        interpret(graph_, part_.arguments());
        right_part_ = part_.written();
        // Functions of the loops may be other roundings than the interpreter's (docs/functions.md): then the
        // default, where it is as near as they are, stands for it.
        if (std::ranges::equal(usual_part, right_part_, [](const AnyTensor& found, const AnyTensor& right) {
                return allclose(found, right, closeness);
            }))
            right_part_ = std::move(usual_part);
        usual_.kernel.call(whole_.arguments());
        right_whole_ = whole_.written();
        const double once = codegen::time_of_call(usual_, whole_);
        constexpr double worth_timing = 200e-6;
        whole_.repeats = static_cast<int>(std::clamp(worth_timing / once, 1.0, 1000.0));
        usual_.best_s =
            std::min({codegen::time_of_call(usual_, whole_), codegen::time_of_call(usual_, whole_), once});
        whole_.reset(), part_.reset();
        result_.curve.push_back({spent(), usual_.best_s});
    }

    /// Expects both workloads as they came, and leaves them so.
    std::string why_wrong(const Candidate& candidate) {
        candidate.kernel.call(part_.arguments());
        if (!part_.has_written(right_part_))
            return "its bytes are not those of the default, or of the interpreter";
        candidate.kernel.call(whole_.arguments());
        if (!whole_.has_written(right_whole_)) return "its bytes are not the default's";
        return "";
    }

    /// Compiles and checks as many candidates as there is time for: one is checked while others are compiled.
    /// Nothing is timed meanwhile.
    void make_candidates() {
        const std::vector<Schedule> all = schedules_to_try();
        const auto at_once = static_cast<std::size_t>(codegen::thread_count()) + 1;
        std::deque<std::future<CompiledKernel>> coming;
        std::size_t begun = 0, made = 0;
        while (made == 0 || !coming.empty()) {
            const bool is_late = begun > 0 && is_over(making_share);
            for (; begun < all.size() && !is_late && coming.size() < at_once; ++begun)
                coming.push_back(
                    std::async(std::launch::async, [this, &all, begun] { return compiled(all[begun]); }));
            if (coming.empty()) break;
            CompiledKernel kernel = coming.front().get();
            coming.pop_front();
            add(all[made++], std::move(kernel));
            tell("compiling");
        }
        result_.is_exhausted = made == all.size();
    }

    /// A kernel to try, compiled in memory: most candidates lose, and need not push other loops from the
    /// disk.
    CompiledKernel trial(const std::optional<Schedule>& made) const {
        return CompiledKernel(std::make_shared<codegen::JitModule>(
            graph_, target_, made, codegen::JitModule::Tuning::ignore, codegen::JitModule::Keep::in_memory));
    }

    CompiledKernel compiled(const Schedule& made) const {
        CompiledKernel kernel = trial(made);
        if (has_one_layout()) warm_up(kernel);
        return kernel;
    }

    void warm_up(const CompiledKernel& kernel) const {
        kernel.warm_up({layouts_.empty() ? Layout::dense : layouts_[0]});
    }

    std::vector<Schedule> schedules_to_try() {
        if (!options_.schedules.empty()) return options_.schedules;
        SchedulesToTry all =
            target_.gpu
                ? schedules_of_device(strategies_)
                : schedules_of(strategies_, codegen::machine_of(target_).natural_vector_size<float>());
        result_.refused = std::move(all.refused);
        return std::move(all.legal);
    }

    bool has_one_layout() const {
        return std::ranges::all_of(layouts_, [&](Layout layout) { return layout == layouts_[0]; });
    }

    void add(const Schedule& made, CompiledKernel kernel) {
        Candidate candidate{made, std::move(kernel)};
        candidate.rejected = why_wrong(candidate);
        result_.candidates.push_back(std::move(candidate));
    }

    void note_best() {
        usual_.times.push_back(codegen::time_of_call(usual_, whole_));
        usual_.best_s = std::min(usual_.best_s, usual_.times.back());
        const auto by_time = [](const Candidate& a, const Candidate& b) {
            return (a.best_s == 0 ? 1e30 : a.best_s) < (b.best_s == 0 ? 1e30 : b.best_s);
        };
        const auto best = std::ranges::min_element(result_.candidates, by_time);
        if (best != result_.candidates.end() && best->best_s > 0 &&
            best->best_s < result_.curve.back().best_s)
            result_.curve.push_back({spent(), best->best_s});
        tell("timing");
    }

    void sort_candidates() {
        std::ranges::stable_sort(result_.candidates, {}, [](const Candidate& candidate) {
            return !candidate.rejected.empty() ? 2e30 : candidate.best_s == 0 ? 1e30 : candidate.best_s;
        });
    }

    /// The fastest, if it is faster in pairs with the default as well, by more than the default differs from
    /// itself.
    void confirm() {
        sort_candidates();
        const double each = std::max(0.2, (options_.seconds - spent()) / 4);
        tell("confirming");
        result_.against_itself = codegen::compare(usual_, usual_, whole_, each);
        result_.noise = std::abs(result_.against_itself.ratio - 1);
        int finalists = 3;
        for (Candidate& candidate : result_.candidates) {
            if (finalists == 0 || is_over(1.5) || !candidate.rejected.empty() || candidate.best_s == 0) break;
            const Paired pairs = *(candidate.pairs = codegen::compare(usual_, candidate, whole_, each));
            candidate.left_after = 0;  // back where a busy machine let fewer than three stay in the race
            tell("confirming");
            // Hundreds of calls lie between: what was right once may not always be.
            whole_.reset();
            candidate.rejected = why_wrong(candidate);
            if (!candidate.rejected.empty()) continue;
            --finalists;
            usual_.best_s = std::min(usual_.best_s, pairs.first_s);
            candidate.best_s = std::min(candidate.best_s, pairs.second_s);
            if (!codegen::is_faster(pairs, result_.noise) || pairs.ratio <= result_.gain) continue;
            result_.gain = pairs.ratio;
            result_.schedule = candidate.schedule;
            result_.best_s = candidate.best_s;
        }
    }

    TuneResult finished() {
        sort_candidates();
        if (result_.schedule && result_.best_s >= usual_.best_s) {
            result_.schedule.reset();
            result_.gain = 1;
        }
        result_.default_s = usual_.best_s;
        result_.default_times = std::move(usual_.times);
        if (!result_.schedule)
            result_.best_s = usual_.best_s;
        else if (has_one_layout())  // its loops are on disk when they are first called for
            warm_up(jit(graph_, *result_.schedule, {options_.target}));
        // Calls look for it before they make bits of their bytes.
        if (result_.schedule && result_.schedule->strategy == Strategy::bytes)
            result_.call.layout = Layout::strided;
        result_.spent_s = spent();
        return std::move(result_);
    }

    const TuneOptions& options_;
    double begin_;
    const TargetRow& target_;
    std::mt19937_64 random_;
    const Graph graph_;
    Signature signature_;
    Shape space_;
    codegen::Workload whole_;
    codegen::Reduced reduced_;
    codegen::Workload part_;
    std::vector<Layout> layouts_;  // layouts of the masked arguments
    std::vector<Strategy> strategies_;
    std::vector<AnyTensor> right_part_, right_whole_;
    Candidate usual_{{}, trial({})};
    TuneResult result_;
};

}  // namespace

TuneResult tune(const Graph& step, std::span<const Argument> arguments, const TuneOptions& options) {
    return Search(step, arguments, options).run();
}

TuneResult tune(const Graph& step, std::span<const NamedArgument> named, const TuneOptions& options) {
    const Signature signature = signature_of(step);
    std::vector<Argument> arguments(signature.parameters.size());
    kernel::bind_names(signature, named, arguments);
    return tune(step, arguments, options);
}

}  // namespace frisket

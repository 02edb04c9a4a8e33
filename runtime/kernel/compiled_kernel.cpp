// SPDX-License-Identifier: MIT
#include "compiled_kernel.hpp"

#include <algorithm>
#include <list>

#include "../layouts/layout_traits.hpp"
#include "../limits.hpp"
#include "binding.hpp"
#include "densify.hpp"
#include "exception_collector.hpp"
#include "known_step.hpp"
#include "scratch.hpp"
#include "words.hpp"

namespace frisket {

namespace {

/// True if all tensors are contiguous, row-major, over the whole space, so that one index addresses all of
/// them, but those that can be repeated.
bool is_plain(const kernel_calls::Call& call) {
    for (int i = 0; i < call.parameter_count(); ++i) {
        if (!call.is_tensor(i)) continue;
        const Layout layout = call.layout(i);
        if (!kernel_calls::is_same(call.shape(i), call.space)) {
            if (!kernel_calls::can_be_repeated(call, i)) return false;
            continue;
        }
        if (!call.values(i).is_contiguous() && !runtime::is_list(layout)) return false;
        if (layout == Layout::strided && !call.arguments[i].masked().mask().is_contiguous()) return false;
    }
    return true;
}

/// Fills call.scratch.flat of such a call.
void make_plain(const kernel_calls::Call& call) {
    auto& operands = call.scratch.flat;
    const bool any_mask = std::ranges::any_of(call.scratch.layouts, runtime::has_mask);
    for (int i = 0; i < call.parameter_count(); ++i) {
        if (!call.is_tensor(i)) continue;
        const Layout layout = call.layout(i);
        operands[i] = {};
        if (!kernel_calls::is_same(call.shape(i), call.space)) {
            operands[i].repeated = &call.values(i);
            continue;
        }
        if (runtime::is_list(layout)) {
            operands[i].values = call.scratch.keep(runtime::dense_values(call.arguments[i].masked()));
        } else {
            operands[i].values = call.values(i).data();
        }
        if (layout == Layout::bitmask) operands[i].pattern = call.arguments[i].masked().pattern();
        if (!any_mask || !call.is_masked(i)) continue;
        const AnyTensor* const mask =
            layout == Layout::strided ? &call.arguments[i].masked().mask() : nullptr;
        if (mask != nullptr && mask->is_contiguous())
            operands[i].bytes = static_cast<const std::uint8_t*>(mask->data());
        else
            operands[i].words = kernel_calls::words_of(call, i);
    }
}

/// Lists the layouts of the Masked arguments in call.scratch.layouts, and returns whether loops walk them
/// all.
bool list_layouts(const kernel_calls::Call& call) {
    bool are_walked = true;
    call.scratch.layouts.clear();
    for (int i = 0; i < call.parameter_count(); ++i) {
        if (!call.is_masked(i)) continue;
        call.scratch.layouts.push_back(call.layout(i));
        are_walked &= !runtime::traits_of(call.scratch.layouts.back()).kernel_layout;
    }
    return are_walked;
}

/// Elements of a row of the space.
std::int64_t row_length(const kernel_calls::Call& call) { return call.query(Layout::rows).row_length; }

/// A call that was checked.  It is planned, which takes all memory, and then run.
class Planned {
public:
    Planned(kernel_calls::KernelModule& source, std::span<const Argument> given, const Shape& space)
        : call_{source, source.signature(), given, space, element_count(space), lease_.scratch} {}

    void plan() {
        if (!call_.source.device().is_cpu()) return plan_on_device();
        if (!list_layouts(call_)) {
            walked_ = kernel_calls::in_layouts(call_.arguments, runtime::kernel_layout);
            call_.arguments = walked_;
            list_layouts(call_);
        }
        kernel_calls::Scratch& scratch = call_.scratch;
        kernel_calls::KernelModule& source = call_.source;
        scratch.fit(call_.signature, source.number_count());
        source.evaluate(call_.arguments, scratch.numbers.data());
        source.specialize(scratch.layouts, row_length(call_));
        if (call_.count > 0) find_run();
    }
    /// Takes memory for parts; to be called before plan() if other calls run with it.
    void keep_spare() { call_.spare = &spare_.emplace().scratch; }
    /// After it, if other calls run with it: they may have written when it runs.
    void reserve() {
        if (flat_) flat_->reserve();
        if (listed_) listed_->reserve();
    }

    void run() {
        if (flat_) flat_->run();
        if (listed_) listed_->run();
        if (other_) other_.run();
        call_.source.store_states(call_.arguments, call_.scratch.numbers.data());
    }
    /// Notes the call, which has run, if it is one of those that can be known.
    void note() const {
        if (flat_ && walked_.empty()) kernel_calls::note_step(call_);
    }

private:
    void plan_on_device() {
        list_layouts(call_);
        call_.scratch.fit(call_.signature, call_.source.number_count());
        call_.source.evaluate(call_.arguments, call_.scratch.numbers.data());
        if (call_.count == 0) return;
        call_.source.specialize(call_.scratch.layouts, row_length(call_));
        other_ = kernel_calls::ready_on_device(call_);
        if (!other_) {
            walked_ = kernel_calls::densified_arguments(call_.arguments);
            call_.arguments = walked_;
            other_ = kernel_calls::ready_on_device(call_);
        }
        call_.reserve(call_.scratch.loop);
    }
    /// COO and rows are walked by their lists, rows of one element as elements, where the arguments allow it.
    void find_run() {
        const Layout layout = call_.domain_layout();
        const bool is_of_one = layout == Layout::rows && row_length(call_) == 1;
        if (layout == Layout::coo || is_of_one) {
            if (listed_.emplace(call_).prepare()) return;
            listed_.reset();
        }
        if (layout == Layout::rows && (other_ = kernel_calls::ready_rows(call_))) return;
        if (!is_plain(call_) || kernel_calls::is_read_as_it_lies(call_)) {
            other_ = kernel_calls::ready_any(call_);
            return;
        }
        make_plain(call_);
        flat_.emplace(call_);
    }

    kernel_calls::FrameLease lease_;
    kernel_calls::Call call_;
    std::optional<kernel_calls::FrameLease> spare_;
    std::vector<Argument> walked_;
    std::optional<kernel_calls::FlatRun> flat_;
    std::optional<kernel_calls::ListedRun> listed_;
    kernel_calls::Ready other_;
};

/// The loops of a call: the loops of the device that holds its tensors, and for one mask, if it has one.
kernel_calls::KernelModule& loops_for(kernel_calls::KernelModule& given,
                                      std::span<const Argument> arguments) {
    kernel_calls::KernelModule& source =
        kernel_calls::where_tensors_live(given, given.signature(), arguments);
    kernel_calls::KernelModule* const assume_equal_masks =
        source.signature().domain < 0 ? source.of_equal_masks() : nullptr;
    return assume_equal_masks != nullptr && kernel_calls::has_one_list(source.signature(), arguments)
               ? *assume_equal_masks
               : source;
}

/// Calls that are all planned before the first is run.
class PlannedCalls {
public:
    PlannedCalls(std::shared_ptr<kernel_calls::KernelModule> source,
                 std::span<const std::vector<Argument>> calls)
        : source_(std::move(source)) {
        begins_.reserve(calls.size() + 1);
        for (const std::vector<Argument>& arguments : calls) {
            const Shape& space = kernel_calls::check_call(source_->signature(), arguments);
            kernel_calls::KernelModule& loops = loops_for(*source_, arguments);
            is_on_device_ |= !loops.device().is_cpu();
            calls_.emplace_back(loops, arguments, space).keep_spare();
            add_to_task(element_count(space));
        }
        begins_.push_back(calls_.end());
        for_each([](Planned& call) {
            call.plan();
            call.reserve();
        });
    }

    void run() {
        for_each([](Planned& call) { call.run(); });
    }

private:
    /// Small tensors go together, so that a task is worth a thread's waking.
    void add_to_task(std::int64_t elements) {
        if (begins_.empty() || elements_ >= limits::task_elements) {
            begins_.push_back(std::prev(calls_.end()));
            elements_ = 0;
        }
        elements_ += elements;
    }

    void for_each(const auto& body) {
        if (calls_.size() < 2 || is_on_device_) {
            for (Planned& call : calls_) body(call);
            return;
        }
        kernel_calls::ExceptionCollector failure;
        kernel_calls::parallel_for(*source_, static_cast<int>(begins_.size()) - 1, [&](int task) {
            const auto run_all = [&, place = static_cast<std::size_t>(task)] {
                for (auto call = begins_[place]; call != begins_[place + 1]; ++call) body(*call);
            };
            failure.guard(run_all, task);
        });
        failure.rethrow();
    }

    const std::shared_ptr<kernel_calls::KernelModule> source_;
    std::list<Planned> calls_;
    std::vector<std::list<Planned>::iterator> begins_;  // first call of each task, and the end
    std::int64_t elements_ = 0;                         // elements of the last task
    bool is_on_device_ = false;                         // a call is
};

}  // namespace

CompiledKernel::CompiledKernel(std::shared_ptr<kernel_calls::KernelModule> source)
    : source_(std::move(source)) {}

kernel_calls::KernelModule& CompiledKernel::source() const {
    if (!source_) detail::refuse_moved_from("kernel", "kernel");
    return *source_;
}

const Signature& CompiledKernel::signature() const { return source().signature(); }

void CompiledKernel::call(std::span<const Argument> given) const {
    if (kernel_calls::run_known_step(source(), given)) return;
    const Shape& space = kernel_calls::check_call(source_->signature(), given);
    Planned planned(loops_for(*source_, given), given, space);
    planned.plan();
    planned.run();
    planned.note();
}

kernel_calls::Ready kernel_calls::ready_calls(const CompiledKernel& kernel,
                                              std::span<const std::vector<Argument>> calls) {
    kernel.source();  // there is one
    return ready_of(std::make_shared<PlannedCalls>(kernel.source_, calls));
}

void CompiledKernel::call_each(std::span<const std::vector<Argument>> calls) const {
    kernel_calls::ready_calls(*this, calls).run();
}

void CompiledKernel::operator()(std::initializer_list<NamedArgument> arguments) const {
    (*this)(std::span(arguments.begin(), arguments.size()));
}

void CompiledKernel::operator()(std::span<const NamedArgument> named) const {
    std::vector<Argument> arguments(signature().parameters.size());
    kernel_calls::bind_names(signature(), named, arguments);
    call(arguments);
}

void CompiledKernel::warm_up(std::span<const Layout> layouts) const {
    int masked = 0;
    for (const Parameter& parameter : signature().parameters) masked += parameter.kind == SymbolKind::masked;
    for (const Layout layout : layouts) {
        const Layout met = runtime::kernel_layout(layout);
        const std::vector<Layout> all(static_cast<std::size_t>(masked), met);
        source().specialize(all, 0);
    }
}

void CompiledKernel::warm_up(std::initializer_list<Layout> layouts) const {
    warm_up(std::span(layouts.begin(), layouts.size()));
}

}  // namespace frisket

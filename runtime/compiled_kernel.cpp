// SPDX-License-Identifier: MIT
#include "compiled_kernel.hpp"

#include <algorithm>

#include "call/check.hpp"
#include "call/first_failure.hpp"
#include "call/frame.hpp"
#include "call/listed.hpp"
#include "call/pattern.hpp"
#include "call/words.hpp"
#include "layouts/row.hpp"
#include "limits.hpp"

namespace frisket {

namespace {

/// Whether all tensors lie row-major without gaps over the whole space, so that one index serves all.
bool is_plain(const Call& call) {
    for (int i = 0; i < call.parameter_count(); ++i) {
        if (!call.is_tensor(i)) continue;
        const Layout layout = call.layout(i);
        if (call.shape(i) != call.space) return false;
        const bool has_dense_values =
            layout == Layout::dense || layout == Layout::strided || layout == Layout::bitmask;
        if (has_dense_values && !call.values(i).is_contiguous()) return false;
        if (layout == Layout::strided && !call.arguments[i].masked().mask().is_contiguous()) return false;
    }
    return true;
}

void run_plain(const Call& call) {
    auto& operands = call.frame.flat;
    bool all_dense = true;
    for (int i = 0; i < call.parameter_count(); ++i)
        all_dense &= !call.is_masked(i) || call.layout(i) == Layout::dense;
    for (int i = 0; i < call.parameter_count(); ++i) {
        if (!call.is_tensor(i)) continue;
        const Layout layout = call.layout(i);
        operands[i] = {};
        if (layout == Layout::coo || layout == Layout::rows) {
            operands[i].values = call.frame.keep(dense_values(call.arguments[i].masked()));
        } else {
            operands[i].values = call.values(i).data();
        }
        if (layout == Layout::bitmask) operands[i].pattern = call.arguments[i].masked().pattern();
        if (all_dense || !call.is_masked(i)) continue;
        const AnyTensor* const mask =
            layout == Layout::strided ? &call.arguments[i].masked().mask() : nullptr;
        if (mask != nullptr && mask->is_contiguous())
            operands[i].bytes = static_cast<const std::uint8_t*>(mask->data());
        else
            operands[i].words = words_of(call, i);
    }
    run_flat(call);
}

/// A call's arguments: those in layouts that no loop walks are brought into one that loops do.
class Walked {
public:
    explicit Walked(std::span<const Argument> given) : arguments_(given) {
        for (std::size_t i = 0; i < given.size(); ++i) {
            if (given[i].kind() != Argument::Kind::masked) continue;
            const auto wanted = row_of(given[i].masked().layout()).walked_as;
            if (!wanted) continue;
            if (made_.empty()) {
                made_.assign(given.begin(), given.end());
                converted_.reserve(given.size());  // arguments point into it
                arguments_ = made_;
            }
            made_[i] = converted_.emplace_back(given[i].masked().to(*wanted));
        }
    }
    std::span<const Argument> arguments() const { return arguments_; }

private:
    std::span<const Argument> arguments_;
    std::vector<Argument> made_;
    std::vector<AnyMasked> converted_;
};

/// COO and rows are walked by their lists where the arguments allow it.
void run(const Call& call) {
    if (call.signature.domain >= 0) {
        const Layout layout = call.layout(call.signature.domain);
        if (layout == Layout::coo && run_listed(call)) return;
        if (layout == Layout::rows && run_rows(call)) return;
    }
    is_plain(call) ? run_plain(call) : run_any(call);
}

}  // namespace

CompiledKernel::CompiledKernel(std::shared_ptr<LoopSource> source) : source_(std::move(source)) {}

const Signature& CompiledKernel::signature() const noexcept { return source_->signature(); }

void CompiledKernel::call(std::span<const Argument> given) const {
    const Shape& space = check_call(source_->signature(), given);
    call_checked(given, space);
}

void CompiledKernel::call_checked(std::span<const Argument> given, const Shape& space) const {
    LoopSource* const one_mask = source_->signature().domain < 0 ? source_->of_one_mask() : nullptr;
    LoopSource& source =
        one_mask != nullptr && has_one_list(source_->signature(), given) ? *one_mask : *source_;
    const Signature& signature = source.signature();
    const Walked walked(given);
    const std::span<const Argument> arguments = walked.arguments();
    const FrameLease lease;
    Frame& frame = lease.frame;
    frame.fit(signature, source.number_count());
    source.evaluate(arguments, frame.numbers.data());
    Call call{source, signature, arguments, space, element_count(space), frame};
    frame.layouts.clear();
    for (int i = 0; i < call.parameter_count(); ++i)
        if (call.is_masked(i)) frame.layouts.push_back(call.layout(i));
    source.meet(frame.layouts);
    if (call.count > 0) run(call);
    source.store_states(arguments, frame.numbers.data());
}

void CompiledKernel::call_each(std::span<const std::vector<Argument>> calls) const {
    std::vector<const Shape*> spaces;
    for (const std::vector<Argument>& arguments : calls)
        spaces.push_back(&check_call(source_->signature(), arguments));
    const auto run_one = [&](std::size_t i) { call_checked(calls[i], *spaces[i]); };
    if (calls.size() < 2 || !source_->runs_on_host()) {
        for (std::size_t i = 0; i < calls.size(); ++i) run_one(i);
        return;
    }
    // Small tensors go together, so that a task is worth a thread's waking.
    std::vector<std::size_t> begins{0};
    std::int64_t elements = 0;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        elements += element_count(*spaces[i]);
        if (elements < limits::task_elements && i + 1 < calls.size()) continue;
        begins.push_back(i + 1);
        elements = 0;
    }
    FirstFailure failure;
    parallel_for(*source_, static_cast<int>(begins.size()) - 1, [&](int task) {
        const auto run_all = [&, place = static_cast<std::size_t>(task)] {
            for (std::size_t i = begins[place]; i < begins[place + 1]; ++i) run_one(i);
        };
        failure.guard(run_all, task);
    });
    failure.rethrow();
}

void CompiledKernel::operator()(std::initializer_list<NamedArgument> arguments) const {
    (*this)(std::span(arguments.begin(), arguments.size()));
}

void CompiledKernel::operator()(std::span<const NamedArgument> named) const {
    std::vector<Argument> arguments(signature().parameters.size());
    bind_names(signature(), named, arguments);
    call(arguments);
}

void CompiledKernel::warm_up(std::span<const Layout> layouts) const {
    int masked = 0;
    for (const Parameter& parameter : signature().parameters) masked += parameter.kind == SymbolKind::masked;
    for (const Layout layout : layouts) {
        const Layout met = walked_layout(layout);
        const std::vector<Layout> all(static_cast<std::size_t>(masked), met);
        source_->meet(all);
    }
}

AnyMasked CompiledKernel::prepare(const AnyMasked& masked) const {
    AnyMasked made = prepared(masked, *source_);
    warm_up({made.layout()});
    return made;
}

void CompiledKernel::warm_up(std::initializer_list<Layout> layouts) const {
    warm_up(std::span(layouts.begin(), layouts.size()));
}

}  // namespace frisket

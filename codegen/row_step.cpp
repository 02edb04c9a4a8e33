// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "row_step.hpp"

#include <algorithm>
#include <cstring>
#include <deque>

#include "../runtime/call/frame.hpp"
#include "../runtime/call/row_parts.hpp"
#include "../runtime/layouts/layout.hpp"
#include "halide_jit.hpp"
#include "row_loops.hpp"

namespace frisket {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr halide_type_t index_type(halide_type_int, 32);

/// A dense argument as rows: elements from one to the next, 0 if one is repeated.
struct DenseRows {
    const std::byte* data = nullptr;
    std::int64_t stride = 0;
    std::int64_t bytes = 0;  ///< of a row
};

/// Memory of a thread, for the part that it works on.
struct Scratch {
    LoopArguments loop;
    std::vector<std::vector<std::byte>> gathered;  // of each symbol of the values: its listed rows
    std::vector<std::vector<std::byte>> results;   // of the values
};

/// The masked arguments with one list: they share it, or have lists of the same rows without duplicates.
class SameRows {
public:
    static std::optional<SameRows> of(std::span<const int> masked, std::span<const Argument> arguments) {
        SameRows made;
        for (const int symbol : masked) {
            const Argument& argument = arguments[at(symbol)];
            if (argument.kind() != Argument::Kind::masked || argument.masked().layout() != Layout::rows)
                return {};
            const AnyMasked& given = argument.masked();
            made.all_.push_back(given.values().is_contiguous() ? given : AnyMasked(given.clone()));
            if (!same_mask(made.all_.front(), given)) return {};
        }
        const IndexList& first = *made.all_.front().index();
        const bool is_shared =
            std::ranges::all_of(made.all_, [&](const AnyMasked& one) { return one.index().get() == &first; });
        if (!is_shared || !(first.has_keys() || first.is_coalesced()))
            for (AnyMasked& one : made.all_) one = one.coalesce();
        return made;
    }
    const IndexList& index() const { return *all_.front().index(); }
    std::vector<ListedRows> rows() const {
        std::vector<ListedRows> rows;
        for (const AnyMasked& one : all_)
            rows.push_back({one.values().data(), one.dtype(), one.size() / one.shape()[0]});
        return rows;
    }

private:
    std::vector<AnyMasked> all_;
};

/// A call of a plan.
class RowCall {
public:
    RowCall(const RowPlan& plan, const RowLoops& loops, std::span<const Argument> arguments)
        : plan_(plan), loops_(loops), arguments_(arguments) {}

    /// Whether dense arguments are rows without gaps.
    bool find_rows() {
        dense_.resize(arguments_.size());
        for (const RowPhase& step : plan_.steps)
            for (std::size_t i = 0; i < step.forms.size(); ++i)
                if (!find_rows(step.phase.arguments[i], step.forms[i])) return false;
        for (std::size_t i = 0; i < plan_.values_by_row.size(); ++i)
            if (plan_.values_by_row[i] && !find_rows(plan_.values.arguments[i], {.by_row = true}))
                return false;
        return true;
    }

    void run(const SameRows& rows, std::int64_t most_rows) {
        evaluate_numbers();
        const std::vector<ListedRows> listed = rows.rows();
        std::vector<TouchedRows> touched;
        for (const DenseRows& one : dense_)
            if (one.stride > 0) touched.push_back({one.data, one.stride * element_bytes(one), one.bytes});
        const RowWalk walk{.index = &rows.index(),
                           .listed = listed,
                           .touched = touched,
                           .in_one_part = plan_.crosses,
                           .most_rows = most_rows};
        listed_ = listed;
        for_each_part(run_tasks, walk, [this](const RowPart& part) { run_part(part); });
        if (!plan_.steps.empty()) {
            const auto last = plan_.steps.size() - 1;
            const HostNumbers& numbers = loops_.step(last).numbers;
            if (numbers.has_states())
                numbers.store_states(arguments_of(plan_.steps[last].phase), numbers_[last + 1].data());
        }
    }

    /// Rows that a loop may span: its offsets are 32 bits wide.
    std::int64_t most_rows() const {
        std::int64_t widest = 1;
        for (const DenseRows& one : dense_) widest = std::max(widest, one.stride);
        return std::max<std::int64_t>(segment_elements / widest / 64 * 64, 64);
    }

private:
    static void run_tasks(int tasks, const std::function<void(int)>& task) {
        jit_parallel_for(
            tasks, [](void* closure, int i) { (*static_cast<const std::function<void(int)>*>(closure))(i); },
            const_cast<void*>(static_cast<const void*>(&task)));
    }

    std::int64_t element_bytes(const DenseRows& one) const {
        return bytes_of(arguments_[static_cast<std::size_t>(&one - dense_.data())].tensor().dtype());
    }

    bool find_rows(const PhaseArgument& from, const RowForm& form) {
        if (from.is_value || arguments_[at(from.index)].kind() != Argument::Kind::tensor) return true;
        const AnyTensor& tensor = arguments_[at(from.index)].tensor();
        const std::size_t outer =
            form.by_row || tensor.rank() == static_cast<int>(plan_.shape.size()) ? 1 : 0;
        const std::span inner = std::span(tensor.shape()).subspan(outer);
        if (!is_contiguous(inner, std::span(tensor.strides()).subspan(outer))) return false;
        const std::int64_t stride = form.by_row ? tensor.strides()[0] : 0;
        if (stride < 0) return false;
        dense_[at(from.index)] = {static_cast<const std::byte*>(tensor.data()), stride,
                                  element_count(inner) * bytes_of(tensor.dtype())};
        return true;
    }

    std::vector<Argument> arguments_of(const Phase& phase) const {
        std::vector<Argument> arguments;
        for (const PhaseArgument& from : phase.arguments)
            arguments.push_back(from.is_value ? Argument() : arguments_[at(from.index)]);
        return arguments;
    }

    void evaluate_numbers() {
        const auto evaluate = [&](const HostNumbers& host, const Phase& phase) {
            host.evaluate(arguments_of(phase), numbers_.emplace_back(host.size()).data());
        };
        evaluate(loops_.values().numbers, plan_.values);
        for (std::size_t i = 0; i < plan_.steps.size(); ++i)
            evaluate(loops_.step(i).numbers, plan_.steps[i].phase);
    }

    void begin(LoopArguments& loop, const HostNumbers& host, std::span<const double> numbers,
               std::size_t tensors, std::size_t rank) const {
        loop.begin(host.slots().size() + loops_.sizes().size() + 1, tensors, rank);
        for (std::size_t i = 0; i < host.slots().size(); ++i) loop.add(numbers[i], host.slots()[i].dtype);
    }

    void run_part(const RowPart& part) const {
        thread_local Scratch scratch;
        const Graph& values = plan_.values.graph;
        scratch.gathered.resize(std::max(scratch.gathered.size(), values.symbols.size()));
        scratch.results.resize(std::max(scratch.results.size(), values.results.size()));
        if (!values.results.empty()) run_values(part, scratch);
        for (std::size_t i = 0; i < plan_.steps.size(); ++i) run_step(i, part, scratch);
    }

    void run_values(const RowPart& part, Scratch& scratch) const {
        const Graph& values = plan_.values.graph;
        const auto count = static_cast<std::int64_t>(part.rows.size());
        std::size_t rank = 1;
        for (const Node& node : values.nodes) rank = std::max(rank, node.shape.size());
        begin(scratch.loop, loops_.values().numbers, numbers_[0],
              values.symbols.size() + values.results.size(), rank);
        for (const SizeSlot& slot : loops_.sizes()) {
            const bool is_count =
                slot.kind == SizeSlot::Kind::extent && slot.index == 0 && plan_.nodes_by_row[at(slot.node)];
            scratch.loop.add(is_count ? static_cast<std::int32_t>(count) : slot.of(values));
        }
        for (std::size_t i = 0; i < values.symbols.size(); ++i)
            if (values.symbols[i].kind <= SymbolKind::masked) add_input(i, part, scratch);
        for (std::size_t i = 0; i < values.results.size(); ++i) {
            const Node& node = values[values.results[i]];
            Shape shape = node.shape;
            if (plan_.results_by_row[i]) shape[0] = count;
            const DType dtype = node.result_dtype();
            auto& memory = scratch.results[i];
            memory.resize(static_cast<std::size_t>(element_count(shape) * bytes_of(dtype)));
            add(scratch.loop, memory.data(), dtype, shape, contiguous_strides(shape));
        }
        loops_.values().run(scratch.loop.argv());
    }

    static void add(LoopArguments& loop, const void* data, DType dtype, const Shape& shape,
                    const Strides& strides) {
        std::array<LoopDim, 16> dims;
        const std::size_t rank = shape.size();
        for (std::size_t d = 0; d < rank; ++d) dims[d] = {shape[rank - 1 - d], strides[rank - 1 - d]};
        loop.add(data, loop_type(dtype), std::span(dims).first(rank));
    }

    void add_input(std::size_t i, const RowPart& part, Scratch& scratch) const {
        const int index = plan_.values.arguments[i].index;
        const Argument& argument = arguments_[at(index)];
        if (!plan_.values_by_row[i]) {
            const AnyTensor& whole = argument.tensor();
            return add(scratch.loop, whole.data(), whole.dtype(), whole.shape(), whole.strides());
        }
        Shape shape = argument.shape();
        shape[0] = static_cast<std::int64_t>(part.rows.size());
        const DType dtype = plan_.values.graph.symbols[i].dtype;
        const void* data = nullptr;
        if (argument.kind() == Argument::Kind::masked) {
            data = part.values[place_of(index)];
        } else {
            const DenseRows& rows = dense_[at(index)];
            auto& memory = scratch.gathered[i];
            memory.resize(part.rows.size() * static_cast<std::size_t>(rows.bytes));
            std::byte* to = memory.data();
            for (const std::int32_t row : part.rows) {
                const std::byte* from = rows.data + (part.first + row) * rows.stride * bytes_of(dtype);
                std::memcpy(to, from, static_cast<std::size_t>(rows.bytes));
                to += rows.bytes;
            }
            data = memory.data();
        }
        add(scratch.loop, data, dtype, shape, contiguous_strides(shape));
    }

    /// Where the values of a Masked symbol stand in a part.
    std::size_t place_of(int symbol) const {
        return static_cast<std::size_t>(std::ranges::find(plan_.masked, symbol) - plan_.masked.begin());
    }

    void run_step(std::size_t i, const RowPart& part, Scratch& scratch) const {
        const RowPhase& step = plan_.steps[i];
        const RowLoop& loop = loops_.step(i);
        const auto count = static_cast<std::int64_t>(part.rows.size());
        begin(scratch.loop, loop.numbers, numbers_[i + 1], step.forms.size() + 1, 2);
        if (loop.needs_positions) scratch.loop.add(part.first * step.length);
        const LoopDim list[] = {{count, 1}};
        scratch.loop.add(part.rows.data(), index_type, list);
        const Graph& graph = step.phase.graph;
        const std::vector<int>& outputs = step.outputs;
        for (int symbol = 0; symbol < static_cast<int>(graph.symbols.size()); ++symbol)
            if (graph.symbols[at(symbol)].kind <= SymbolKind::masked &&
                std::ranges::find(outputs, symbol) == outputs.end())
                add_operand(step, symbol, part, scratch);
        for (const int symbol : outputs) add_operand(step, symbol, part, scratch);
        loop.run(scratch.loop.argv());
    }

    void add_operand(const RowPhase& step, int symbol, const RowPart& part, Scratch& scratch) const {
        const PhaseArgument& from = step.phase.arguments[at(symbol)];
        const RowForm& form = step.forms[at(symbol)];
        const DType dtype = step.phase.graph.symbols[at(symbol)].dtype;
        const std::byte* data = nullptr;
        std::int64_t rows = static_cast<std::int64_t>(part.rows.size());
        std::int64_t stride = form.is_single ? 1 : step.length;
        if (from.is_value) {
            data = scratch.results[at(from.index)].data();
            if (!plan_.results_by_row[at(from.index)]) stride = 0;
        } else if (arguments_[at(from.index)].kind() == Argument::Kind::masked) {
            data = part.values[place_of(from.index)];
            stride = listed_[place_of(from.index)].length;
        } else {
            const DenseRows& dense = dense_[at(from.index)];
            stride = dense.stride;
            data = dense.data + part.first * stride * bytes_of(dtype);
            rows = part.rows.back() + 1;
        }
        const LoopDim dims[] = {{step.length, 1}, {rows, stride}};
        scratch.loop.add(data, loop_type(dtype), std::span(dims).subspan(form.is_single ? 1 : 0));
    }

    const RowPlan& plan_;
    const RowLoops& loops_;
    std::span<const Argument> arguments_;
    std::vector<DenseRows> dense_;              // of each argument
    std::vector<ListedRows> listed_;            // of each masked one
    std::vector<std::vector<double>> numbers_;  // of the values, and of each step
};

}  // namespace

RowStep::RowStep(RowPlan plan, const TargetName& target)
    : plan_(std::move(plan)), loops_(RowLoops::get(plan_, find_target(target))) {}

bool RowStep::run(std::span<const Argument> arguments) const {
    const std::optional<SameRows> rows = SameRows::of(plan_.masked, arguments);
    if (!rows) return false;
    RowCall call(plan_, *loops_, arguments);
    if (!call.find_rows()) return false;
    const std::int64_t listed = rows->index().size() * (element_count(plan_.shape) / plan_.shape[0]);
    if (plan_.crosses && (call.most_rows() < plan_.shape[0] || listed >= segment_elements)) return false;
    loops_->prepare();
    call.run(*rows, call.most_rows());
    return true;
}

}  // namespace frisket

// SPDX-License-Identifier: MIT
#include "row_step.hpp"

#include <algorithm>
#include <cstring>

#include "../../ir/at.hpp"
#include "../../runtime/iterate/row_parts.hpp"
#include "../../runtime/kernel/per_thread.hpp"
#include "../../runtime/kernel/scratch.hpp"
#include "../../runtime/support/parallel.hpp"
#include "row_loops.hpp"
#include "same_rows.hpp"

namespace frisket::codegen {

using ir::at;

namespace {

/// A dense argument as rows: elements from one to the next, 0 if one is repeated.
struct DenseRows {
    const std::byte* data = nullptr;
    std::int64_t stride = 0;
    std::int64_t bytes = 0;  ///< size of a row
};

/// Memory of a thread, for the part that it works on.
struct Scratch {
    kernel_calls::LoopArguments loop;
    std::vector<std::vector<std::byte>> gathered;  // listed rows of each symbol of the values
    std::vector<std::vector<std::byte>> results;   // results of the values, on the processor
    std::vector<std::int32_t> sizes;               // sizes that the loop of the values takes
    std::unique_ptr<std::byte[]> inner;            // memory for the loop of the values, if needed
    std::size_t inner_bytes = 0;

    void reserve_inner(std::size_t bytes) {
        inner = std::make_unique_for_overwrite<std::byte[]>(bytes + LoopContext::alignment);
        inner_bytes = bytes;
    }
    std::span<std::byte> reserved() const {
        void* begin = inner.get();
        std::size_t room = inner_bytes + LoopContext::alignment;
        if (begin == nullptr || std::align(LoopContext::alignment, inner_bytes, begin, room) == nullptr)
            return {};
        return {static_cast<std::byte*>(begin), inner_bytes};
    }
};

/// A call of a plan: on the processor part after part, on a device all rows at once.
class RowCall {
public:
    /// Refers to the arguments.
    RowCall(std::shared_ptr<RowLoops> loops, std::span<const Argument> arguments, SameRows rows)
        : loops_of_plan_(std::move(loops)),
          loops_(*loops_of_plan_),
          plan_(loops_.plan()),
          arguments_(arguments.begin(), arguments.end()),
          rows_(std::move(rows)) {}

    /// Finds the rows of dense arguments; false if they have gaps.
    bool find_rows() {
        dense_.resize(arguments_.size());
        for (const planning::RowStage& step : plan_.steps)
            for (std::size_t i = 0; i < step.forms.size(); ++i)
                if (!find_rows(step.stage.arguments[i], step.forms[i])) return false;
        for (std::size_t i = 0; i < plan_.values_by_row.size(); ++i) {
            const planning::StageArgument& from = plan_.values.arguments[i];
            if (plan_.values_by_row[i] ? !find_rows(from, {.by_row = true}) : !is_found_whole(from))
                return false;
        }
        return true;
    }

    /// Makes the memory that run() takes.
    void plan() {
        evaluate_numbers();
        listed_ = rows_.rows();
        if (!plan_.steps.empty()) last_ = arguments_of(plan_.steps.back().stage);
        if (is_on_device()) return plan_on_device();
        for (const DenseRows& one : dense_)
            if (one.stride > 0) touched_.push_back({one.data, one.stride * element_bytes(one), one.bytes});
        const kernel_calls::RowWalk walk{.index = &rows_.index(),
                                         .listed = listed_,
                                         .touched = touched_,
                                         .in_one_part = plan_.mixes_coordinates,
                                         .most_rows = most_rows()};
        run_tasks_ = [](int tasks, const auto& task) { runtime::parallel_tasks(tasks, task); };
        parts_.emplace(walk, kernel_calls::PartLoops{
                                 [this](auto memory, std::int64_t rows) { reserve(memory, rows); },
                                 [this](const auto& part, auto memory) { run(part, scratch_in(memory)); }});
    }

    void run() {
        if (is_on_device())
            run_on_device();
        else
            parts_->run(run_tasks_);
        if (plan_.steps.empty()) return;
        const auto last = plan_.steps.size() - 1;
        const ir::ScalarProgram& numbers = loops_.step(last).numbers();
        if (numbers.has_states()) numbers.store_states(last_, numbers_[last + 1].data());
    }

    /// Rows that a loop may span: its offsets are 32 bits wide.
    std::int64_t most_rows() const {
        std::int64_t widest = 1;
        for (const DenseRows& one : dense_) widest = std::max(widest, one.stride);
        return kernel_calls::most_rows_of(widest, plan_.shape[0]);
    }

private:
    bool is_on_device() const { return !loops_.device().is_cpu(); }

    /// The rows of a device are one part, whose list and values are on the device.
    void plan_on_device() {
        const Graph& values = plan_.values.graph;
        for (std::size_t i = 0; i < values.results.size(); ++i)
            results_there_.push_back(empty(
                DType::uint8, {std::max<std::int64_t>(result_bytes(i, rows_.count()), 1)}, loops_.device()));
        for (const kernel_calls::ListedRows& one : listed_)
            values_there_.push_back(static_cast<const std::byte*>(one.data));
    }
    void run_on_device() {
        const auto count = static_cast<std::size_t>(rows_.count());
        if (count == 0) return;
        Scratch& scratch = scratch_in(kernel_calls::PartMemory::of_thread);
        run({.first = 0,
             .rows = {static_cast<const std::int32_t*>(rows_.places().address()), count},
             .values = values_there_},
            scratch);
    }

    std::int64_t element_bytes(const DenseRows& one) const {
        return bytes_of(arguments_[static_cast<std::size_t>(&one - dense_.data())].tensor().dtype());
    }

    bool is_found_whole(const planning::StageArgument& from) const {
        const Argument& argument = arguments_[at(from.index)];
        return argument.kind() != Argument::Kind::tensor || argument.tensor().size() == 0 ||
               kernel_calls::is_in_reach(argument.tensor());
    }

    bool find_rows(const planning::StageArgument& from, const planning::RowForm& form) {
        if (from.is_value || arguments_[at(from.index)].kind() != Argument::Kind::tensor) return true;
        const AnyTensor& tensor = arguments_[at(from.index)].tensor();
        const std::size_t outer =
            form.by_row || tensor.rank() == static_cast<int>(plan_.shape.size()) ? 1 : 0;
        const std::span inner = std::span(tensor.shape()).subspan(outer);
        if (!is_contiguous(inner, std::span(tensor.strides()).subspan(outer))) return false;
        const std::int64_t stride = form.by_row ? tensor.strides()[0] : 0;
        if (stride < 0 || (stride > 0 && kernel_calls::most_rows_of(stride, plan_.shape[0]) == 0))
            return false;
        dense_[at(from.index)] = {static_cast<const std::byte*>(tensor.address()), stride,
                                  element_count(inner) * bytes_of(tensor.dtype())};
        return true;
    }

    std::vector<Argument> arguments_of(const planning::Stage& stage) const {
        std::vector<Argument> arguments;
        for (const planning::StageArgument& from : stage.arguments)
            arguments.push_back(from.is_value ? Argument() : arguments_[at(from.index)]);
        return arguments;
    }

    void evaluate_numbers() {
        const auto evaluate = [&](const ir::ScalarProgram& host, const planning::Stage& stage) {
            host.evaluate(arguments_of(stage), numbers_.emplace_back(host.size()).data());
        };
        evaluate(loops_.values().numbers(), plan_.values);
        for (std::size_t i = 0; i < plan_.steps.size(); ++i)
            evaluate(loops_.step(i).numbers(), plan_.steps[i].stage);
    }

    Scratch& scratch_in(kernel_calls::PartMemory memory) {
        static constinit kernel_calls::PerThread<Scratch> of_threads;
        return memory == kernel_calls::PartMemory::spare ? spare_ : of_threads.get();
    }

    void reserve(kernel_calls::PartMemory memory, std::int64_t rows) {
        Scratch& scratch = scratch_in(memory);
        const Graph& values = plan_.values.graph;
        if (scratch.gathered.size() < values.symbols.size()) scratch.gathered.resize(values.symbols.size());
        if (scratch.results.size() < values.results.size()) scratch.results.resize(values.results.size());
        scratch.loop.begin(loops_.values().abi().size(), values_rank());
        scratch.sizes.reserve(loops_.values().sizes().size());
        for (std::size_t i = 0; i < values.symbols.size(); ++i)
            if (is_tensor(values.symbols[i].kind) && is_gathered(i))
                scratch.gathered[i].reserve(
                    static_cast<std::size_t>(rows * dense_[at(plan_.values.arguments[i].index)].bytes));
        for (std::size_t i = 0; i < values.results.size(); ++i)
            scratch.results[i].reserve(result_bytes(i, rows));
        for (std::size_t i = 0; i < plan_.steps.size(); ++i)
            scratch.loop.begin(loops_.step(i).abi().size(), rank_of(ArrayForm::rows));
        if (memory == kernel_calls::PartMemory::spare && !values.results.empty())
            scratch.reserve_inner(loops_.bytes_of_values(rows));
    }

    void run(const kernel_calls::RowPart& part, Scratch& scratch) const {
        if (!plan_.values.graph.results.empty()) run_values(part, scratch);
        for (std::size_t i = 0; i < plan_.steps.size(); ++i) run_step(i, part, scratch);
    }

    /// Dimensions of a tensor of the values, at most.
    std::size_t values_rank() const {
        std::size_t rank = 1;
        for (const Node& node : plan_.values.graph.nodes) rank = std::max(rank, node.shape.size());
        return rank;
    }

    std::size_t result_bytes(std::size_t i, std::int64_t rows) const {
        const Node& node = plan_.values.graph[plan_.values.graph.results[i]];
        std::int64_t elements = 1;
        for (std::size_t d = 0; d < node.shape.size(); ++d)
            elements *= d == 0 && plan_.results_by_row[i] ? rows : node.shape[d];
        return static_cast<std::size_t>(elements * bytes_of(node.result_dtype()));
    }

    static constexpr std::size_t most_rank = 16;
    using Dims = std::array<kernel_calls::LoopDim, most_rank>;

    void run_values(const kernel_calls::RowPart& part, Scratch& scratch) const {
        const Graph& values = plan_.values.graph;
        const CompiledExpression& loop = loops_.values();
        const auto count = static_cast<std::int64_t>(part.rows.size());
        scratch.sizes.clear();
        for (const SizeSlot& slot : loops_.values().sizes()) {
            const bool is_count =
                slot.kind == SizeSlot::Kind::extent && slot.index == 0 && plan_.nodes_by_row[at(slot.node)];
            scratch.sizes.push_back(is_count ? static_cast<std::int32_t>(count) : slot.of(values));
        }
        Dims dims;
        const auto view = [&](const kernel_calls::LoopParameter& parameter) -> kernel_calls::ArrayView {
            const auto i = static_cast<std::size_t>(parameter.index);
            if (parameter.role == kernel_calls::LoopRole::list)
                return whole(part.rows.data(), {count}, -1, dims);
            if (parameter.role == kernel_calls::LoopRole::values) return input(i, part, scratch, dims);
            if (!is_on_device()) scratch.results[i].resize(result_bytes(i, count));
            return whole(result(i, scratch), values[values.results[i]].shape,
                         plan_.results_by_row[i] ? count : -1, dims);
        };
        const kernel_calls::LoopNumbers numbers{.host = numbers_[0].data(), .others = scratch.sizes};
        loop.call(kernel_calls::pack(loop.abi(), numbers, scratch.loop, view, values_rank()),
                  scratch.reserved());
    }

    /// The memory of a result of the values.
    const void* result(std::size_t i, const Scratch& scratch) const {
        return is_on_device() ? results_there_[i].address() : scratch.results[i].data();
    }

    /// Without gaps; `rows`: in place of the first extent, or -1.
    static kernel_calls::ArrayView whole(const void* data, const Shape& shape, std::int64_t rows,
                                         Dims& dims) {
        const std::size_t rank = shape.size();
        std::int64_t stride = 1;
        for (std::size_t d = rank; d-- > 0;) {
            const std::int64_t extent = d == 0 && rows >= 0 ? rows : shape[d];
            dims[rank - 1 - d] = {extent, stride};
            stride *= std::max<std::int64_t>(extent, 1);
        }
        return {data, std::span(dims).first(rank)};
    }

    static kernel_calls::ArrayView as_it_lies(const AnyTensor& tensor, Dims& dims) {
        const std::size_t rank = tensor.shape().size();
        for (std::size_t d = 0; d < rank; ++d)
            dims[d] = {tensor.shape()[rank - 1 - d], tensor.strides()[rank - 1 - d]};
        return {tensor.address(), std::span(dims).first(rank)};
    }

    /// True if the rows of a dense argument are brought together for the values.
    bool is_gathered(std::size_t i) const {
        return plan_.values_by_row[i] &&
               arguments_[at(plan_.values.arguments[i].index)].kind() != Argument::Kind::masked;
    }

    kernel_calls::ArrayView input(std::size_t i, const kernel_calls::RowPart& part, Scratch& scratch,
                                  Dims& dims) const {
        const int index = plan_.values.arguments[i].index;
        const Argument& argument = arguments_[at(index)];
        if (!plan_.values_by_row[i] || (is_on_device() && is_gathered(i)))
            return as_it_lies(argument.tensor(), dims);
        const DType dtype = plan_.values.graph.symbols[i].dtype;
        const void* data = nullptr;
        if (is_gathered(i)) {
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
        } else {
            data = part.values[place_of(index)];
        }
        return whole(data, argument.shape(), static_cast<std::int64_t>(part.rows.size()), dims);
    }

    /// Place of a Masked symbol's values in a part.
    std::size_t place_of(int symbol) const {
        return static_cast<std::size_t>(std::ranges::find(plan_.masked, symbol) - plan_.masked.begin());
    }

    void run_step(std::size_t i, const kernel_calls::RowPart& part, Scratch& scratch) const {
        const planning::RowStage& step = plan_.steps[i];
        const CompiledExpression& loop = loops_.step(i);
        std::array<kernel_calls::LoopDim, 2> dims;
        const auto view = [&](const kernel_calls::LoopParameter& parameter) -> kernel_calls::ArrayView {
            if (parameter.role != kernel_calls::LoopRole::list)
                return operand(step, parameter, part, scratch, dims);
            dims[0] = {std::ssize(part.rows), 1};
            return {part.rows.data(), std::span(dims).first(1)};
        };
        const kernel_calls::LoopNumbers numbers{.host = numbers_[i + 1].data(),
                                                .first = part.first * step.length};
        loop.call(kernel_calls::pack(loop.abi(), numbers, scratch.loop, view, rank_of(ArrayForm::rows)));
    }

    /// Rows of the tensors that a part may read.
    std::int64_t rows_in(const kernel_calls::RowPart& part) const {
        return is_on_device() ? plan_.shape[0] : part.rows.back() + 1;
    }

    kernel_calls::ArrayView operand(const planning::RowStage& step,
                                    const kernel_calls::LoopParameter& parameter,
                                    const kernel_calls::RowPart& part, const Scratch& scratch,
                                    std::array<kernel_calls::LoopDim, 2>& dims) const {
        const planning::StageArgument& from = step.stage.arguments[at(parameter.index)];
        const bool is_single = rank_of(parameter.form) == 1;
        const std::byte* data = nullptr;
        std::int64_t rows = std::ssize(part.rows);
        std::int64_t stride = is_single ? 1 : step.length;
        if (from.is_value) {
            data = static_cast<const std::byte*>(result(at(from.index), scratch));
            if (!plan_.results_by_row[at(from.index)]) {
                stride = 0;
                rows = rows_in(part);
            }
        } else if (arguments_[at(from.index)].kind() == Argument::Kind::masked) {
            data = part.values[place_of(from.index)];
            stride = listed_[place_of(from.index)].length;
        } else {
            const DenseRows& dense = dense_[at(from.index)];
            stride = dense.stride;
            data = dense.data + part.first * stride * bytes_of(parameter.dtype);
            rows = rows_in(part);
        }
        // Outputs have whole rows: one number of a row is written by each of their elements.
        const bool is_repeated = !is_single && step.forms[at(parameter.index)].is_single;
        dims = {kernel_calls::LoopDim{step.length, is_repeated ? 0 : 1}, kernel_calls::LoopDim{rows, stride}};
        return {data, std::span<const kernel_calls::LoopDim>(dims).subspan(is_single ? 1 : 0)};
    }

    const std::shared_ptr<RowLoops> loops_of_plan_;
    const RowLoops& loops_;
    const planning::RowPlan& plan_;
    const std::vector<Argument> arguments_;
    const SameRows rows_;
    std::vector<DenseRows> dense_;                  // rows of each argument
    std::vector<kernel_calls::ListedRows> listed_;  // rows of each masked argument
    std::vector<kernel_calls::TouchedRows> touched_;
    std::vector<std::vector<double>> numbers_;    // numbers of the values, and of each step
    std::vector<Argument> last_;                  // arguments of the last step
    std::vector<AnyTensor> results_there_;        // results of the values, on a device
    std::vector<const std::byte*> values_there_;  // values of each masked argument
    Scratch spare_;
    kernel_calls::RunTasks run_tasks_;
    std::optional<kernel_calls::RowParts> parts_;
};

}  // namespace

kernel_calls::Ready ready_rows(std::shared_ptr<RowLoops> loops, std::span<const Argument> arguments) {
    const planning::RowPlan& plan = loops->plan();
    std::optional<SameRows> rows = SameRows::of(plan.masked, arguments);
    if (!rows) return {};
    const std::int64_t listed = rows->count() * (element_count(plan.shape) / plan.shape[0]);
    auto call = std::make_shared<RowCall>(loops, arguments, std::move(*rows));
    if (!call->find_rows()) return {};
    const bool is_one_part = plan.mixes_coordinates || !loops->device().is_cpu();
    if (is_one_part && call->most_rows() < plan.shape[0]) return {};
    if (plan.mixes_coordinates && loops->device().is_cpu() && listed >= limits::segment_elements) return {};
    loops->prepare();
    if (!loops->is_there()) return {};
    call->plan();
    return kernel_calls::ready_of(call, kernel_calls::has_state(arguments));
}

}  // namespace frisket::codegen

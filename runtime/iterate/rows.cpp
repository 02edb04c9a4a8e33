// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>

#include "../kernel/per_thread.hpp"
#include "../tensor/bitmask_ops.hpp"
#include "coalesce_domain.hpp"
#include "row_parts.hpp"

/// Loops over a list of rows.
namespace frisket::kernel_calls {

namespace {

/// The largest stride between rows of arguments that are not listed, at least the length of a row; 0 if some
/// argument has no rows.
std::int64_t widest_row(const Call& call, std::int64_t length) {
    std::int64_t widest = std::max<std::int64_t>(length, 1);
    for (int i = 0; i < call.parameter_count(); ++i) {
        if (!call.is_tensor(i) || call.is_listed(i)) continue;
        if (call.is_masked(i)) {
            if (call.shape(i) != call.space) return 0;
            continue;
        }
        const auto stride = row_stride(call.values(i), call.space);
        if (!stride || *stride < 0) return 0;
        widest = std::max(widest, *stride);
    }
    return widest;
}

/// Runs the loop for a part.
void run_rows(const Call& call, const RowPart& part, std::int64_t length, LoopArguments& loop) {
    const std::int64_t entries = std::ssize(part.rows);
    const std::int64_t count = part.rows.back() + 1;  // rows past the last listed one are nobody's
    std::array<LoopDim, 2> dims;
    std::size_t listed = 0;
    const auto view = [&](const LoopParameter& parameter) -> ArrayView {
        const int i = parameter.index;
        const auto seen = [&](const void* data, const LoopDim& inner, const LoopDim& outer) -> ArrayView {
            dims = {inner, outer};
            return {data, dims};
        };
        const auto rows_from = [&](const void* data, std::int64_t stride) {
            return seen(static_cast<const std::byte*>(data) + part.first * stride * bytes_of(parameter.dtype),
                        {length, 1}, {count, stride});
        };
        if (parameter.role == LoopRole::list) {
            dims[0] = {entries, 1};
            return {part.rows.data(), std::span(dims).first(1)};
        }
        if (parameter.form == ArrayForm::list_rows)
            return seen(part.values[listed++], {length, 1}, {entries, length});
        if (parameter.role == LoopRole::mask) {
            dims[0] = {runtime::words_for(count * length), 1};
            return {call.scratch.flat[i].words + part.first * length / 64, std::span(dims).first(1)};
        }
        if (call.is_masked(i)) return rows_from(call.scratch.flat[i].values, length);
        return rows_from(call.values(i).address(), row_stride(call.values(i), call.space).value());
    };
    call.run(Strategy::rows,
             pack(call.source.abi(Strategy::rows), call.numbers(part.first * length), loop, view));
}

/// Tensors that the loop touches in each listed row.
std::vector<TouchedRows> touched_rows(const Call& call, std::int64_t length) {
    std::vector<TouchedRows> touched;
    for (int i = 0; i < call.parameter_count(); ++i) {
        if (!call.is_tensor(i) || call.is_masked(i)) continue;
        const std::int64_t bytes = bytes_of(call.parameter(i).dtype),
                           stride = row_stride(call.values(i), call.space).value();
        if (stride > 0) touched.push_back({call.values(i).address(), stride * bytes, length * bytes});
    }
    return touched;
}

/// The index that all listed parameters have and that can be walked as it is, or null.
const IndexList* common_index(const Call& call) {
    const IndexList* common = nullptr;
    for (int i = 0; i < call.parameter_count(); ++i) {
        if (!call.is_listed(i)) continue;
        const AnyMasked& masked = call.arguments[i].masked();
        const IndexList* index = masked.index().get();
        if (!masked.values().is_contiguous()) return nullptr;
        if (common == nullptr) common = index;
        // Lists that specify the same and are sorted are the same list.
        if (index != common && !(index->is_coalesced() && common->is_coalesced())) return nullptr;
    }
    return common->is_coalesced() || common->has_keys() ? common : nullptr;
}

/// A call whose loops walk the rows of a list.
class RowsRun {
public:
    RowsRun(const Call& call, std::int64_t length, std::int64_t most_rows)
        : call_(call), length_(length), index_(common_index(call)), touched_(touched_rows(call, length)) {
        densify_others(call);
        if (index_ == nullptr) index_ = collected();
        for (int i = 0; i < call.parameter_count(); ++i) {
            if (!call.is_tensor(i) || call.is_written(i) || !call.is_listed(i)) continue;
            const void* values = made_ ? call.scratch.listed[i] : call.values(i).address();
            listed_.push_back({values, call.parameter(i).dtype, length});
        }
        const RowWalk walk{.index = index_, .listed = listed_, .touched = touched_, .most_rows = most_rows};
        parts_.emplace(walk, PartLoops{[this](auto memory, std::int64_t) { call_.reserve(loop_in(memory)); },
                                       [this](const RowPart& part, auto memory) {
                                           run_rows(call_, part, length_, loop_in(memory));
                                       }});
        run_tasks_ = [this](int tasks, const std::function<void(int)>& task) {
            parallel_for(call_.source, tasks, task);
        };
    }

    void run() { parts_->run(run_tasks_); }

private:
    static LoopArguments& loop_of_thread() {
        static constinit PerThread<LoopArguments> loops;
        return loops.get();
    }
    LoopArguments& loop_in(PartMemory memory) {
        return memory == PartMemory::spare ? call_.scratch.loop : loop_of_thread();
    }

    /// The rows of lists that cannot be walked as they are.
    const IndexList* collected() {
        const runtime::IndexView list = coalesce_domain(call_);
        std::vector<std::int64_t> rows(static_cast<std::size_t>(list.size()));
        for (std::int64_t i = 0; i < list.size(); ++i) rows[i] = list[i];
        return &made_.emplace(std::move(rows), call_.space[0]);
    }

    const Call& call_;
    std::int64_t length_;
    const IndexList* index_;
    std::optional<IndexList> made_;
    std::vector<ListedRows> listed_;
    std::vector<TouchedRows> touched_;
    RunTasks run_tasks_;
    std::optional<RowParts> parts_;
};

}  // namespace

std::optional<std::int64_t> row_stride(const AnyTensor& tensor, const Shape& space) {
    const std::span inner(space.begin() + 1, space.end());
    const std::span shape(tensor.shape());
    if (shape.size() < inner.size() || shape.size() > space.size()) return {};
    const std::size_t leading = shape.size() - inner.size();
    if (!std::ranges::equal(shape.subspan(leading), inner)) return {};
    if (!is_contiguous(inner, std::span(tensor.strides()).subspan(leading))) return {};
    return leading == 1 && shape[0] == space[0] ? tensor.strides()[0] : 0;
}

Ready ready_rows(Call& call) {
    if (!domain_stored_as(call, Layout::rows)) return {};
    const MaskCounts counts{.specified = call.arguments[call.signature.domain].masked().index()->size()};
    Variant variant = call.source.choose(call.query(Layout::rows, counts));
    if (variant.strategy == Strategy::gather) {  // rows of one element, some of them with gaps
        variant = {Strategy::rows};
        call.source.compile_variants({&variant.strategy, 1});
    }
    const std::int64_t length = call.count / call.space[0];
    const std::int64_t widest = widest_row(call, length);
    if (widest == 0) return {};
    const std::int64_t most_rows = most_rows_of(widest, call.space[0]);
    if (most_rows == 0) return {};
    call.chosen = variant;
    return ready_of(std::make_shared<RowsRun>(call, length, most_rows));
}

}  // namespace frisket::kernel_calls

// SPDX-License-Identifier: MIT
#include <algorithm>

#include "../bits.hpp"
#include "listed.hpp"

/// Loops over a list of rows.
namespace frisket {

namespace {

/// A tensor seen as rows without gaps over the space: the stride between rows, 0 if one row is repeated,
/// or nothing.
std::optional<std::int64_t> row_stride(const AnyTensor& tensor, const Shape& space) {
    const std::span inner(space.begin() + 1, space.end());
    const std::span shape(tensor.shape());
    if (shape.size() < inner.size() || shape.size() > space.size()) return {};
    const std::size_t leading = shape.size() - inner.size();
    if (!std::ranges::equal(shape.subspan(leading), inner)) return {};
    if (!is_contiguous(inner, std::span(tensor.strides()).subspan(leading))) return {};
    return leading == 1 && shape[0] == space[0] ? tensor.strides()[0] : 0;
}

/// The largest stride between rows of what is not listed, at least the length of a row; 0 if some
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

/// Consecutive rows of the tensors, and the part of the list that lies in them.
struct RowBlock {
    std::int64_t length;                 ///< elements of a row
    std::int64_t first;                  ///< of the rows
    std::int64_t count;                  ///< of rows
    std::int64_t done;                   ///< entries of the list before it
    std::span<const std::int32_t> list;  ///< row numbers counted from `first`
};

void run_block(const Call& call, const RowBlock& block) {
    call.begin_loop();
    LoopArguments& loop = call.frame.loop;
    const auto entries = static_cast<std::int64_t>(block.list.size());
    const LoopDim index_dims[] = {{entries, 1}};
    loop.add(block.list.data(), index_type, index_dims);
    const auto add_rows = [&](int i, const void* data, std::int64_t stride) {
        const DType dtype = call.parameter(i).dtype;
        loop.add(static_cast<const std::byte*>(data) + block.first * stride * bytes_of(dtype), dtype,
                 {{block.length, 1}, {block.count, stride}});
    };
    for (int i = 0; i < call.parameter_count(); ++i) {
        if (!call.is_tensor(i) || call.is_written(i)) continue;
        const DType dtype = call.parameter(i).dtype;
        if (call.is_listed(i)) {
            loop.add(static_cast<const std::byte*>(call.frame.listed[i]) +
                         block.done * block.length * bytes_of(dtype),
                     dtype, {{block.length, 1}, {entries, block.length}});
        } else if (call.is_masked(i)) {
            add_rows(i, call.frame.flat[i].values, block.length);
            const LoopDim word_dims[] = {{words_for(block.count * block.length), 1}};
            loop.add(call.frame.flat[i].words + block.first * block.length / 64, words_type, word_dims);
        } else {
            add_rows(i, call.values(i).data(), row_stride(call.values(i), call.space).value());
        }
    }
    for (int i : call.signature.outputs)
        add_rows(i, call.values(i).data(), row_stride(call.values(i), call.space).value());
    call.source.run(Strategy::rows, loop.argv());
}

}  // namespace

bool run_rows(const Call& call) {
    if (!domain_stored_as(call, Layout::rows)) return false;
    const std::int64_t length = call.count / call.space[0];
    const std::int64_t widest = widest_row(call, length);
    if (widest == 0) return false;
    const IndexView list = collect(call);
    // Offsets inside a loop are 32 bits wide: far rows are walked in blocks whose first row is their
    // origin.  Bits of other masks are addressed by word, so a block starts at a multiple of 64 rows.
    const std::int64_t rows_per_block = std::max<std::int64_t>(segment_elements / widest / 64 * 64, 64);
    if (list.is_narrow() && call.space[0] <= rows_per_block) {
        if (list.size() > 0) run_block(call, {length, 0, call.space[0], 0, list.narrow()});
        return true;
    }
    auto& rows = call.frame.positions;
    for (std::int64_t done = 0; done < list.size();) {
        const std::int64_t first = list[done] / rows_per_block * rows_per_block, start = done;
        rows.clear();
        for (; done < list.size() && list[done] < first + rows_per_block; ++done)
            rows.push_back(static_cast<std::int32_t>(list[done] - first));
        run_block(call, {length, first, std::min(rows_per_block, call.space[0] - first), start, rows});
    }
    return true;
}

}  // namespace frisket

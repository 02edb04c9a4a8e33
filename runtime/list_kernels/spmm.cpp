// SPDX-License-Identifier: MIT
#include "spmm.hpp"

#include "../layouts/layout_traits.hpp"
#include "../layouts/stored.hpp"
#include "../limits.hpp"
#include "../tensor/elements.hpp"
#include "../tensor/result_memory.hpp"
#include "line_products.hpp"
#include "list_by_dense_at.hpp"
#include "list_by_list.hpp"
#include "permutation.hpp"
#include "scattered_products.hpp"
#include "transposed_lines.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace frisket::list_kernels {

namespace {

using limits::line_task_entries;

constexpr std::int64_t cache_line = 64;  // bytes

template <class T>
const T* data(const AnyTensor& values) {
    return static_cast<const T*>(values.data());
}

/// Dense matrices whose rows are contiguous.  Short rows with gaps between them, if enough of them are read
/// for it to pay, are put together: more of them fit into a cache.
AnyTensor with_whole_rows(const AnyTensor& matrices, std::int64_t reads) {
    const std::int64_t length = matrices.shape().back();
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(matrices.data()) %
                                static_cast<std::uintptr_t>(bytes_of(matrices.dtype())) ==
                            0;
    const bool is_whole = matrices.strides().back() == 1 || length <= 1;
    const bool has_gaps = !matrices.is_contiguous() && length * bytes_of(matrices.dtype()) < cache_line;
    const bool is_copied = has_gaps && reads * length > matrices.size();
    return is_aligned && is_whole && !is_copied ? matrices : matrices.clone();
}

/// Dense matrices as the factor is stored, or transposed.
AnyTensor dense_rows(const FactorMatrix& factor, bool transposed, std::int64_t reads) {
    const AnyTensor& stored = factor.values;
    if (factor.is_transposed == transposed) return with_whole_rows(stored, reads);
    const int last = static_cast<int>(stored.shape().size()) - 1;
    return with_whole_rows(stored.transpose(last - 1, last), reads);
}

/// Dense matrices, one for each batch or one for all.
template <class T>
class BatchedRows {
public:
    /// `lines`: lines of a list in a batch.
    BatchedRows(const AnyTensor& matrices, std::int64_t lines)
        : first_{.data = data<T>(matrices),
                 .stride = *(matrices.strides().end() - 2),
                 .length = matrices.shape().back()},
          step_(matrices.shape().size() > 2 ? matrices.strides()[0] : 0),
          lines_(lines) {}
    std::int64_t length() const { return first_.length; }
    /// True for a matrix of one column that all lines read.
    bool is_column() const { return length() == 1 && step_ == 0; }
    /// The matrix of the batch that a line is of.
    MatrixRows<T> of_line(std::int64_t line) const {
        MatrixRows<T> rows = first_;
        if (step_ != 0) rows.data += line / lines_ * step_;
        return rows;
    }

private:
    MatrixRows<T> first_;
    std::int64_t step_;
    std::int64_t lines_;
};

/// The lines of a list of elements, as it is stored.
ListLines lines_of(const AnyMasked& list) {
    return list.index() ? ListLines(*list.index(), list.shape().back()) : ListLines(*list.compressed_index());
}

/// The lines of a list, once for each batch.
SparseLines repeated(const ListLines& list, std::int64_t count, std::int64_t batches) {
    const LineBlock one = list.lines(0, list.size());
    SparseLines made{.numbers = {}, .starts = {0}, .inner = Indices(batches * list.size())};
    for (std::int64_t batch = 0; batch < batches; ++batch) {
        for (std::size_t line = 0; line < one.numbers.size(); ++line) {
            made.numbers.push_back(batch * count + one.numbers[line]);
            made.starts.push_back(batch * list.size() + one.starts[line + 1]);
        }
        std::ranges::copy(one.inner, made.inner.data() + batch * list.size());
    }
    return made;
}

/// Lines of a list, and a value for each entry.
template <class T>
struct ValuedLines {
    LineBlock lines;
    const T* values = nullptr;
    std::unique_ptr<T[]> memory = {};  // copies of the values, if the list has them in another order
};

/// The lines of the matrices of a list, as they are stored or transposed.
class FactorLines {
public:
    /// Lines of the matrices, or with `transposed` of the transposed matrices.
    /// Shape: rows and columns are the extents of a matrix.
    FactorLines(const FactorMatrix& list, std::int64_t rows, std::int64_t columns, bool transposed,
                const RunTasks& run)
        : values_(list.values), where_(list.where) {
        if (list.is_transposed) std::swap(rows, columns);
        if (list.compressed != nullptr)
            lines_.emplace(*list.compressed);
        else
            lines_.emplace(*list.positions, columns);
        count_ = rows;
        if (list.is_transposed == transposed) return;
        count_ = columns;
        if (list.count != 1) {
            transpose_each(list, rows, columns);
            return;
        }
        const runtime::KeptStructures& kept =
            list.compressed != nullptr ? list.compressed->kept : list.positions->kept();
        order_ = transposed_order(*lines_, kept, rows, columns, run);
        lines_.emplace(order_->lines);
    }
    FactorLines(const FactorLines&) = delete;
    FactorLines& operator=(const FactorLines&) = delete;

    /// Repeats the lines of one matrix for each batch.
    void repeat(std::int64_t batches) {
        const std::int64_t size = lines_->size();
        repeated_ = repeated(*lines_, count_, batches);
        lines_.emplace(repeated_);
        std::vector<std::int64_t> entries(static_cast<std::size_t>(batches * size));
        for (std::size_t i = 0; i < entries.size(); ++i) entries[i] = static_cast<std::int64_t>(i) % size;
        values_ = runtime::gathered(values(), std::span<const std::int64_t>(entries));
        order_ = nullptr;
    }

    const ListLines& lines() const { return *lines_; }
    /// A value for each entry.
    AnyTensor values() const { return order_ ? runtime::gathered(values_, order_->entries.span()) : values_; }

    /// The lines that have these entries, without those to leave out.
    template <class T>
    ValuedLines<T> block(std::int64_t first, std::int64_t end) const {
        ValuedLines<T> made{.lines = lines_->lines(first, end)};
        const T* const from = data<T>(values_);
        made.values = from + first;
        if (!order_ && !where_) return made;
        made.memory = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(end - first));
        made.values = made.memory.get();
        const std::int64_t* const order = order_ ? order_->entries.data() + first : nullptr;
        if (where_)
            keep_where(made.lines, order, from, made.memory.get());
        else
            for (std::int64_t i = 0; i < end - first; ++i) made.memory[i] = from[order[i]];
        return made;
    }
    /// Lines of a matrix.
    std::int64_t count() const { return count_; }

private:
    void transpose_each(const FactorMatrix& list, std::int64_t rows, std::int64_t columns) {
        const Shape shape{list.count, columns, rows};
        const std::vector<std::int64_t> coefficients{1, 0, 0, 0, 0, 1, 0, 1, 0};
        permutation_ = viewed(*list.positions, {list.count, rows, columns},
                              {.shape = shape, .coefficients = coefficients, .offsets = {}});
        lines_.emplace(*permutation_->list, rows);
        values_ = runtime::gathered(values_, *permutation_->entries);
    }

    /// Takes entries out of lines, and collects the values of the remaining entries.  `order`: the entries,
    /// or null.
    template <class T>
    void keep_where(LineBlock& lines, const std::int64_t* order, const T* from, T* values) const {
        const auto* const where = data<std::uint8_t>(*where_);
        const Indices inner(std::ssize(lines.inner));
        std::int64_t kept = 0;
        std::size_t kept_lines = 0;
        for (std::size_t line = 0; line < lines.numbers.size(); ++line) {
            const std::int64_t start = kept, end = lines.starts[line + 1];
            for (std::int64_t i = lines.starts[line]; i < end; ++i) {
                inner.data()[kept] = lines.inner[i];
                const std::int64_t entry = order != nullptr ? order[i] : lines.first + i;
                values[kept] = from[entry];
                kept += where[entry] != 0;
            }
            if (kept == start) continue;
            lines.numbers[kept_lines] = lines.numbers[line];
            lines.starts[kept_lines++] = start;
        }
        lines.numbers.resize(kept_lines);
        lines.starts.resize(kept_lines);
        lines.starts.push_back(kept);
        lines.memory = inner;
        lines.inner = inner.span().first(static_cast<std::size_t>(kept));
    }

    std::shared_ptr<const TransposedOrder> order_;
    std::shared_ptr<const Permutation> permutation_;
    SparseLines repeated_;
    AnyTensor values_;
    std::optional<AnyTensor> where_;
    std::optional<ListLines> lines_;
    std::int64_t count_ = 0;
};

/// Entries of a task: fewer where a list is so short that threads would have nothing to do, and rows of the
/// matrix are long.
std::int64_t task_entries(const ListLines& list, std::int64_t length) {
    const std::int64_t least = limits::task_elements / std::max<std::int64_t>(length, 1);
    return std::min(line_task_entries, std::max({list.size() / 4, least, std::int64_t{1}}));
}

/// A list times dense matrices, line by line.
template <class T>
LineResults list_by_dense(const FactorLines& list, const AnyTensor& dense, const RunTasks& run) {
    const BatchedRows<T> matrices(dense, list.count());
    const std::int64_t length = matrices.length();
    const std::vector<std::int64_t> begins = list.lines().tasks(task_entries(list.lines(), length));
    std::vector<ValuedLines<T>> blocks(begins.size() - 1);
    const auto count = static_cast<int>(blocks.size());
    run(count, [&](int task) { blocks[task] = list.block<T>(begins[task], begins[task + 1]); });
    LineResults made;
    std::vector<std::int64_t> first_line;
    for (const ValuedLines<T>& block : blocks) {
        const std::vector<std::int64_t>& numbers = block.lines.numbers;
        first_line.push_back(std::ssize(made.numbers));
        made.numbers.insert(made.numbers.end(), numbers.begin(), numbers.end());
    }
    made.values = runtime::result_tensor(dense.dtype(), {std::ssize(made.numbers), length});
    T* const results = static_cast<T*>(made.values.data());
    run(count, [&](int task) {
        const LineBlock& block = blocks[task].lines;
        const T* const values = blocks[task].values;
        T* to = results + first_line[task] * length;
        if (matrices.is_column())
            return multiply_by_column<T>({values, block.inner.data(), block.starts}, matrices.of_line(0), to);
        for (std::size_t line = 0; line < block.numbers.size(); ++line, to += length) {
            const std::int64_t first = block.starts[line], end = block.starts[line + 1];
            add_rows<T>({.values = values + first,
                         .inner = block.inner.data() + first,
                         .count = end - first,
                         .ahead = block.starts.back() - end},
                        matrices.of_line(block.numbers[line]), to);
        }
    });
    return made;
}

/// Elements of matrices of which some columns are listed: the elements of all rows.  `made`: a row for each
/// column.
template <class T>
AnyMasked by_columns(const LineResults& made, const Factors& f) {
    const std::int64_t listed = std::ssize(made.numbers);
    std::vector<std::int64_t> positions(static_cast<std::size_t>(f.rows * listed));
    AnyTensor values = runtime::result_tensor(made.values.dtype(), {f.rows * listed});
    T* const to = static_cast<T*>(values.data());
    for (std::int64_t first = 0, at = 0; first < listed;) {
        const std::int64_t batch = made.numbers[first] / f.columns;
        std::int64_t end = first;
        while (end < listed && made.numbers[end] / f.columns == batch) ++end;
        for (std::int64_t row = 0; row < f.rows; ++row)
            for (std::int64_t i = first; i < end; ++i, ++at) {
                const std::int64_t column = made.numbers[i] - batch * f.columns;
                positions[static_cast<std::size_t>(at)] = (batch * f.rows + row) * f.columns + column;
                to[at] = data<T>(made.values)[i * f.rows + row];
            }
        first = end;
    }
    const Shape shape{f.batches * f.rows, f.columns};
    auto list = std::make_shared<const IndexList>(std::move(positions), element_count(shape));
    return AnyMasked::indexed(Layout::coo, shape, std::move(list), std::move(values));
}

/// Whole rows of a matrix.
AnyMasked by_rows(LineResults made, std::int64_t rows) {
    auto list = std::make_shared<const IndexList>(std::move(made.numbers), rows);
    const Shape shape{rows, made.values.shape()[1]};
    return AnyMasked::indexed(Layout::rows, shape, std::move(list), std::move(made.values));
}

/// The entries of a list that count, as a list.
FactorMatrix without_left_out(FactorMatrix list) {
    if (!list.where) return list;
    const SparseVector kept = where_true({.list = list.positions, .values = list.values}, *list.where);
    list.values = kept.values;
    list.positions = kept.list;
    list.where.reset();
    return list;
}

/// Products of the other lines of a list than it stores with a column, where they need no order of these.
template <class T>
std::optional<LineResults> by_scattering(const Factors& f, const FactorMatrix& list,
                                         const FactorMatrix& dense) {
    const bool is_left = f.right.is_dense(), is_column = (is_left ? f.columns : f.rows) == 1;
    const bool is_stored = list.values.is_contiguous() && !list.where && list.is_transposed == is_left;
    if (!is_column || !is_stored || f.batches != 1 || f.places) return {};
    const std::int64_t columns = is_left ? f.rows : f.columns;
    const ListLines lines =
        list.compressed ? ListLines(*list.compressed) : ListLines(*list.positions, columns);
    const AnyTensor column = dense_rows(dense, !is_left, 0);
    return scattered_products<T>({lines, list.values, f.inner, columns},
                                 BatchedRows<T>(column, f.inner).of_line(0));
}

template <class T>
AnyMasked with_dense(const Factors& f, const RunTasks& run) {
    const bool is_left = f.right.is_dense();
    const FactorMatrix& dense = is_left ? f.right : f.left;
    FactorMatrix list = is_left ? f.left : f.right;
    if (f.batches != 1 || f.places) list = without_left_out(std::move(list));
    if (auto made = by_scattering<T>(f, list, dense))
        return is_left ? by_rows(*std::move(made), f.rows) : by_columns<T>(*made, f);
    // Columns of the right list give columns of the result.
    FactorLines lines(list, is_left ? f.rows : f.inner, is_left ? f.inner : f.columns, !is_left, run);
    if (f.places) {
        const AnyTensor values = lines.values(), matrices = with_whole_rows(dense.values, 0);
        return list_by_dense_at(
            *f.places, {lines.lines(), values}, {matrices, dense.is_transposed, !is_left},
            {.rows = f.rows, .inner = f.inner, .columns = f.columns, .batches = f.batches},
            list.count != f.batches, run);
    }
    if (list.count != f.batches) lines.repeat(f.batches);
    LineResults made = list_by_dense<T>(lines, dense_rows(dense, !is_left, lines.lines().size()), run);
    return is_left ? by_rows(std::move(made), f.batches * f.rows) : by_columns<T>(made, f);
}

AnyMasked of_lists(const Factors& f, const RunTasks& run) {
    const FactorMatrix left_list = without_left_out(f.left), right_list = without_left_out(f.right);
    FactorLines left(left_list, f.rows, f.inner, false, run);
    const FactorLines right(right_list, f.inner, f.columns, false, run);
    if (f.left.count != f.batches) left.repeat(f.batches);
    const AnyTensor values = left.values(), other_values = right.values();
    const ListFactor one{left.lines(), values}, other{right.lines(), other_values};
    const ListProductShape shape{.rows = f.rows,
                                 .inner = f.inner,
                                 .columns = f.columns,
                                 .batches = f.batches,
                                 .right_count = f.right.count};
    if (!f.places) return list_by_list(one, other, shape, run);
    const bool has_rows = f.places->compressed_index() != nullptr && f.places->layout() == Layout::csr;
    const AnyMasked places = has_rows ? *f.places : runtime::as_list(*f.places);
    return list_by_list_at(lines_of(places), one, other, shape, run);
}

template <class T>
void sample(const ListLines& domain, std::int64_t rows_of_batch, const AnyTensor& left,
            const AnyTensor& right, T* to, const RunTasks& run) {
    const BatchedRows<T> rows(left, rows_of_batch), columns(right, rows_of_batch);
    const std::int64_t size = domain.size(), count = (size + line_task_entries - 1) / line_task_entries;
    run(static_cast<int>(count), [&](int task) {
        const std::int64_t first = task * line_task_entries;
        const LineBlock block = domain.lines(first, std::min(size, first + line_task_entries));
        for (std::size_t line = 0; line < block.numbers.size(); ++line) {
            const std::int64_t start = block.starts[line], number = block.numbers[line];
            multiply_by_rows<T>(rows.of_line(number).row(number % rows_of_batch), columns.of_line(number),
                                {.rows = block.inner.subspan(start, block.starts[line + 1] - start),
                                 .ahead = block.starts.back() - block.starts[line + 1]},
                                to + first + start);
        }
    });
}

}  // namespace

AnyMasked multiplied(const Factors& f, const RunTasks& run) {
    if (!f.left.is_dense() && !f.right.is_dense()) return of_lists(f, run);
    AnyMasked made;
    runtime::dispatch_numbers(f.left.values.dtype(), [&]<class T>() { made = with_dense<T>(f, run); });
    return made;
}

AnyTensor sampled_products(const AnyMasked& domain, const AnyTensor& left, const AnyTensor& right,
                           const RunTasks& run) {
    const ListLines lines = lines_of(domain);
    const bool by_column = runtime::traits_of(domain.layout()).by_column;
    const std::int64_t rows_of_batch = *(domain.shape().end() - (by_column ? 1 : 2));
    const AnyTensor rows = with_whole_rows(by_column ? right : left, 0),
                    columns = with_whole_rows(by_column ? left : right, lines.size());
    AnyTensor made = runtime::result_tensor(left.dtype(), {lines.size()});
    runtime::dispatch_numbers(left.dtype(), [&]<class T>() {
        sample<T>(lines, rows_of_batch, rows, columns, static_cast<T*>(made.data()), run);
    });
    return made;
}

}  // namespace frisket::list_kernels

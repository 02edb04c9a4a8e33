// SPDX-License-Identifier: MIT
#include "spmm.hpp"

#include "../layouts/layout_traits.hpp"
#include "../layouts/stored.hpp"
#include "../limits.hpp"
#include "../tensor/elements.hpp"
#include "../tensor/result_memory.hpp"
#include "line_products.hpp"
#include "list_by_list.hpp"
#include "transposed_lines.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace frisket::list_kernels {

namespace {

using limits::line_task_entries;

template <class T>
const T* data(const AnyTensor& values) {
    return static_cast<const T*>(values.data());
}

/// A dense matrix whose rows lie in one piece each.
AnyTensor with_whole_rows(const AnyTensor& matrix) {
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(matrix.data()) %
                                static_cast<std::uintptr_t>(bytes_of(matrix.dtype())) ==
                            0;
    return is_aligned && (matrix.strides()[1] == 1 || matrix.shape()[1] <= 1) ? matrix : matrix.clone();
}

/// A dense matrix as the factor stands, or transposed.
AnyTensor dense_rows(const FactorMatrix& factor, bool transposed) {
    const AnyTensor& stored = factor.values;
    if (factor.is_transposed == transposed) return with_whole_rows(stored);
    return with_whole_rows(stored.transpose(0, 1));
}

template <class T>
MatrixRows<T> rows_of(const AnyTensor& matrix) {
    return {.data = data<T>(matrix), .stride = matrix.strides()[0], .length = matrix.shape()[1]};
}

/// The lines of a list of elements, as it is stored.
ListLines lines_of(const AnyMasked& list) {
    return list.index() ? ListLines(*list.index(), list.shape()[1]) : ListLines(*list.compressed_index());
}

/// The lines of a list, as it is stored or transposed.
class FactorLines {
public:
    /// Lines of the matrix, or with `transposed` of the transposed one.
    /// Shape: rows and columns are those of the matrix.
    FactorLines(const FactorMatrix& list, std::int64_t rows, std::int64_t columns, bool transposed,
                const RunTasks& run)
        : values_(list.values) {
        if (list.is_transposed) std::swap(rows, columns);
        if (list.compressed != nullptr)
            lines_.emplace(*list.compressed);
        else
            lines_.emplace(*list.positions, columns);
        if (list.is_transposed == transposed) return;
        const runtime::KeptStructures& kept =
            list.compressed != nullptr ? list.compressed->kept : list.positions->kept();
        order_ = transposed_order(*lines_, kept, rows, columns, run);
        lines_.emplace(order_->lines);
        values_ = runtime::gathered(values_, order_->entries.span());
    }
    FactorLines(const FactorLines&) = delete;
    FactorLines& operator=(const FactorLines&) = delete;

    const ListLines& lines() const { return *lines_; }
    const AnyTensor& values() const { return values_; }

private:
    std::shared_ptr<const TransposedOrder> order_;
    AnyTensor values_;
    std::optional<ListLines> lines_;
};

/// Results for the lines of a list that have entries.
struct LineResults {
    std::vector<std::int64_t> numbers;
    AnyTensor values;  // a row for each
};

/// A list times a dense matrix, line by line.
template <class T>
LineResults list_by_dense(const FactorLines& list, const AnyTensor& dense, const RunTasks& run) {
    const MatrixRows<T> matrix = rows_of<T>(dense);
    const std::vector<std::int64_t> begins = list.lines().tasks(line_task_entries);
    std::vector<LineBlock> blocks(begins.size() - 1);
    const auto count = static_cast<int>(blocks.size());
    run(count, [&](int task) { blocks[task] = list.lines().lines(begins[task], begins[task + 1]); });
    LineResults made;
    std::vector<std::int64_t> first_line;
    for (const LineBlock& block : blocks) {
        first_line.push_back(std::ssize(made.numbers));
        made.numbers.insert(made.numbers.end(), block.numbers.begin(), block.numbers.end());
    }
    made.values = runtime::result_tensor(dense.dtype(), {std::ssize(made.numbers), matrix.length});
    T* const results = static_cast<T*>(made.values.data());
    run(count, [&](int task) {
        const LineBlock& block = blocks[task];
        T* to = results + first_line[task] * matrix.length;
        for (std::size_t line = 0; line < block.numbers.size(); ++line, to += matrix.length) {
            const std::int64_t first = block.starts[line], end = block.starts[line + 1];
            add_rows<T>({.values = data<T>(list.values()) + block.first + first,
                         .inner = block.inner.data() + first,
                         .count = end - first,
                         .ahead = block.starts.back() - end},
                        matrix, to);
        }
    });
    return made;
}

/// Elements of a matrix of which some columns are listed: those of all rows.  `made`: a row for each column.
template <class T>
AnyMasked by_columns(const LineResults& made, std::int64_t rows, std::int64_t columns) {
    const std::int64_t listed = std::ssize(made.numbers);
    std::vector<std::int64_t> positions(static_cast<std::size_t>(rows * listed));
    AnyTensor values = runtime::result_tensor(made.values.dtype(), {rows * listed});
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t i = 0; i < listed; ++i) {
            positions[static_cast<std::size_t>(row * listed + i)] = row * columns + made.numbers[i];
            static_cast<T*>(values.data())[row * listed + i] = data<T>(made.values)[i * rows + row];
        }
    auto list = std::make_shared<const IndexList>(std::move(positions), rows * columns);
    return AnyMasked::indexed(Layout::coo, {rows, columns}, std::move(list), std::move(values));
}

/// Whole rows of a matrix.
AnyMasked by_rows(LineResults made, std::int64_t rows) {
    auto list = std::make_shared<const IndexList>(std::move(made.numbers), rows);
    const Shape shape{rows, made.values.shape()[1]};
    return AnyMasked::indexed(Layout::rows, shape, std::move(list), std::move(made.values));
}

template <class T>
AnyMasked with_dense(const Factors& f, const RunTasks& run) {
    if (f.right.is_dense()) {
        const FactorLines lines(f.left, f.rows, f.inner, false, run);
        return by_rows(list_by_dense<T>(lines, dense_rows(f.right, false), run), f.rows);
    }
    // Columns of the list give columns of the result.
    const FactorLines lines(f.right, f.inner, f.columns, true, run);
    return by_columns<T>(list_by_dense<T>(lines, dense_rows(f.left, true), run), f.rows, f.columns);
}

AnyMasked of_lists(const Factors& f, const RunTasks& run) {
    const FactorLines left(f.left, f.rows, f.inner, false, run),
        right(f.right, f.inner, f.columns, false, run);
    const ListFactor one{left.lines(), left.values()}, other{right.lines(), right.values()};
    const Shape shape{f.rows, f.columns};
    if (!f.places) return list_by_list(one, other, shape, f.inner, run);
    const bool has_rows = f.places->compressed_index() != nullptr && f.places->layout() == Layout::csr;
    const AnyMasked places = has_rows ? *f.places : runtime::as_list(*f.places);
    return list_by_list_at(lines_of(places), one, other, shape, f.inner, run);
}

template <class T>
void sample(const ListLines& domain, const AnyTensor& left, const AnyTensor& right, T* to,
            const RunTasks& run) {
    const MatrixRows<T> rows = rows_of<T>(left), columns = rows_of<T>(right);
    const std::int64_t size = domain.size(), count = (size + line_task_entries - 1) / line_task_entries;
    run(static_cast<int>(count), [&](int task) {
        const std::int64_t first = task * line_task_entries;
        const LineBlock block = domain.lines(first, std::min(size, first + line_task_entries));
        for (std::size_t line = 0; line < block.numbers.size(); ++line) {
            const std::int64_t start = block.starts[line];
            multiply_by_rows<T>(rows.row(block.numbers[line]), columns,
                                block.inner.subspan(start, block.starts[line + 1] - start),
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
    const AnyTensor rows = with_whole_rows(by_column ? right : left),
                    columns = with_whole_rows(by_column ? left : right);
    AnyTensor made = runtime::result_tensor(left.dtype(), {lines.size()});
    runtime::dispatch_numbers(
        left.dtype(), [&]<class T>() { sample<T>(lines, rows, columns, static_cast<T*>(made.data()), run); });
    return made;
}

}  // namespace frisket::list_kernels

// SPDX-License-Identifier: MIT
#include "list_by_dense_at.hpp"

#include "../layouts/stored.hpp"
#include "../limits.hpp"
#include "../support/fused.hpp"
#include "../tensor/elements.hpp"
#include "../tensor/sum_of_products.hpp"
#include "numbered_rows.hpp"
#include "permutation.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace frisket::list_kernels {

namespace {

/// Sums of the terms of single elements.
template <class T>
class TermSums {
public:
    TermSums(const ListFactor& list, const DenseFactor& dense, const ListProductShape& shape,
             bool is_repeated)
        : lines_(list.lines,
                 (is_repeated ? 1 : shape.batches) * (dense.is_left ? shape.columns : shape.rows)),
          values_(static_cast<const T*>(list.values.data())),
          dense_(static_cast<const T*>(dense.values.data())),
          shape_(shape),
          is_left_(dense.is_left),
          is_repeated_(is_repeated) {
        const Shape& steps = dense.values.strides();
        const std::size_t rows = steps.size() - 2;
        std::tie(of_inner_, of_other_) = dense.is_left == dense.is_transposed
                                             ? std::pair(steps[rows], steps[rows + 1])
                                             : std::pair(steps[rows + 1], steps[rows]);
        of_batch_ = rows == 0 ? 0 : steps[0];
    }

    /// Writes the element at a row-major position; returns whether it has a term.
    bool write(std::int64_t position, T& to) const {
        const std::int64_t row = position / shape_.columns, column = position % shape_.columns;
        const std::int64_t batch = row / shape_.rows, own_row = row % shape_.rows;
        const auto [listed, other] = is_left_ ? std::pair(column, own_row) : std::pair(own_row, column);
        const std::int64_t lines = is_left_ ? shape_.columns : shape_.rows;
        const auto [first, last] = lines_.row((is_repeated_ ? 0 : batch * lines) + listed);
        const T* const matrix = dense_ + batch * of_batch_ + other * of_other_;
        const std::int64_t* const inner = lines_.columns().data();
        runtime::SumOfProducts<T> sum;
        for (std::int64_t i = first; i < last; ++i)
            sum.add(values_[i], matrix[inner[i] * of_inner_], inner[i]);
        to = sum.result();
        return first != last;
    }

private:
    NumberedRows lines_;
    const T* values_;
    const T* dense_;
    const ListProductShape& shape_;
    bool is_left_, is_repeated_;
    std::int64_t of_inner_ = 0, of_other_ = 0, of_batch_ = 0;  // steps of the dense matrices
};

}  // namespace

AnyMasked list_by_dense_at(const AnyMasked& places, const ListFactor& list, const DenseFactor& dense,
                           const ListProductShape& shape, bool is_repeated, const RunTasks& run) {
    const AnyMasked positions = runtime::as_list(places);
    const IndexList& all = *positions.index();
    const std::int64_t size = all.size();
    SparseVector made{positions.index(), runtime::result_tensor(list.values.dtype(), {size})};
    const AnyTensor has_term = runtime::result_tensor(DType::boolean, {size});
    auto* const flags = static_cast<std::uint8_t*>(has_term.data());
    const std::int64_t of_task = limits::product_task_entries;
    runtime::dispatch_numbers(list.values.dtype(), [&]<class T>() {
        const TermSums<T> elements(list, dense, shape, is_repeated);
        T* const to = static_cast<T*>(made.values.data());
        run(static_cast<int>((size + of_task - 1) / of_task), [&](int task) {
            const std::int64_t end = std::min(size, (task + 1) * of_task);
            runtime::fused([&] {
                for (std::int64_t i = task * of_task; i < end; ++i)
                    flags[i] = elements.write(all[i], to[i]) ? 1 : 0;
            });
        });
    });
    made = where_true(made, has_term);
    return AnyMasked::indexed(Layout::coo, shape.result(), std::move(made.list), std::move(made.values));
}

}  // namespace frisket::list_kernels

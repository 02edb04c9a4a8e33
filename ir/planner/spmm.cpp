// SPDX-License-Identifier: MIT
#include "spmm.hpp"

#include "../interpreter/fused.hpp"
#include "../interpreter/sum_of_products.hpp"
#include "../interpreter/tensor_kernels_walk.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace frisket::plan {

namespace {

using tensor_kernels::SumOfProducts;

bool is_aligned(const AnyTensor& tensor) {
    const auto address = reinterpret_cast<std::uintptr_t>(tensor.data());
    return address % static_cast<std::uintptr_t>(bytes_of(tensor.dtype())) == 0;
}

template <class T>
const T* data(const SparseVector& matrix) {
    return static_cast<const T*>(matrix.values.data());
}

/// Calls group(row, first, last) for the entries of each row that has some.
template <class Group>
void each_row(const IndexList& list, std::int64_t columns, Group&& group) {
    for (std::int64_t first = 0, last = 0; first < list.size(); first = last) {
        const std::int64_t row = list[first] / columns;
        while (last < list.size() && list[last] / columns == row) ++last;
        group(row, first, last);
    }
}

/// A row of a list: its values and inner indices, of which those of a panel follow each other.
template <class T>
struct ListedRow {
    std::span<const T> values;
    std::span<const std::int64_t> inner;
};

/// `count` columns of a row of a list times a dense matrix, from `first` on.
template <class T, int count>
void row_by_columns(const ListedRow<T>& row, const T* right, std::int64_t columns, T* to) {
    SumOfProducts<T> sums[count];
    for (std::size_t i = 0; i < row.values.size(); ++i) {
        const T* const b = right + row.inner[i] * columns;
        for (int n = 0; n < count; ++n) sums[n].add(row.values[i], b[n], row.inner[i]);
    }
    for (int n = 0; n < count; ++n) to[n] = sums[n].result();
}

/// A list times a dense matrix: whole rows.
template <class T>
AnyMasked list_by_dense(const Factors& f, DType dtype) {
    std::vector<std::int64_t> rows, inner;
    for (std::int64_t i = 0; i < f.left.list->size(); ++i) inner.push_back((*f.left.list)[i] % f.inner);
    each_row(*f.left.list, f.inner,
             [&](std::int64_t row, std::int64_t, std::int64_t) { rows.push_back(row); });
    AnyTensor values(dtype, {std::ssize(rows), f.columns});
    T* to = static_cast<T*>(values.data());
    each_row(*f.left.list, f.inner, [&](std::int64_t, std::int64_t first, std::int64_t last) {
        const ListedRow<T> row{.values = {data<T>(f.left) + first, data<T>(f.left) + last},
                               .inner = {inner.data() + first, inner.data() + last}};
        const T* const right = data<T>(f.right);
        std::int64_t n = 0;
        for (; n + 16 <= f.columns; n += 16) row_by_columns<T, 16>(row, right + n, f.columns, to + n);
        for (; n + 4 <= f.columns; n += 4) row_by_columns<T, 4>(row, right + n, f.columns, to + n);
        for (; n < f.columns; ++n) row_by_columns<T, 1>(row, right + n, f.columns, to + n);
        to += f.columns;
    });
    auto index = std::make_shared<const IndexList>(std::move(rows), f.rows);
    return AnyMasked::indexed(Layout::rows, {f.rows, f.columns}, std::move(index), values);
}

/// A list of results in the making.
template <class T>
struct Entries {
    std::vector<std::int64_t> positions;
    std::vector<T> values;

    AnyMasked finish(const Factors& f, DType dtype) {
        AnyTensor made(dtype, {std::ssize(values)});
        std::ranges::copy(values, static_cast<T*>(made.data()));
        auto list = std::make_shared<const IndexList>(std::move(positions), f.rows * f.columns);
        return AnyMasked::indexed(Layout::coo, {f.rows, f.columns}, std::move(list), made);
    }
};

/// A dense matrix times a list: whole columns.
template <class T>
AnyMasked dense_by_list(const Factors& f, DType dtype) {
    const IndexList& list = *f.right.list;
    std::vector<std::int64_t> columns, place(static_cast<std::size_t>(list.size()));
    for (std::int64_t i = 0; i < list.size(); ++i) columns.push_back(list[i] % f.columns);
    std::ranges::sort(columns);
    columns.erase(std::ranges::unique(columns).begin(), columns.end());
    for (std::size_t i = 0; i < place.size(); ++i)
        place[i] = std::ranges::lower_bound(columns, list[static_cast<std::int64_t>(i)] % f.columns) -
                   columns.begin();
    Entries<T> made;
    std::vector<SumOfProducts<T>> sums(columns.size());
    for (std::int64_t row = 0; row < f.rows; ++row) {
        std::ranges::fill(sums, SumOfProducts<T>{});
        const T* const a = data<T>(f.left) + row * f.inner;
        for (std::size_t i = 0; i < place.size(); ++i) {
            const auto entry = static_cast<std::int64_t>(i);
            const std::int64_t k = list[entry] / f.columns;
            sums[static_cast<std::size_t>(place[i])].add(a[k], data<T>(f.right)[entry], k);
        }
        for (std::size_t n = 0; n < sums.size(); ++n) {
            made.positions.push_back(row * f.columns + columns[n]);
            made.values.push_back(sums[n].result());
        }
    }
    return made.finish(f, dtype);
}

/// Beginnings of the rows of a list: rows that have entries, and their first ones.
struct Rows {
    std::vector<std::int64_t> numbers, first;
    explicit Rows(const SparseVector& matrix, std::int64_t columns) {
        each_row(*matrix.list, columns, [&](std::int64_t row, std::int64_t begin, std::int64_t) {
            numbers.push_back(row);
            first.push_back(begin);
        });
        first.push_back(matrix.list->size());
    }
};

/// A term of an element of a product of lists.
template <class T>
struct Term {
    std::int64_t column, inner;
    T left, right;
};

/// Two lists, row by row of the left one (F. Gustavson, ACM TOMS 4 (1978) 250).
template <class T>
AnyMasked list_by_list(const Factors& f, DType dtype) {
    const Rows right(f.right, f.columns);
    Entries<T> made;
    std::vector<Term<T>> terms;
    each_row(*f.left.list, f.inner, [&](std::int64_t row, std::int64_t begin, std::int64_t end) {
        terms.clear();
        for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t k = (*f.left.list)[i] % f.inner;
            const auto found = std::ranges::lower_bound(right.numbers, k);
            if (found == right.numbers.end() || *found != k) continue;
            const auto at = static_cast<std::size_t>(found - right.numbers.begin());
            for (std::int64_t j = right.first[at]; j < right.first[at + 1]; ++j)
                terms.push_back({.column = (*f.right.list)[j] % f.columns,
                                 .inner = k,
                                 .left = data<T>(f.left)[i],
                                 .right = data<T>(f.right)[j]});
        }
        std::ranges::stable_sort(terms, {}, &Term<T>::column);
        for (std::size_t t = 0; t < terms.size();) {
            const std::int64_t column = terms[t].column;
            SumOfProducts<T> sum;
            for (; t < terms.size() && terms[t].column == column; ++t)
                sum.add(terms[t].left, terms[t].right, terms[t].inner);
            made.positions.push_back(row * f.columns + column);
            made.values.push_back(sum.result());
        }
    });
    return made.finish(f, dtype);
}

}  // namespace

AnyMasked multiplied(const Factors& given) {
    Factors factors = given;
    for (SparseVector* const matrix : {&factors.left, &factors.right})
        if (!is_aligned(matrix->values)) matrix->values = matrix->values.clone();
    const DType dtype = factors.left.values.dtype();
    AnyMasked made;
    tensor_kernels::dispatch_numbers(dtype, [&]<class T>() {
        tensor_kernels::fused([&] {
            made = factors.left.list == nullptr    ? dense_by_list<T>(factors, dtype)
                   : factors.right.list == nullptr ? list_by_dense<T>(factors, dtype)
                                                   : list_by_list<T>(factors, dtype);
        });
    });
    return made;
}

}  // namespace frisket::plan

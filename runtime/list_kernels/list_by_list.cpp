// SPDX-License-Identifier: MIT
#include "list_by_list.hpp"

#include "../limits.hpp"
#include "../support/fused.hpp"
#include "../tensor/elements.hpp"
#include "../tensor/sum_of_products.hpp"
#include "numbered_rows.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace frisket::list_kernels {

namespace {

using runtime::SumOfProducts;

/// Entries of the left factor by which rows of the right one are prefetched ahead.
constexpr std::int64_t rows_ahead = 6;

/// A set of columns, in two levels of bits.
class ColumnSet {
public:
    explicit ColumnSet(std::int64_t columns)
        : words_(static_cast<std::size_t>(columns / 64 + 1)),
          groups_(static_cast<std::size_t>(columns / 4096 + 1)),
          firsts_(words_.size()),
          used_(words_.size() + 1) {}

    /// Adds a column to a set that will be counted.
    void insert_to_count(std::int64_t column) {
        std::uint64_t& word = words_[static_cast<std::size_t>(column >> 6)];
        used_[uses_] = static_cast<std::int32_t>(column >> 6);
        uses_ += static_cast<std::size_t>(word == 0);
        word |= std::uint64_t{1} << (column & 63);
    }
    /// Number of the columns, which are removed.
    std::int64_t count_all() {
        std::int64_t found = 0;
        for (std::size_t i = 0; i < uses_; ++i)
            found += std::popcount(std::exchange(words_[static_cast<std::size_t>(used_[i])], 0));
        uses_ = 0;
        return found;
    }

    /// Adds a column to a set that will be numbered.
    void insert(std::int64_t column) {
        words_[static_cast<std::size_t>(column >> 6)] |= std::uint64_t{1} << (column & 63);
        groups_[static_cast<std::size_t>(column >> 12)] |= std::uint64_t{1} << (column >> 6 & 63);
    }
    /// Calls body(column) for all in ascending order, and numbers them.
    template <class Body>
    void number_all(Body&& body) {
        std::int32_t numbered = 0;
        for (std::size_t group = 0; group < groups_.size(); ++group)
            for (std::uint64_t left = std::exchange(groups_[group], 0); left != 0; left &= left - 1) {
                const std::size_t at = group * 64 + static_cast<std::size_t>(std::countr_zero(left));
                used_[uses_++] = static_cast<std::int32_t>(at);
                firsts_[at] = numbered;
                for (std::uint64_t bits = words_[at]; bits != 0; bits &= bits - 1, ++numbered)
                    body(static_cast<std::int64_t>(at * 64) + std::countr_zero(bits));
            }
    }
    bool contains(std::int64_t column) const {
        return (words_[static_cast<std::size_t>(column >> 6)] >> (column & 63) & 1) != 0;
    }
    /// Number of a column: the count of columns before it.
    std::int64_t number(std::int64_t column) const {
        const auto at = static_cast<std::size_t>(column >> 6);
        return firsts_[at] + std::popcount(words_[at] & ((std::uint64_t{1} << (column & 63)) - 1));
    }
    /// Removes the columns, which were numbered.
    void clear() {
        for (std::size_t i = 0; i < uses_; ++i) words_[static_cast<std::size_t>(used_[i])] = 0;
        uses_ = 0;
    }

private:
    std::vector<std::uint64_t> words_, groups_;
    std::vector<std::int32_t> firsts_;  // number of the first column of each word
    std::vector<std::int32_t> used_;    // words that have columns
    std::size_t uses_ = 0;
};

/// A term of an element.
template <class T>
struct Term {
    std::int64_t column, inner;
    T left, right;
};

/// Elements of a result.
template <class T>
struct Elements {
    std::vector<std::int64_t> positions;
    std::vector<T> values;
};

template <class T>
class Multiplication {
public:
    Multiplication(const ListFactor& left, const ListFactor& right, const ListProductShape& shape)
        : left_(static_cast<const T*>(left.values.data())),
          right_(static_cast<const T*>(right.values.data())),
          rows_(right.lines, shape.right_count * shape.inner),
          shape_(shape),
          columns_(shape.columns),
          has_sums_(shape.columns <= limits::most_product_sums) {}

    /// Number of the elements of rows.
    std::int64_t count(const LineBlock& block) const {
        std::int64_t found = 0;
        if (!has_sums_) {
            each_sorted(block, [&](std::int64_t, std::int64_t, const SumOfProducts<T>&) { ++found; });
            return found;
        }
        ColumnSet set(columns_);
        for (std::size_t line = 0; line < block.numbers.size(); ++line) {
            each_term(block, line,
                      [&](std::int64_t column, std::int64_t, T, T) { set.insert_to_count(column); });
            found += set.count_all();
        }
        return found;
    }

    /// Writes the elements of rows.
    void multiply(const LineBlock& block, std::int64_t* positions, T* values) const {
        if (!has_sums_)
            return each_sorted(block,
                               [&](std::int64_t row, std::int64_t column, const SumOfProducts<T>& sum) {
                                   *positions++ = row * columns_ + column;
                                   *values++ = sum.result();
                               });
        ColumnSet set(columns_);
        std::vector<SumOfProducts<T>> sums;
        for (std::size_t line = 0; line < block.numbers.size(); ++line) {
            std::int64_t terms = 0, count = 0;
            each_term(block, line, [&](std::int64_t column, std::int64_t, T, T) {
                set.insert(column);
                ++terms;
            });
            set.number_all([&, first = block.numbers[line] * columns_](std::int64_t column) {
                positions[count++] = first + column;
            });
            if (count == terms)
                each_term(block, line, [&](std::int64_t column, std::int64_t k, T a, T b) {
                    SumOfProducts<T> sum;
                    sum.add(a, b, k);
                    values[set.number(column)] = sum.result();
                });
            else
                add_terms(block, line, set, sums, values, count);
            set.clear();
            positions += count;
            values += count;
        }
    }

    /// Appends the elements of rows at some positions.
    void multiply_at(const LineBlock& block, const NumberedRows& places, Elements<T>& made) const {
        if (has_sums_) {
            ColumnSet set(columns_);
            return multiply_at(
                block, places, made,
                [&](std::span<const std::int64_t> columns) {
                    for (const std::int64_t column : columns) set.insert(column);
                    set.number_all([](std::int64_t) {});
                },
                [&](std::span<const std::int64_t>, std::int64_t column) {
                    return set.contains(column) ? set.number(column) : -1;
                },
                [&] { set.clear(); });
        }
        multiply_at(
            block, places, made, [](std::span<const std::int64_t>) {},
            [](std::span<const std::int64_t> columns, std::int64_t column) {
                const auto found = std::ranges::lower_bound(columns, column);
                const bool is_there = found != columns.end() && *found == column;
                return is_there ? std::int64_t{found - columns.begin()} : -1;
            },
            [] {});
    }

private:
    /// Begins a row of these columns with begin(columns), finds the number of a column by
    /// number(columns, column), or -1, and ends the row with end().
    template <class Begin, class Number, class End>
    void multiply_at(const LineBlock& block, const NumberedRows& places, Elements<T>& made, Begin&& begin,
                     Number&& number, End&& end) const {
        std::vector<SumOfProducts<T>> sums;
        std::vector<std::uint8_t> has_terms;
        for (std::size_t line = 0; line < block.numbers.size(); ++line) {
            const std::int64_t row = block.numbers[line];
            const auto [first, last] = places.row(row);
            if (first == last) continue;
            const auto count = static_cast<std::size_t>(last - first);
            const auto columns = places.columns().subspan(static_cast<std::size_t>(first), count);
            begin(columns);
            sums.assign(count, {});
            has_terms.assign(count, 0);
            each_term(block, line, [&](std::int64_t column, std::int64_t k, T a, T b) {
                const std::int64_t found = number(columns, column);
                if (found < 0) return;
                sums[static_cast<std::size_t>(found)].add(a, b, k);
                has_terms[static_cast<std::size_t>(found)] = 1;
            });
            for (std::size_t i = 0; i < count; ++i) {
                if (has_terms[i] == 0) continue;
                made.positions.push_back(row * columns_ + columns[i]);
                made.values.push_back(sums[i].result());
            }
            end();
        }
    }
    /// Calls body(column, k, left value, right value) for the terms of a row, the terms of each column in
    /// their order.
    template <class Body>
    void each_term(const LineBlock& block, std::size_t line, Body&& body) const {
        const std::int64_t* const columns = rows_.columns().data();
        const std::int64_t first_row = shape_.first_row(block.numbers[line]);
        for (std::int64_t i = block.starts[line]; i < block.starts[line + 1]; ++i) {
            const std::int64_t k = block.inner[i];
            const T a = left_[block.first + i];
            const auto [first, last] = rows_.row(first_row + k);
            if (i + rows_ahead < std::ssize(block.inner))
                rows_.prefetch(first_row + block.inner[i + rows_ahead], right_);
            for (std::int64_t j = first; j < last; ++j) body(columns[j], k, a, right_[j]);
        }
    }
    /// Writes the elements of a row whose columns are numbered, some with more terms than one.
    void add_terms(const LineBlock& block, std::size_t line, const ColumnSet& set,
                   std::vector<SumOfProducts<T>>& sums, T* values, std::int64_t count) const {
        sums.assign(static_cast<std::size_t>(count), {});
        each_term(block, line, [&](std::int64_t column, std::int64_t k, T a, T b) {
            sums[static_cast<std::size_t>(set.number(column))].add(a, b, k);
        });
        for (std::int64_t i = 0; i < count; ++i) values[i] = sums[static_cast<std::size_t>(i)].result();
    }
    /// Sorts terms by their columns, the terms of each column in their order.  Not inlined into each caller.
    [[gnu::noinline]] static void sort(std::vector<Term<T>>& terms) {
        std::ranges::stable_sort(terms, {}, &Term<T>::column);
    }
    /// Calls body(row, column, sum) for all elements.
    template <class Body>
    void each_sorted(const LineBlock& block, Body&& body) const {
        std::vector<Term<T>> terms;
        for (std::size_t line = 0; line < block.numbers.size(); ++line) {
            terms.clear();
            each_term(block, line, [&](std::int64_t column, std::int64_t k, T a, T b) {
                terms.push_back({column, k, a, b});
            });
            sort(terms);
            for (std::size_t t = 0; t < terms.size();) {
                const std::int64_t column = terms[t].column;
                SumOfProducts<T> sum;
                for (; t < terms.size() && terms[t].column == column; ++t)
                    sum.add(terms[t].left, terms[t].right, terms[t].inner);
                body(block.numbers[line], column, sum);
            }
        }
    }

    const T* left_;
    const T* right_;
    NumberedRows rows_;
    ListProductShape shape_;
    std::int64_t columns_;
    bool has_sums_;
};

/// The elements of tasks, one after the other.
template <class T>
AnyMasked joined(const std::vector<Elements<T>>& parts, DType dtype, const Shape& shape,
                 const RunTasks& run) {
    std::vector<std::int64_t> firsts(parts.size() + 1, 0);
    for (std::size_t i = 0; i < parts.size(); ++i) firsts[i + 1] = firsts[i] + std::ssize(parts[i].positions);
    runtime::PooledArray<std::int64_t> positions(firsts.back());
    AnyTensor values = runtime::result_tensor(dtype, {firsts.back()});
    run(static_cast<int>(parts.size()), [&](int task) {
        std::ranges::copy(parts[task].positions, positions.data() + firsts[task]);
        std::ranges::copy(parts[task].values, static_cast<T*>(values.data()) + firsts[task]);
    });
    auto list = IndexList::of_ascending(std::move(positions), shape[0] * shape[1]);
    return AnyMasked::indexed(Layout::coo, shape, std::move(list), std::move(values));
}

}  // namespace

AnyMasked list_by_list_at(const ListLines& places, const ListFactor& left, const ListFactor& right,
                          const ListProductShape& shape, const RunTasks& run) {
    const std::vector<std::int64_t> begins = left.lines.tasks(limits::product_task_entries);
    const auto tasks = static_cast<int>(begins.size()) - 1;
    const NumberedRows rows(places, shape.batches * shape.rows);
    AnyMasked made;
    runtime::dispatch_numbers(left.values.dtype(), [&]<class T>() {
        const Multiplication<T> product(left, right, shape);
        std::vector<Elements<T>> parts(static_cast<std::size_t>(tasks));
        run(tasks, [&](int task) {
            const LineBlock block = left.lines.lines(begins[task], begins[task + 1]);
            runtime::fused([&] { product.multiply_at(block, rows, parts[task]); });
        });
        made = joined(parts, left.values.dtype(), shape.result(), run);
    });
    return made;
}

AnyMasked list_by_list(const ListFactor& left, const ListFactor& right, const ListProductShape& shape,
                       const RunTasks& run) {
    const std::vector<std::int64_t> begins = left.lines.tasks(limits::product_task_entries);
    const auto tasks = static_cast<int>(begins.size()) - 1;
    std::vector<LineBlock> blocks(static_cast<std::size_t>(tasks));
    std::vector<std::int64_t> firsts(begins.size(), 0);
    runtime::PooledArray<std::int64_t> positions;
    AnyTensor values;
    runtime::dispatch_numbers(left.values.dtype(), [&]<class T>() {
        const Multiplication<T> product(left, right, shape);
        run(tasks, [&](int task) {
            blocks[task] = left.lines.lines(begins[task], begins[task + 1]);
            runtime::fused([&] { firsts[task + 1] = product.count(blocks[task]); });
        });
        std::partial_sum(firsts.begin(), firsts.end(), firsts.begin());
        positions = runtime::PooledArray<std::int64_t>(firsts.back());
        values = runtime::result_tensor(left.values.dtype(), {firsts.back()});
        run(tasks, [&](int task) {
            runtime::fused([&] {
                product.multiply(blocks[task], positions.data() + firsts[task],
                                 static_cast<T*>(values.data()) + firsts[task]);
            });
        });
    });
    const Shape result = shape.result();
    auto list = IndexList::of_ascending(std::move(positions), result[0] * result[1]);
    return AnyMasked::indexed(Layout::coo, result, std::move(list), std::move(values));
}

}  // namespace frisket::list_kernels

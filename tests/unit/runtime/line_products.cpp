// SPDX-License-Identifier: MIT
// Kernels of products of lists, against sums that are made one by one.
#include "../../../runtime/list_kernels/line_products.hpp"
#include "../../../runtime/list_kernels/line_products_x86.hpp"
#include "../../../runtime/list_kernels/spmm.hpp"
#include "../../../runtime/list_kernels/transposed_lines.hpp"

#include "../../../runtime/layouts/layout_traits.hpp"
#include "../../../runtime/limits.hpp"
#include "../../../runtime/tensor/sum_of_products.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <vector>

namespace line_products_test {

using namespace frisket;

namespace {

const list_kernels::RunTasks in_turn = [](int count, const std::function<void(int)>& task) {
    for (int i = count; i-- > 0;) task(i);
};

template <class T>
std::vector<T> numbers(std::int64_t count, int seed) {
    std::vector<T> made(static_cast<std::size_t>(count));
    std::uint64_t state = static_cast<std::uint64_t>(seed) * 7919 + 1;
    for (T& x : made) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        x = static_cast<T>(static_cast<double>(state >> 40U) * 0x1p-23 - 1);
    }
    return made;
}

/// Equal bits, and so zeros of one sign.
template <class T>
void check_equal(const std::vector<T>& made, const std::vector<T>& wanted) {
    REQUIRE(made.size() == wanted.size());
    for (std::size_t i = 0; i < made.size(); ++i) {
        if (made[i] == wanted[i] && std::signbit(made[i]) == std::signbit(wanted[i])) continue;
        FAIL("element " << i << " is " << made[i] << " instead of " << wanted[i]);
    }
}

template <class T>
using ByRows = void (*)(const T*, const list_kernels::MatrixRows<T>&, const list_kernels::RowNumbers&, T*);
template <class T>
using AddRows = void (*)(const list_kernels::LineEntries<T>&, const list_kernels::MatrixRows<T>&, T*);

template <class T>
std::vector<ByRows<T>> all_by_rows() {
    std::vector<ByRows<T>> all{list_kernels::multiply_by_rows<T>};
#if defined(__x86_64__)
    if (list_kernels::x86::has_avx2()) all.push_back(list_kernels::x86::multiply_by_rows_avx2);
#endif
    return all;
}

template <class T>
std::vector<AddRows<T>> all_add_rows() {
    std::vector<AddRows<T>> all{list_kernels::add_rows<T>};
#if defined(__x86_64__)
    if (list_kernels::x86::has_avx2()) all.push_back(list_kernels::x86::add_rows_avx2);
    if (list_kernels::x86::has_avx512()) all.push_back(list_kernels::x86::add_rows_avx512);
#endif
    return all;
}

template <class T>
void check_by_rows(std::int64_t length, std::int64_t count) {
    INFO("length " << length << ", " << count << " rows");
    const std::int64_t rows = 7, stride = length + 3;
    const std::vector<T> row = numbers<T>(length, 1), matrix = numbers<T>(rows * stride, 2);
    std::vector<std::int64_t> read;
    std::vector<T> wanted;
    for (std::int64_t i = 0; i < count; ++i) {
        read.push_back(i * 5 % rows);
        runtime::SumOfProducts<T> sum;
        for (std::int64_t k = 0; k < length; ++k)
            sum.add(row[static_cast<std::size_t>(k)],
                    matrix[static_cast<std::size_t>(read.back() * stride + k)], k);
        wanted.push_back(sum.result());
    }
    for (const ByRows<T> multiply : all_by_rows<T>()) {
        std::vector<T> made(wanted.size(), T(99));
        multiply(row.data(), {matrix.data(), stride, length}, {.rows = read}, made.data());
        check_equal(made, wanted);
        // Only the first of these numbers of rows: the following have room for entries that are not theirs.
        for (std::int64_t first = std::max<std::int64_t>(count - 9, 0); first < count; ++first) {
            const std::span<const std::int64_t> some(read.data(), static_cast<std::size_t>(first));
            multiply(row.data(), {matrix.data(), stride, length}, {some, count - first}, made.data());
            const auto some_of = [&](const std::vector<T>& all) {
                return std::vector(all.begin(), all.begin() + first);
            };
            check_equal(some_of(made), some_of(wanted));
        }
    }
}

template <class T>
void check_add_rows(std::int64_t length, const std::vector<std::int64_t>& inner) {
    INFO("length " << length << ", " << inner.size() << " entries");
    const std::int64_t stride = length + 1, rows = inner.empty() ? 1 : inner.back() + 1;
    const std::vector<T> values = numbers<T>(std::ssize(inner), 3), matrix = numbers<T>(rows * stride, 4);
    std::vector<T> wanted;
    for (std::int64_t n = 0; n < length; ++n) {
        runtime::SumOfProducts<T> sum;
        for (std::size_t i = 0; i < inner.size(); ++i)
            sum.add(values[i], matrix[static_cast<std::size_t>(inner[i] * stride + n)], inner[i]);
        wanted.push_back(sum.result());
    }
    const auto count = std::ssize(inner);
    for (const AddRows<T> add : all_add_rows<T>()) {
        std::vector<T> made(wanted.size() + 1, T(99));
        add({values.data(), inner.data(), count, 0}, {matrix.data(), stride, length}, made.data());
        CHECK(made.back() == T(99));
        made.pop_back();
        check_equal(made, wanted);
    }
}

/// Places of a matrix: `count` of them, ascending.
std::vector<std::int64_t> places(std::int64_t rows, std::int64_t columns, std::int64_t count) {
    std::vector<std::int64_t> made;
    std::uint64_t state = 5;
    for (std::int64_t i = 0; i < count; ++i) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        made.push_back(
            static_cast<std::int64_t>((state >> 12U) % static_cast<std::uint64_t>(rows * columns)));
    }
    std::ranges::sort(made);
    made.erase(std::ranges::unique(made).begin(), made.end());
    return made;
}

void check_transposed(std::int64_t rows, std::int64_t columns, std::int64_t count) {
    INFO(rows << " x " << columns << ", " << count << " entries");
    const std::vector<std::int64_t> listed = places(rows, columns, count);
    const IndexList list(listed, rows * columns);
    const Tensor<float> values({list.size()}, numbers<float>(list.size(), 6));
    const list_kernels::ListLines lines(list, columns);
    const auto made = list_kernels::transposed_order(lines, list.kept(), rows, columns, in_turn);
    CHECK(list_kernels::transposed_order(lines, list.kept(), rows, columns, in_turn) == made);
    const AnyTensor in_order = runtime::gathered(values, made->entries.span());
    std::map<std::pair<std::int64_t, std::int64_t>, float> wanted;
    for (std::int64_t i = 0; i < list.size(); ++i)
        wanted[{listed[static_cast<std::size_t>(i)] % columns,
                listed[static_cast<std::size_t>(i)] / columns}] = values.data()[i];
    REQUIRE(made->lines.starts.size() == made->lines.numbers.size() + 1);
    auto next = wanted.begin();
    for (std::size_t line = 0; line < made->lines.numbers.size(); ++line)
        for (std::int64_t i = made->lines.starts[line]; i < made->lines.starts[line + 1]; ++i, ++next) {
            REQUIRE(next != wanted.end());
            REQUIRE(next->first == std::pair(made->lines.numbers[line], made->lines.inner.data()[i]));
            REQUIRE(next->second == static_cast<const float*>(in_order.data())[i]);
        }
    CHECK(next == wanted.end());
}

/// The product of two lists, against sums in a map.
void check_lists(std::int64_t rows, std::int64_t inner, std::int64_t columns, std::int64_t count) {
    INFO(rows << " x " << inner << " x " << columns << ", " << count << " entries");
    const auto of = [&](std::int64_t height, std::int64_t width, int seed) {
        auto list = std::make_shared<const IndexList>(places(height, width, count), height * width);
        return list_kernels::FactorMatrix{
            .values = Tensor<double>({list->size()}, numbers<double>(list->size(), seed)), .positions = list};
    };
    const list_kernels::FactorMatrix left = of(rows, inner, 7), right = of(inner, columns, 8);
    const AnyMasked made = list_kernels::multiplied(
        {.left = left, .right = right, .rows = rows, .inner = inner, .columns = columns}, in_turn);
    std::map<std::int64_t, runtime::SumOfProducts<double>> wanted;
    for (std::int64_t i = 0; i < left.positions->size(); ++i)
        for (std::int64_t j = 0; j < right.positions->size(); ++j) {
            const std::int64_t a = (*left.positions)[i], b = (*right.positions)[j];
            if (a % inner != b / columns) continue;
            wanted[a / inner * columns + b % columns].add(static_cast<const double*>(left.values.data())[i],
                                                          static_cast<const double*>(right.values.data())[j],
                                                          a % inner);
        }
    REQUIRE(made.index()->size() == std::ssize(wanted));
    std::int64_t i = 0;
    for (const auto& [position, sum] : wanted) {
        REQUIRE((*made.index())[i] == position);
        REQUIRE(static_cast<const double*>(made.values().data())[i] == sum.result());
        ++i;
    }
}

/// Products of which some entries, and all of some lines, are left out of a list, against products of the
/// list of the remaining entries.
void check_left_out(bool is_transposed, bool by_dense) {
    INFO(is_transposed << ' ' << by_dense);
    const std::int64_t rows = 300, columns = 200;
    const std::vector<std::int64_t> all = places(rows, columns, 2 * limits::line_task_entries);
    std::vector<std::int64_t> kept;
    std::vector<double> kept_values;
    const Tensor<double> values({std::ssize(all)}, numbers<double>(std::ssize(all), 3));
    const Tensor<bool> where({std::ssize(all)});
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::int64_t row = all[i] / columns, column = all[i] % columns;
        where.data()[i] = row % 7 != 0 && column % 5 != 0 && (row + column) % 3 != 0;
        if (!where.data()[i]) continue;
        kept.push_back(all[i]);
        kept_values.push_back(values.data()[i]);
    }
    const auto list_of = [&](const std::vector<std::int64_t>& listed) {
        return std::make_shared<const IndexList>(listed, rows * columns);
    };
    const std::int64_t inner = is_transposed ? rows : columns;
    const list_kernels::FactorMatrix dense{.values =
                                               Tensor<double>({inner, 3}, numbers<double>(inner * 3, 4))};
    const auto product = [&](const list_kernels::FactorMatrix& left) {
        list_kernels::FactorMatrix right = dense;
        if (!by_dense)
            right = {.values = left.values,
                     .positions = left.positions,
                     .where = left.where,
                     .is_transposed = !is_transposed};
        return list_kernels::multiplied({.left = left,
                                         .right = right,
                                         .rows = rows + columns - inner,
                                         .inner = inner,
                                         .columns = by_dense ? 3 : rows + columns - inner},
                                        in_turn);
    };
    const AnyMasked made = product({.values = values,
                                    .positions = list_of(all),
                                    .where = where,
                                    .is_transposed = is_transposed}),
                    wanted = product({.values = Tensor<double>({std::ssize(kept)}, kept_values),
                                      .positions = list_of(kept),
                                      .is_transposed = is_transposed});
    REQUIRE(made.index()->size() == wanted.index()->size());
    for (std::int64_t i = 0; i < made.index()->size(); ++i)
        REQUIRE((*made.index())[i] == (*wanted.index())[i]);
    REQUIRE(Tensor<double>(made.values()).to_vector() == Tensor<double>(wanted.values()).to_vector());
}

}  // namespace

TEST_CASE("entries that are left out of a list add no terms to its products", "[line_products]") {
    for (const bool is_transposed : {false, true})
        for (const bool by_dense : {false, true}) check_left_out(is_transposed, by_dense);
}

TEMPLATE_TEST_CASE("sums of a row with others are those that are made one by one", "[line_products]", float,
                   double) {
    for (const std::int64_t length : {0, 1, 2, 3, 4, 5, 7, 8, 50, 64, 127})
        for (const std::int64_t count : {0, 1, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 24, 25, 31, 32, 33, 65})
            check_by_rows<TestType>(length, count);
    for (const std::int64_t length : {-1, 0, 1, 5})
        for (const std::int64_t count : {1, 9, 33})
            for (const std::int64_t panels : {1, 2})
                check_by_rows<TestType>(panels * limits::product_panel + length, count);
}

TEMPLATE_TEST_CASE("rows of a matrix are added in the order of a line", "[line_products]", float, double) {
    const std::int64_t panel = limits::product_panel;
    const std::vector<std::vector<std::int64_t>> lines{
        {}, {0}, {3}, {panel - 1, panel}, {0, 1, 2, panel + 5, 2 * panel, 2 * panel + 1}, {5 * panel + 1}};
    for (const std::vector<std::int64_t>& inner : lines)
        for (const std::int64_t length :
             {0, 1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 50, 63, 64, 65, 127, 130})
            check_add_rows<TestType>(length, inner);
    std::vector<std::int64_t> many(40);
    std::iota(many.begin(), many.end(), panel - 20);
    for (const std::int64_t length : {16, 50, 127}) check_add_rows<TestType>(length, many);
    // Entries of which most begin a panel, and enough for a branch for each.
    for (const std::int64_t of_a_panel : {1, 2, 7, 8, 9}) {
        std::vector<std::int64_t> apart;
        for (std::int64_t i = 0; i < 30; ++i)
            apart.push_back(i / of_a_panel * (i % 3 == 0 ? panel : 2 * panel) / 2 + i);
        std::ranges::sort(apart);
        for (const std::int64_t length : {1, 7, 8, 9, 16, 17, 33}) check_add_rows<TestType>(length, apart);
    }
}

TEST_CASE("a list is transposed by buckets, counted or sorted", "[line_products]") {
    check_transposed(1, 1, 1);
    check_transposed(5, 3, 0);
    check_transposed(20, 30, 200);
    for (const std::int64_t extra : {-1, 0, 1}) {
        const std::int64_t buckets = std::int64_t{1} << limits::transposed_bucket_bits;
        check_transposed(50, buckets + extra, 3000);
        check_transposed(50, buckets * limits::counted_lines_of_bucket + extra, 3000);
        check_transposed(300, 400, limits::transposed_task_entries + extra);
    }
    check_transposed(std::int64_t{1} << 33U, 3, 1000);
}

TEST_CASE("a product of lists has sums for each column, or sorts", "[line_products]") {
    check_lists(1, 1, 1, 1);
    check_lists(4, 3, 5, 0);
    check_lists(20, 30, 40, 200);
    check_lists(3, 5000, 70, 900);
    check_lists(10, std::int64_t{1} << 40U, 20, 50);
    for (const std::int64_t extra : {0, 1}) check_lists(5, 6, limits::most_product_sums + extra, 40);
    // Bits of columns are in words of 64, and these in groups of 64.
    for (const std::int64_t columns : {63, 64, 65, 4095, 4096, 4097, 20000}) {
        check_lists(6, 50, columns, 250);
        check_lists(30, 2 * limits::product_panel, columns, 3000);
    }
}

}  // namespace line_products_test

// SPDX-License-Identifier: MIT
/// Gradients of tensors that are read at few indices: lists of these, with the bits of the interpreter.
#include "../../../codegen/explain.hpp"
#include "../../support/random.hpp"
#include "eval_numbers.hpp"
#include "listed.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <tuple>
#include <vector>

namespace scattered_lists_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

using Ids = std::vector<std::int64_t>;

constexpr std::int64_t rows = 50, width = 7;

Tensor<float> table_of(std::int64_t extent = rows) { return random_tensor({extent, width}, 1); }

Tensor<std::int64_t> tensor_of(const Ids& ids) { return {{static_cast<std::int64_t>(ids.size())}, ids}; }

/// Checks the layout of a gradient, and its bits.
template <class E>
MaskedTensor<float> check(const E& gradient, Layout layout) {
    const MaskedTensor<float> found = eval(gradient, options());
    CHECK(found.layout() == layout);
    CHECK(same(found, oracle(gradient)));
    return found;
}

}  // namespace

TEST_CASE("a table that is read by rows has a gradient of these rows", "[codegen]") {
    const Tensor<float> table = table_of();
    const Ids ids =
        GENERATE(Ids{3}, Ids{1, 2, 4}, Ids{4, 2, 1}, Ids{7, 7, 7, 7, 7}, Ids{49, 0, 49, 3, 0, 49});
    const Tensor<std::int64_t> at = tensor_of(ids);
    const Tensor<float> wanted = random_tensor({at.size(), width}, 2);
    const auto loss = mean(square(index_select(table, 0, at) - wanted));
    const MaskedTensor<float> found = check(gradient(loss, table), Layout::rows);
    CHECK(found.index()->is_coalesced());
    check(gradient(sum(square(table[at])), table), Layout::rows);
    check(gradient(sum(exp(table[at])), table, 2.0F * loss), Layout::rows);
}

TEST_CASE("rows that are read by several dimensions of ids are a list of rows", "[codegen]") {
    const Tensor<float> table = table_of();
    const Tensor<std::int64_t> ids({2, 3}, {5, -1, 5, 0, 49, -50});
    check(gradient(sum(square(table[ids])), table), Layout::rows);
    const Tensor<float> deep = random_tensor({9, 3, 4}, 3);
    const Tensor<std::int64_t> few({3}, {8, 0, 8});
    check(gradient(sum(square(deep[few])), deep), Layout::rows);
    const Tensor<float> line = random_tensor({40}, 4);
    check(gradient(sum(square(line[few])), line), Layout::rows);
}

TEST_CASE("slices and rows by number are a list of rows, other parts one of elements", "[codegen]") {
    const Tensor<float> table = table_of();
    check(gradient(sum(square(table[3])), table), Layout::rows);
    check(gradient(sum(square(table[slice(4, 20, 5)])), table), Layout::rows);
    check(gradient(sum(square(narrow(table, 0, 48, 2))), table), Layout::rows);
    check(gradient(sum(square(narrow(table, 1, 2, 3))), table), Layout::coo);
    check(gradient(sum(square(table(all, 5))), table), Layout::coo);
    check(gradient(sum(square(index_select(table, 1, tensor_of({6, 1, 6})))), table), Layout::coo);
    const Tensor<std::int64_t> each({2, width}, {1, 2, 3, 4, 5, 6, 7, 1, 3, 3, 4, 49, 6, 0});
    check(gradient(sum(square(gather(table, 0, each))), table), Layout::coo);
    const Tensor<std::int64_t> columns({3}, {6, 0, 6});
    check(gradient(sum(square(index(table, tensor_of({9, 2, 9}), columns))), table), Layout::coo);
}

TEST_CASE("elements that the loss leaves out are in no list", "[codegen]") {
    const Tensor<float> table = table_of();
    const Tensor<std::int64_t> ids = tensor_of({4, 9, 4, 2});
    const Tensor<bool> of_rows({4, 1}, {true, false, true, false});
    const auto read = index_select(table, 0, ids);
    const auto some = check(gradient(sum(square(masked(read, of_rows))), table), Layout::rows);
    CHECK(some.specified_count() == width);
    Tensor<bool> of_elements({4, width});
    for (std::int64_t i = 0; i < of_elements.size(); ++i) of_elements.data()[i] = i % 3 == 0;
    check(gradient(sum(square(masked(read, of_elements))), table), Layout::coo);
    const auto none = masked(read, full<bool>({4, 1}, false));
    CHECK(check(gradient(sum(square(none)), table), Layout::rows).specified_count() == 0);
}

TEST_CASE("no rows that are read are no rows", "[codegen]") {
    const Tensor<float> table = table_of();
    const MaskedTensor<float> found = check(gradient(sum(table[tensor_of({})]), table), Layout::rows);
    CHECK(found.specified_count() == 0);
    CHECK_THROWS_AS(eval(gradient(sum(table[tensor_of({1, rows})]), table), options()), IndexError);
    CHECK_THROWS_AS(eval(gradient(sum(table[tensor_of({-rows - 1})]), table), options()), IndexError);
}

TEST_CASE("a tensor of which as much is read as it has is no list", "[codegen]") {
    const Tensor<float> table = table_of(3);
    const auto of = [&](const Ids& ids) { return gradient(sum(square(table[tensor_of(ids)])), table); };
    check(of({2, 0}), Layout::rows);
    check(of({2, 0, 2}), Layout::strided);
    check(gradient(sum(square(table[tensor_of({2, 0})])) + sum(table), table), Layout::strided);
}

TEST_CASE("several reads of a table are one list", "[codegen]") {
    const Tensor<float> table = table_of();
    const Tensor<std::int64_t> a = tensor_of({9, 3, 9}), b = tensor_of({1, 9}), c = tensor_of({3, 49, 0});
    const auto two = sum(square(table[a])) + sum(exp(index_select(table, 0, b)));
    check(gradient(two, table), Layout::rows);
    check(gradient(two + sum(square(index_select(table, 0, c))), table), Layout::rows);
    check(gradient(two + sum(table(all, 2)), table), Layout::coo);
}

TEST_CASE("results beside a list are made with it, each in memory of its own", "[codegen]") {
    const Tensor<float> table = table_of(), w = random_tensor({width, 2}, 5);
    const Tensor<std::int64_t> ids = tensor_of({9, 3, 9});
    const auto loss = sum(square(matmul(table[ids], w)));
    const auto slope = gradient(loss, table);
    const auto [value, of_table, again, of_w] = eval(loss, slope, slope, gradient(loss, w));
    CHECK(value.item() == eval(loss).item());
    CHECK(of_table.layout() == Layout::rows);
    CHECK(same(of_table, oracle(slope)));
    CHECK(same(of_table, again));
    CHECK(of_table.values().data() != again.values().data());
    CHECK(same(of_w, eval(gradient(loss, w))));
}

TEST_CASE("a sum at one row is carried in float64, and -0 is 0", "[codegen]") {
    const Tensor<float> table({3, 1}, {0x1.000002p-23F, 1, -0.0F});
    const auto read = index_select(table, 0, tensor_of({0, 0}));
    const auto found = check(gradient(sum(read) * 3, table), Layout::rows);
    CHECK(found.to_dense(0).to_vector() == std::vector<float>{6, 0, 0});
    const auto zero = gradient(sum(index_select(table, 0, tensor_of({2}))) * -0.0F, table);
    CHECK(std::signbit(check(zero, Layout::rows).to_dense(1).data()[2]) == false);
}

TEST_CASE("a gradient of a large table takes the memory of what is read", "[codegen]") {
    const Tensor<float> one({1}, {2});
    const Tensor<const float> table(AnyTensor(one).broadcast_to({std::int64_t{1} << 20, 2000}));
    const auto slope = gradient(sum(square(index_select(table, 0, tensor_of({1 << 19, 5})))), table);
    const auto found = eval(slope, {.jit = Jit::always});
    CHECK(found.layout() == Layout::rows);
    CHECK(found.specified_count() == 2 * 2000);
    const std::string plan = explain(slope, Run::yes, {.jit = Jit::always});
    CHECK(plan.find("scattered_list") != std::string::npos);
    CHECK(plan.find("peak: at most 15.6 KiB at once") != std::string::npos);
}

}  // namespace scattered_lists_test

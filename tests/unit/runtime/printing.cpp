// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <sstream>

#include "../../../runtime/kernel/thread_pool.hpp"
#include "../../../runtime/tensor/show.hpp"
#include "../../support/matchers.hpp"

namespace printing_test {

using namespace frisket;
using namespace frisket::testing;

template <class T>
static MaskedTensor<T> made(Shape shape, const std::vector<T>& values, const std::vector<bool>& mask) {
    return masked(Tensor<T>(shape, values), Tensor<bool>(shape, mask));
}

static constexpr float inf = INFINITY;

TEST_CASE("a row is printed on one line with -- where nothing is specified") {
    CHECK(to_string(made<float>({2}, {0, 4}, {false, true})) == "MaskedTensor(\n  [      --,   4.0000]\n)");
    CHECK(to_string(made<double>({3}, {NAN, -273.90625, -7.25}, {false, true, false})) ==
          "MaskedTensor(\n  [       --, -273.9062,        --]\n)");
    CHECK(to_string(made<double>({6}, {123456.789, 1e10, 1e-9, -4e-5, 5e-5, -1234567.25},
                                 {true, true, false, true, true, true})) ==
          "MaskedTensor(\n"
          "  [123456.7890, 10000000000.0000,               --,  -0.0000,   0.0001, -1234567.2500]\n"
          ")");
}

TEST_CASE("each row has a width of its own and each level is indented by two") {
    CHECK(to_string(made<double>({4, 4},
                                 {378.59375, -80.75, 0, -inf, 455.984375, -351.1875, 1e30, 1e30, -7.25, NAN,
                                  inf, 1e30, 375.15625, -20.1875, 327.234375, -7.25},
                                 {true, true, false, false, true, true, false, false, false, false, false,
                                  false, true, true, true, false})) ==
          "MaskedTensor(\n"
          "  [\n"
          "    [378.5938, -80.7500,       --,       --],\n"
          "    [455.9844, -351.1875,        --,        --],\n"
          "    [      --,       --,       --,       --],\n"
          "    [375.1562, -20.1875, 327.2344,       --]\n"
          "  ]\n"
          ")");
    CHECK(to_string(made<float>({2, 1, 2}, {1, 2, 3, 4}, {true, false, false, true})) ==
          "MaskedTensor(\n"
          "  [\n"
          "    [\n"
          "      [  1.0000,       --]\n"
          "    ],\n"
          "    [\n"
          "      [      --,   4.0000]\n"
          "    ]\n"
          "  ]\n"
          ")");
}

TEST_CASE("integers and truth values are printed plainly") {
    CHECK(to_string(made<std::int32_t>({3}, {-8, 2147483647, -2}, {true, false, true})) ==
          "MaskedTensor(\n  [-8,       --, -2]\n)");
    CHECK(to_string(made<std::int64_t>({3}, {1, 5, 9223372036854775807}, {true, true, false})) ==
          "MaskedTensor(\n  [1, 5,       --]\n)");
    CHECK(to_string(made<bool>({5}, {true, false, false, false, false}, {false, true, false, true, true})) ==
          "MaskedTensor(\n  [      --, False,       --, False, False]\n)");
    CHECK(to_string(arange<std::uint8_t>(2)) == "Tensor(\n  [0, 1]\n)");
}

TEST_CASE("a NaN is printed without its sign") {
    CHECK(
        to_string(made<float>({6}, {NAN, inf, 1, -inf, 0.1F, -0.F}, {true, true, false, true, true, true})) ==
        "MaskedTensor(\n  [     nan,      inf,       --,     -inf,   0.1000,  -0.0000]\n)");
    CHECK(to_string(full<double>({1}, -NAN)) == "Tensor(\n  [     nan]\n)");
}

TEST_CASE("a 0-d tensor is printed on one line with its mask") {
    CHECK(to_string(made<float>({}, {7.3125F}, {true})) == "MaskedTensor(  7.3125, True)");
    CHECK(to_string(made<float>({}, {-inf}, {false})) == "MaskedTensor(--, False)");
    CHECK(to_string(made<std::int64_t>({}, {7}, {true})) == "MaskedTensor(7, True)");
    CHECK(to_string(made<bool>({}, {false}, {true})) == "MaskedTensor(False, True)");
    CHECK(to_string(full<float>({}, 7.3125F)) == "Tensor(  7.3125)");
}

TEST_CASE("empty tensors and rows are printed as []") {
    CHECK(to_string(made<float>({0}, {}, {})) == "MaskedTensor(\n  []\n)");
    CHECK(to_string(made<float>({2, 0}, {}, {})) == "MaskedTensor(\n  [\n    [],\n    []\n  ]\n)");
    CHECK(to_string(Tensor<float>(Shape{0, 3})) == "Tensor(\n  []\n)");
    CHECK(to_string(AnyTensor()) == "Tensor(\n  []\n)");
}

TEST_CASE("the text does not depend on the layout, nor on unspecified bytes") {
    const auto rows = random_masked({7, 3}, specified(0.5), Layout::rows, 3, Listed::with_duplicates);
    const std::string wanted = to_string(rows);
    for (const Layout layout : {Layout::strided, Layout::bitmask, Layout::coo}) {
        const auto m = rows.to(layout);
        poison(m, Poison::signalling);
        CHECK(to_string(m) == wanted);
    }
}

TEST_CASE("views are printed in their own order, through streams as well") {
    std::ostringstream out;
    out << arange<float>(4).reshape({2, 2}).transpose(0, 1);
    CHECK(out.str() == "Tensor(\n  [\n    [  0.0000,   2.0000],\n    [  1.0000,   3.0000]\n  ]\n)");
    out.str("");
    out << MaskedTensor<float>::coo({2}, {{1}}, {4});
    CHECK(out.str() == "MaskedTensor(\n  [      --,   4.0000]\n)");
}

TEST_CASE("the largest double is printed in full") {
    CHECK(to_string(full<double>({}, -1.7976931348623157e308)).size() ==
          std::string("Tensor()").size() + 1 + 309 + 5);
}

TEST_CASE("a tensor of more than a thousand elements is printed by its edges") {
    CHECK(to_string(arange<std::int32_t>(1001)) == "Tensor(\n  [0, 1, 2, ..., 998, 999, 1000]\n)");
    CHECK(to_string(arange<std::int32_t>(1000)).size() > 4000);
    CHECK(to_string(arange<std::int32_t>(12).reshape({4, 3}), {.threshold = 5, .edge_items = 1}) ==
          "Tensor(\n  [\n    [0, ..., 2],\n    ...,\n    [9, ..., 11]\n  ]\n)");
    CHECK(to_string(arange<std::int32_t>(12).reshape({2, 6}).transpose(0, 1),
                    {.threshold = 5, .edge_items = 1}) ==
          "Tensor(\n  [\n    [0, 6],\n    ...,\n    [5, 11]\n  ]\n)");
    CHECK(to_string(Tensor<float>(Shape{2000, 0})).size() > 4000);
}

TEST_CASE("the edges of a masked tensor are the same in every layout") {
    const Layout layout = GENERATE(every_layout());
    const PrintOptions small{.threshold = 10, .edge_items = 2};
    const auto m = random_masked({9, 12}, specified(0.4), layout, 5, Listed::with_duplicates);
    const std::string wanted = to_string(masked(m.to_dense(0), m.mask_tensor()), small);
    CHECK(to_string(m, small) == wanted);
    CHECK(to_string(m, {.threshold = 0, .edge_items = 6}) == to_string(m));
    CHECK(std::ranges::count(wanted, '\n') == 8);
}

TEST_CASE("what is printed of a huge list costs what it stores") {
    const std::int64_t extent = std::int64_t{1} << 40;
    const auto m = MaskedTensor<float>::coo({extent}, {{1, 77, extent - 1}}, {3, 4, 5});
    CHECK(to_string(m) ==
          "MaskedTensor(\n  [      --,   3.0000,       --, ...,       --,       --,   5.0000]\n)");
}

TEST_CASE("a tensor without elements prints few rows, whatever its extents") {
    const std::int64_t huge = std::int64_t{1} << 62;
    const std::string rows = "  [],\n  [],\n  [],\n  ...,\n  [],\n  [],\n  []\n";
    for (const std::int64_t extent : {std::int64_t{65537}, std::int64_t{1} << 31, huge}) {
        CHECK(std::ranges::count(to_string(Tensor<float>(Shape{extent, 0})), '\n') == 10);
        CHECK(std::ranges::count(to_string(MaskedTensor<float>::coo({extent, 0}, {{}, {}}, {})), '\n') == 10);
        CHECK(std::ranges::count(to_string(Tensor<bool>(Shape{extent, 0, extent})), '\n') == 10);
        CHECK(to_string(Tensor<int>(Shape{0, extent})) == to_string(Tensor<int>(Shape{0, 1})));
    }
    CHECK(std::ranges::count(to_string(Tensor<float>(Shape{1000, 0})), '\n') == 1003);
    CHECK(to_string(Tensor<float>(Shape{3, huge, 0})).size() < 1000);
}

TEST_CASE("a matrix without entries costs nothing of its extents") {
    const std::int64_t extent = std::int64_t{1} << 31;
    const AnyTensor none(DType::float32, Shape{0, extent, extent});
    for (const auto make : {AnyMasked::bsr, AnyMasked::bsc}) {
        const AnyMasked blocks = make({extent, extent}, {extent, extent}, {0, 0}, {}, none, {});
        CHECK(blocks.specified_count() == 0);
        CHECK(blocks.to(Layout::coo).specified_count() == 0);
        CHECK(to_string(blocks).size() < 1000);
    }
    for (const Layout layout : {Layout::csr, Layout::csc, Layout::bsr, Layout::bsc}) {
        const bool is_by_row = layout == Layout::csr || layout == Layout::bsr;
        const Shape long_lines = is_by_row ? Shape{extent, 0} : Shape{0, extent};
        const auto m = MaskedTensor<float>::coo(long_lines, {{}, {}}, {});
        CHECK_THROWS_MATCHES(m.to(layout), LayoutError,
                             Catch::Matchers::MessageMatches(Catch::Matchers::ContainsSubstring("use coo")));
        const auto turned = MaskedTensor<float>::coo({long_lines[1], long_lines[0]}, {{}, {}}, {});
        CHECK(turned.to(layout).specified_count() == 0);
    }
}

TEST_CASE("a tensor is described on one line") {
    const Tensor<float> t(Shape{2, 3});
    CHECK(describe(t) == "Tensor of float32, shape [2, 3], layout dense: 6 elements, 24 bytes");
    CHECK(describe(t.transpose(0, 1)) ==
          "Tensor of float32, shape [3, 2], layout dense: 6 elements, 24 bytes, strides [1, 3]");
    CHECK(describe(Tensor<bool>({}, {true})) ==
          "Tensor of bool, shape [], layout dense: 1 elements, 1 bytes");
}

TEST_CASE("variables of the environment that say nothing known are refused by the call that reads them") {
    const auto with = [](const char* name, const char* value, const auto& call) {
        const char* const old = std::getenv(name);
        const std::string before = old != nullptr ? old : "";
        setenv(name, value, 1);
        std::string error;
        try {
            call();
        } catch (const ValueError& thrown) { error = thrown.what(); }
        old != nullptr ? setenv(name, before.c_str(), 1) : unsetenv(name);
        return error;
    };
    for (const std::string value : {"abc", "-1", "4x", " 4", "1e2", "0x4", "4,", "-99999999999999999999"})
        CHECK(with("FRISKET_NUM_THREADS", value.c_str(), [] {
                  kernel_calls::wanted_threads();
              }).starts_with("frisket: FRISKET_NUM_THREADS is \"" + value + "\", wanted a number"));
    for (const auto& [value, wanted] :
         {std::pair{"", 0}, {"0", 0}, {"3", 3}, {"257", 256}, {"9999999999", 256}})
        CHECK(with("FRISKET_NUM_THREADS", value, [&] {
                  CHECK(kernel_calls::wanted_threads() == wanted);
              }).empty());
    for (const std::string value : {"foo", "plans", "Plan", "plan, loops", "1"})
        CHECK(with("FRISKET_SHOW", value.c_str(), [] {
                  runtime::shows("plan");
              }).starts_with("frisket: FRISKET_SHOW names \""));
    for (const char* value : {"", "plan", "graph,plan,schedule,loops,cache", "plan,"})
        CHECK(with("FRISKET_SHOW", value, [] { runtime::shows("graph"); }).empty());
}

TEST_CASE("a masked tensor is described on one line") {
    const auto m = MaskedTensor<float>::coo({2, 4}, {{0, 1, 1}, {2, 0, 2}}, {3, 4, 5});
    CHECK(describe(m) ==
          "MaskedTensor of float32, shape [2, 4], layout coo: 3 of 8 elements specified (37.5 %), "
          "12 bytes of values, 12 of mask and index");
    CHECK(describe(m.to(Layout::csr)) ==
          "MaskedTensor of float32, shape [2, 4], layout csr: 3 of 8 elements specified (37.5 %), "
          "12 bytes of values, 48 of mask and index");
    CHECK(describe(MaskedTensor<bool>::dense(Tensor<bool>(Shape{0}))) ==
          "MaskedTensor of bool, shape [0], layout dense: 0 of 0 elements specified, 0 bytes of values, "
          "0 of mask and index");
}

}  // namespace printing_test

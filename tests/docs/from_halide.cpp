// SPDX-License-Identifier: MIT
// docs/guides/halide.md: both sides of each row, and their elements computed by hand.
#include <Halide.h>

#include "guide_rows.hpp"

#include <catch2/catch_test_macros.hpp>

#include <map>

namespace from_halide_test {

namespace {

using frisket::testing::GuideRow, frisket::testing::Numbers, frisket::testing::numbers;

namespace of_frisket {

using namespace frisket;

// [symbols]
constexpr InOut<"param"> param;
constexpr Masked<"slope"> slope;
// [/symbols]

/// The names of the rows on frisket's side.
struct Names {
    // [names]
    Tensor<float> a{{2, 4}, {1, -2, 3, 4, 5, 6, -7, 8}};
    Tensor<float> b{{2, 4}, {10, 20, 30, 40, 50, 60, 70, 80}};
    Tensor<float> c{{4, 3}, {1, 0, 2, 0, 1, 0, 1, 1, 0, 0, 0, 1}};
    Tensor<std::int64_t> ids{{3}, {3, 0, 0}};
    // [/names]
};

}  // namespace of_frisket

#define GUIDE_OURS(code, ...)                                                                                \
    [] {                                                                                                     \
        using namespace of_frisket;                                                                          \
        Names names;                                                                                         \
        [[maybe_unused]] auto& [a, b, c, ids] = names;                                                       \
        FRISKET_BARE code;                                                                                   \
        return numbers(__VA_ARGS__);                                                                         \
    }

/// The names of the rows on Halide's side: the first dimension of a Buffer is the last one of its tensor.
struct NamesOfHalide {
    of_frisket::Names tensors;
    Halide::Buffer<float> a{tensors.a.data(), 4, 2}, b{tensors.b.data(), 4, 2}, c{tensors.c.data(), 3, 4};
    Halide::Buffer<std::int64_t> ids{tensors.ids.data(), 3};
    Halide::Func f{"f"};
    Halide::Var x{"x"}, y{"y"}, i{"i"};
    Halide::RDom r{0, 4}, s{0, 2}, t{1, 3};
};

/// The elements of `f`, over the extents of its variables.
Numbers realized(Halide::Func f) {
    const std::map<std::string, int> extents = {{"x", 4}, {"y", 2}, {"i", 3}};
    std::vector<int> sizes;
    for (const Halide::Var& each : f.args()) sizes.push_back(extents.at(each.name()));
    const Halide::Buffer<> found = f.realize(sizes);
    Numbers numbers(found.number_of_elements());
    Halide::Buffer<double> copy(numbers.data(), sizes);
    Halide::Func as_double;
    as_double(Halide::_) = Halide::cast<double>(found(Halide::_));
    as_double.realize(copy);
    return numbers;
}

#define GUIDE_THEIRS(code, ...)                                                                              \
    [] {                                                                                                     \
        using namespace Halide;                                                                              \
        NamesOfHalide names;                                                                                 \
        [[maybe_unused]] auto& [tensors, a, b, c, ids, f, x, y, i, r, s, t] = names;                         \
        FRISKET_BARE code;                                                                                   \
        (void)(__VA_ARGS__);                                                                                 \
        return realized(f);                                                                                  \
    }

std::vector<GuideRow> rows() {
    return {
        GUIDE_ROW((f(x, y) = a(x, y) * b(x, y) + 1), (eval(a * b + 1)), 11, -39, 91, 161, 251, 361, -489,
                  641),
        GUIDE_ROW((f(x, y) = select(a(x, y) > 0, a(x, y), b(x, y))), (eval(where(a > 0, a, b))), 1, 20, 3, 4,
                  5, 6, 70, 8),
        GUIDE_ROW((f(x, y) = clamp(a(x, y), -1, 5)), (eval(clamp(a, -1, 5))), 1, -1, 3, 4, 5, 5, -1, 5),
        GUIDE_ROW((f(x, y) = cast<int>(a(x, y) / 2)), (eval(cast<std::int32_t>(a / 2))), 0, -1, 1, 2, 2, 3,
                  -3, 4),
        GUIDE_ROW((f(y, x) = a(x, y)), (eval(transpose(a))), 1, 5, -2, 6, 3, -7, 4, 8),
        GUIDE_ROW((f(i, y) = a(clamp(cast<int>(ids(i)), 0, 3), y)), (eval(index_select(a, 1, ids))), 4, 1, 1,
                  8, 5, 5),
        GUIDE_ROW((f(y) += a(r, y)), (eval(sum(a, {1}))), 6, 12),
        GUIDE_ROW((f(x) = maximum(a(x, s))), (eval(amax(a, {0}))), 5, 6, 3, 8),
        GUIDE_ROW((f(y) = argmax(a(r, y))[0]), (eval(argmax(a, 1))), 3, 3),
        GUIDE_ROW((f(i, y) += a(r, y) * c(i, r)), (eval(matmul(a, c))), 4, 1, 6, -2, -1, 18),
        GUIDE_ROW((f(x, y) = a(x, y), f(t, y) += f(t - 1, y)), (eval(cumsum(a, 1))), 1, -1, 2, 6, 5, 11, 4,
                  12),
        GUIDE_CHANGE(a, (f(x, y) = select(a(x, y) > 0, a(x, y) - b(x, y) / 2, a(x, y))),
                     (jit(step<"descend">(param -= slope / 2))(param = a, slope = masked(b, eval(a > 0)))),
                     -4, -2, -12, -16, -20, -24, -7, -32),
        GUIDE_CHANGE(a, (f(x, y) = a(x, y), f(x, y) *= 2, f(x, y) += 1),
                     (jit(step<"twice">(param *= 2, param += 1))(param = a)), 3, -3, 7, 9, 11, 13, -13, 17),
        GUIDE_CHANGE(a, (f(x, y) = a(x, y) + 1, f.vectorize(x, 4).parallel(y)),
                     (jit(step<"next">(param += 1), schedule("dense vector=4 grain=4096"))(param = a)), 2, -1,
                     4, 5, 6, 7, -6, 9),
        GUIDE_CHANGE(a, (f(x, y) = a(x, y) + 1, f.compile_jit(get_host_target())),
                     (jit(step<"next">(param += 1), TargetName{"cpu"})(param = a)), 2, -1, 4, 5, 6, 7, -6, 9),
    };
}

#undef GUIDE_OURS
#undef GUIDE_THEIRS

}  // namespace

TEST_CASE("the guide for users of Halide has the rows that this file runs") {
    frisket::testing::check_code("halide", rows());
}

TEST_CASE("each of our spellings in the guide for users of Halide has the value computed by hand") {
    frisket::testing::check_values(rows(), &GuideRow::by_ours);
}

TEST_CASE("each of Halide's spellings in the guide has the value of ours") {
    frisket::testing::check_values(rows(), &GuideRow::by_theirs);
}

}  // namespace from_halide_test

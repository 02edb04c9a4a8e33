// SPDX-License-Identifier: MIT
// Steps by lists of rows that have one element: loops walk these as elements.
#include "../../../ir/interpreter/interpret.hpp"
#include "../../../runtime/limits.hpp"
#include "../../support/matchers.hpp"
#include "aot_steps.hpp"

#include <catch2/generators/catch_generators.hpp>

#include <frisket/frisket.hpp>

#include <algorithm>

namespace jit_rows_of_one_test {

using namespace frisket;
using namespace frisket::testing;
using namespace steps;

namespace {

constexpr std::int64_t task = limits::task_elements;

/// Every second row; two entries of one row if it is listed twice.
MaskedTensor<float> rows(std::int64_t count, bool is_twice) {
    std::vector<std::int64_t> ids;
    for (std::int64_t i = 0; i < count; ++i) ids.push_back(2 * i + 1);
    if (is_twice && count > 1) ids.front() = ids.back();
    return MaskedTensor<float>::rows({2 * count + 3, 1}, ids, random_tensor({count, 1}, 5));
}

/// The two targets of a step.
struct Outcome {
    Tensor<float> p, s;
    explicit Outcome(const Shape& shape) : p(random_tensor(shape, 1)), s(full<float>(shape, 0.5F)) {}
    Outcome column(std::int64_t i) const {
        Outcome made = *this;
        made.p = p.slice(1, i, i + 1);
        made.s = s.slice(1, i, i + 1);
        return made;
    }
};

void check_bytes(const Outcome& found, const Outcome& wanted) {
    CHECK_THAT(found.p, HasTheBytesOf(wanted.p));
    CHECK_THAT(found.s, HasTheBytesOf(wanted.s));
}

}  // namespace

TEST_CASE("rows of one element step as elements do", "[codegen][rows_of_one]") {
    const std::int64_t count = GENERATE(0, 1, 63, 64, 65, task, task + 1, 2 * task + 7);
    const bool is_twice = GENERATE(false, true);
    CAPTURE(count, is_twice);
    const auto kernel = jit(adagrad);
    const MaskedTensor<float> gradient = rows(count, is_twice);
    Outcome found(gradient.shape()), elements(gradient.shape()), wanted(gradient.shape());
    kernel(a = found.p, b = found.s, grad = gradient, lr = 0.1, eps = 1e-10);
    kernel(a = elements.p, b = elements.s, grad = gradient.to(Layout::coo), lr = 0.1, eps = 1e-10);
    interpret(describe(adagrad),
              {{"a", wanted.p}, {"b", wanted.s}, {"grad", gradient}, {"lr", 0.1}, {"eps", 1e-10}});
    check_bytes(found, wanted);
    check_bytes(elements, wanted);
}

TEST_CASE("rows of one element may have gaps between them", "[codegen][rows_of_one]") {
    const auto kernel = jit(adagrad);
    const MaskedTensor<float> gradient = rows(100, GENERATE(false, true));
    const Shape wide{gradient.shape()[0], 3};
    Outcome found(wide), wanted(wide);
    const Outcome seen = found.column(1), other = wanted.column(1);
    kernel(a = seen.p, b = seen.s, grad = gradient, lr = 0.1, eps = 1e-10);
    interpret(describe(adagrad),
              {{"a", other.p}, {"b", other.s}, {"grad", gradient}, {"lr", 0.1}, {"eps", 1e-10}});
    check_bytes(found, wanted);
}

TEST_CASE("a schedule for loops over rows is kept for rows of one element", "[codegen][rows_of_one]") {
    const auto kernel = jit(adagrad, schedule("rows"));
    const MaskedTensor<float> gradient = rows(100, false);
    Outcome found(gradient.shape()), wanted(gradient.shape());
    kernel(a = found.p, b = found.s, grad = gradient, lr = 0.1, eps = 1e-10);
    jit(adagrad)(a = wanted.p, b = wanted.s, grad = gradient, lr = 0.1, eps = 1e-10);
    check_bytes(found, wanted);
}

}  // namespace jit_rows_of_one_test

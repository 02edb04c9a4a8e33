// SPDX-License-Identifier: MIT
#include "../support/matchers.hpp"
#include "table.hpp"

#include <frisket/frisket.hpp>
#include <frisket/optim.hpp>

#include <cmath>
#include <string>

namespace optimizers_test {

using namespace frisket;
using namespace frisket::optim;
using namespace frisket::testing;

namespace {

/// Two steps of a parameter by loops and by the interpreter; whether both wrote the same bytes.
bool agree(const AnyRule& rule, const AnyTensor& start, const AnyMasked& grad, Untouched untouched,
           bool is_rounded) {
    std::vector<AnyTensor> made;
    for (const bool interpret : {false, true}) {
        const AnyTensor& param = made.emplace_back(start.clone());
        Optimizer optimizer(
            {.untouched = untouched, .interpret = interpret, .stochastic_rounding = is_rounded, .seed = 11},
            rule, {{"p", param}});
        optimizer.step({grad});
        optimizer.step({grad});
    }
    return same(made[0], made[1]);
}

Tensor<float> numbers(const Shape& shape) { return random_tensor<float>(shape, 5); }

}  // namespace

TEST_CASE("every element is rounded by its own random bits, at every size around a limit") {
    for (const DType dtype : {DType::float16, DType::bfloat16})
        for (const std::int64_t size : sizes_of(Of::elements, small_call)) {
            const Tensor<bool> mask = random_mask({size}, specified(0.5));
            const AnyTensor start = numbers({size}).to(dtype);
            const AnyMasked grad = poison(AnyMasked::strided(numbers({size}).to(dtype), mask));
            INFO(name_of(dtype) << ", " << size);
            CHECK(agree(SGD{.lr = 0.01}, start, grad, Untouched::masked, true));
            CHECK(agree(SGD{.lr = 0.01}, start, grad.to(Layout::coo), Untouched::masked, true));
        }
}

TEST_CASE("every row is caught up, in tables of every size around a limit") {
    // Every step is exact with these numbers.
    const AnyRule rule = SGD{.lr = 0.5, .momentum = 0.5};
    auto counts = sizes_of(Of::entries, limits::short_list);
    for (const std::int64_t count : around(limits::task_elements / 3)) counts.push_back(count);
    for (const std::int64_t rows : counts) {
        std::vector<std::int64_t> some;
        for (std::int64_t i = 0; i < rows; i += 2) some.push_back(i);
        const Tensor<double> start = random_tensor<double>({rows, 3}, 7), lazy = start.clone(),
                             dense = start.clone();
        const AnyMasked first = AnyMasked::dense(random_tensor<double>({rows, 3}, 8));
        const AnyMasked second =
            AnyMasked::rows({rows, 3}, some, random_tensor<double>({std::ssize(some), 3}, 9));
        Optimizer caught_up({.untouched = Untouched::caught_up}, rule, {{"p", lazy}});
        Optimizer equivalent({.untouched = Untouched::dense_equivalent}, rule, {{"p", dense}});
        for (Optimizer* optimizer : {&caught_up, &equivalent})
            for (const AnyMasked& grad : {first, second, second, first, second}) optimizer->step({grad});
        caught_up.catch_up();
        INFO(rows);
        CHECK(allclose(lazy, dense, 1e-12, 1e-12));
    }
}

TEST_CASE("parameters of every size are stepped together, the small ones in one task") {
    std::vector<Tensor<float>> params;
    std::vector<NamedParameter> named;
    std::vector<Argument> grads;
    std::deque<AnyTensor> kept;
    for (const std::int64_t limit : {std::int64_t{1}, limits::task_elements / 2, limits::task_elements})
        for (const std::int64_t size : around(limit)) {
            params.push_back(full<float>({size}, 1));
            named.push_back({"p" + std::to_string(params.size()), params.back()});
            kept.push_back(full<float>({size}, 0.5f));
            grads.emplace_back(kept.back());
        }
    Optimizer optimizer(SGD{.lr = 0.5}, named);
    optimizer.step(grads);
    for (const Tensor<float>& param : params) CHECK(same(param, full<float>(param.shape(), 0.75f)));
}

TEST_CASE("the norm of a gradient sees every element, at every size around a limit") {
    for (const std::int64_t size : sizes_of(Of::folded, limits::least_for_threads)) {
        const Tensor<float> param({size}), grad = full<float>({size}, 1);
        Optimizer optimizer(SGD{.lr = 1}, {{"p", param}});
        const StepOutcome outcome = optimizer.step({grad}, {.clip_norm = 1});
        INFO(size);
        CHECK(std::abs(outcome.norm - std::sqrt(static_cast<double>(size))) <= 1e-12 * outcome.norm);
    }
}

}  // namespace optimizers_test

// SPDX-License-Identifier: MIT
#include "../../../ir/passes/gradient/gradient.hpp"
#include "../../support/devices.hpp"
#include "../../support/moved_arguments.hpp"
#include "../../support/random.hpp"

#include <frisket/frisket.hpp>
#include <frisket/optim.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <random>
#include <string>

namespace device_gradients_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

const Device processor;

/// Indices below `bound`, with duplicates.
Tensor<std::int64_t> indices(std::int64_t count, std::int64_t bound) {
    std::mt19937 random(static_cast<unsigned>(count));
    Tensor<std::int64_t> made({count});
    for (std::int64_t i = 0; i < count; ++i)
        made.data()[i] = static_cast<std::int64_t>(random() % static_cast<unsigned>(bound));
    return made;
}

constexpr InOut<"p"> p;
constexpr InOut<"s"> s;
constexpr Masked<"g"> g;
constexpr auto rowwise = step<"rowwise">(s += mean(g * g, {1}, keepdim), p -= 0.1f * g / (sqrt(s) + 1e-8f));

/// Compares a gradient that is made on the processor with a device's: layout, entries, bits.
template <class Make>
void check_alike(const Device& gpu, const std::string& what, Layout layout, const Make& make) {
    CAPTURE(what);
    const AnyMasked here(make(processor)), there(make(gpu));
    CHECK(here.layout() == layout);
    CHECK(there.layout() == layout);
    CHECK(there.device() == gpu);
    CHECK(there.values().shape() == here.values().shape());
    CHECK(same(there.to(processor), here));
}

}  // namespace

TEST_CASE("gradients of what is read at few places are lists on a device too", "[opencl]") {
    const Device gpu = there();
    const std::int64_t count = GENERATE(1, 63, 64, 65, 200);
    const Tensor<float> table = random_tensor({5000, 8}), w = random_tensor({8, 3}),
                        small = random_tensor({300, 20});
    const Tensor<std::int64_t> ids = indices(count, 90), others = indices(50, 5000),
                               columns = indices(30, 20);
    check_alike(gpu, "rows", Layout::rows, [&](const Device& device) {
        const auto t = table.to(device);
        return eval(gradient(sum(square(matmul(t[ids.to(device)], w.to(device)))), t));
    });
    check_alike(gpu, "rows of a matrix of numbers", Layout::rows, [&](const Device& device) {
        const auto t = table.to(device);
        return eval(gradient(sum(square(sum(t[ids.to(device).reshape({1, count})], 1))), t));
    });
    check_alike(gpu, "two lists of rows", Layout::rows, [&](const Device& device) {
        const auto t = table.to(device);
        return eval(gradient(sum(square(t[ids.to(device)])) + sum(exp(t[others.to(device)])), t));
    });
    check_alike(gpu, "rows and a slice", Layout::rows, [&](const Device& device) {
        const auto t = table.to(device);
        return eval(gradient(sum(square(t[ids.to(device)])) + sum(slice(t, 0, 7, 20) * 3.0f), t));
    });
    check_alike(gpu, "every third row", Layout::rows, [&](const Device& device) {
        const auto t = small.to(device);
        return eval(gradient(sum(square(slice(t, 0, 5, 50, 3))), t));
    });
    check_alike(gpu, "some columns", Layout::coo, [&](const Device& device) {
        const auto t = small.to(device);
        return eval(gradient(sum(square(slice(t, 1, 2, 9, 2))), t));
    });
    check_alike(gpu, "columns by number", Layout::coo, [&](const Device& device) {
        const auto t = small.to(device);
        return eval(gradient(sum(square(index_select(slice(t, 0, 0, 10), 1, columns.to(device)))), t));
    });
    check_alike(gpu, "an element of each row", Layout::coo, [&](const Device& device) {
        const auto t = small.to(device);
        return eval(gradient(sum(square(gather(t, 1, columns.to(device).reshape({30, 1})))), t));
    });
    check_alike(gpu, "float64", Layout::rows, [&](const Device& device) {
        const auto t = random_tensor<double>({500, 3}).to(device);
        return eval(gradient(sum(square(t[ids.to(device)])), t));
    });
}

TEST_CASE("a list that a device made is read as any result", "[opencl]") {
    const Device gpu = there();
    const Tensor<float> table = random_tensor({50, 8}), moved = table.to(gpu);
    const Tensor<std::int64_t> ids = indices(20, 50), ids_there = ids.to(gpu);
    const auto chosen = [](const auto& t, const auto& i) {
        const auto slope = gradient(sum(square(t[i])), t);
        return AnyMasked(eval(slope[slope > 0.5f]));
    };
    CHECK(same(chosen(moved, ids_there).to(processor), chosen(table, ids)));
}

TEST_CASE("a table trains on a device by the rows that a batch reads", "[opencl]") {
    const Device gpu = there();
    const std::int64_t items = 20000, batch = 64;
    const auto trained = [&](const Device& device, auto rule) {
        const Tensor<float> table = random_tensor({items, 12}).to(device),
                            w = random_tensor({12, 1}).to(device);
        const Tensor<std::int64_t> ids = indices(batch, items).to(device);
        const Tensor<float> ratings = random_tensor({batch, 1}).to(device);
        const auto loss = mean(square(matmul(table[ids], w) - ratings));
        optim::Optimizer optimizer(rule, {{"table", table}, {"w", w}});
        for (int i = 0; i < 3; ++i) optimizer.minimize(loss);
        const DeviceUse use = use_of(device, [&] { optimizer.minimize(loss); });
        CHECK(use.bytes_uploaded == 0);
        CHECK(use.bytes_downloaded <= 16);  // the loss, a check, the number of rows
        return table.to(processor);
    };
    CHECK(same(trained(gpu, optim::Adagrad{.lr = 0.1}), trained(processor, optim::Adagrad{.lr = 0.1})));
    CHECK(same(trained(gpu, optim::RowwiseAdagrad{.lr = 0.1}),
               trained(processor, optim::RowwiseAdagrad{.lr = 0.1})));
}

TEST_CASE("row-wise rules of dense gradients take two kernels on a device", "[opencl]") {
    const Device gpu = there();
    auto kernel = jit(rowwise);
    for (const std::int64_t rows : {2, 63, 64, 65, 300}) {
        CAPTURE(rows);
        const MaskedTensor<float> gradient = MaskedTensor<float>::dense(random_tensor({rows, 24})),
                                  moved = gradient.to(gpu);
        const Tensor<float> param = random_tensor({rows, 24}), state = full<float>({rows, 1}, 1);
        const Tensor<float> param_there = param.to(gpu), state_there = state.to(gpu);
        kernel(p = param, s = state, g = gradient);
        kernel(p = param_there, s = state_there, g = moved);
        const DeviceUse use = use_of(gpu, [&] { kernel(p = param_there, s = state_there, g = moved); });
        kernel(p = param, s = state, g = gradient);
        CHECK(use.launches <= 2);
        CHECK(use.bytes_uploaded + use.bytes_downloaded == 0);
        CHECK(same(param_there.to(processor), param));
        CHECK(same(state_there.to(processor), state));
    }
}

TEST_CASE("row-wise rules take rows that were listed on a device", "[opencl]") {
    const Device gpu = there();
    auto kernel = jit(rowwise);
    const Tensor<std::int64_t> list = indices(100, 130);
    const Tensor<float> values = random_tensor({100, 24});
    const auto here = MaskedTensor<float>::rows({130, 24}, list, values),
               made = MaskedTensor<float>::rows({130, 24}, list.to(gpu), values.to(gpu));
    const Tensor<float> param = random_tensor({130, 24}), state = full<float>({130, 1}, 1);
    const Tensor<float> param_there = param.to(gpu), state_there = state.to(gpu);
    for (int i = 0; i < 2; ++i) {
        kernel(p = param, s = state, g = here);
        kernel(p = param_there, s = state_there, g = made);
    }
    const DeviceUse use = use_of(gpu, [&] { kernel(p = param_there, s = state_there, g = made); });
    kernel(p = param, s = state, g = here);
    CHECK(use.launches == 2);
    CHECK(same(param_there.to(processor), param));
    CHECK(same(state_there.to(processor), state));
}

TEST_CASE("a gradient through a softmax of masked scores of batches is made on a device", "[opencl]") {
    const Device gpu = there();
    const auto layout = GENERATE(Layout::strided, Layout::bitmask, Layout::coo, Layout::rows);
    CAPTURE(name_of(layout));
    const Tensor<double> a = random_tensor<double>({2, 3, 5, 4}, 1),
                         b = random_tensor<double>({2, 3, 7, 4}, 2);
    const MaskedTensor<double> x = random_masked<double>({2, 3, 5, 7}, specified(0.6), layout, 3);
    const auto run = [&](const ir::ExpressionContext::Evaluate& evaluate) {
        ir::ExpressionContext context("scores", evaluate);
        const ir::Value left = context.tensor(a), right = context.tensor(b);
        const ir::Value scores = ir::on(context.masked(x), ir::matmul(left, ir::transpose(right, 2, 3)));
        const std::vector<ir::Value> found = ir::gradient(ir::softmax(scores, 3), {&right, 1}, {});
        return context.run(found);
    };
    const auto here = run([](const Graph& graph, std::span<const Argument> arguments) {
        return codegen::jit_evaluate(graph, arguments);
    });
    const auto moved = run(evaluate_on(gpu));
    CHECK(same(moved[0].values, here[0].values));
}

TEST_CASE("gradients of products and running products have the processor's bits on a device", "[opencl]") {
    const Device gpu = there();
    const int dim = GENERATE(0, 1);
    const Tensor<float> a = random_tensor({5, 21});
    const auto run = [&](const ir::ExpressionContext::Evaluate& evaluate) {
        ir::ExpressionContext context("products", evaluate);
        const ir::Value x = context.tensor(a);
        const auto slope = [&](ir::Value e) { return ir::bare(ir::gradient(e, {&x, 1}, {})[0]); };
        return context.run(std::vector{slope(ir::cumprod(x, dim)), slope(ir::prod(x, std::vector{dim}))});
    };
    const auto here = run([](const Graph& graph, std::span<const Argument> arguments) {
        return codegen::jit_evaluate(graph, arguments);
    });
    const auto moved = run(evaluate_on(gpu));
    for (std::size_t i = 0; i < here.size(); ++i) CHECK(same(moved[i].values, here[i].values));
}

}  // namespace device_gradients_test

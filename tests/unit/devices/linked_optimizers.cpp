// SPDX-License-Identifier: MIT
#include <frisket/optim.hpp>

#include <catch2/catch_test_macros.hpp>

#include <vector>

#include <device_rules.hpp>

#include "linked.hpp"

/// Optimizers on a device, in a program without a compiler.
namespace linked_optimizers_test {

using namespace frisket;
using namespace linked_test;

namespace {

/// A parameter and its optimizer's state after three steps.
std::vector<float> trained(const optim::AnyRule& rule, const Shape& shape, Layout layout,
                           const Device& device) {
    const Tensor<float> param = numbers_of(shape, 1).to(device);
    optim::Optimizer optimizer({.kernels = device_rules::kernels}, rule, {{"w", param}});
    for (int step = 0; step < 3; ++step) {
        Tensor<bool> mask(shape);
        for (std::int64_t i = 0; i < mask.size(); ++i)
            mask.data()[i] = layout == Layout::dense || (i / shape[1]) % 3 == 1;
        const MaskedTensor<float> grad(AnyMasked::strided(numbers_of(shape, 2 + step), mask).to(layout));
        optimizer.step({Argument(AnyMasked(grad.to(device)))});
    }
    std::vector<float> all = param.to(Device()).to_vector();
    for (const optim::StateEntry& entry : optimizer.state()) {
        if (entry.value.dtype() != DType::float32) continue;
        const std::vector<float> values = Tensor<float>(entry.value.to(Device())).to_vector();
        all.insert(all.end(), values.begin(), values.end());
    }
    return all;
}

}  // namespace

TEST_CASE("optimizers that were compiled ahead of time step on a device as on the processor", "[opencl]") {
    const Device gpu = there();
    for (const auto& rule : {optim::AnyRule(optim::AdamW{}), optim::AnyRule(optim::RowwiseAdagrad{}),
                             optim::AnyRule(optim::LAMB{})})
        for (const Layout layout : {Layout::dense, Layout::coo, Layout::rows})
            for (const Shape& shape : {Shape{4, 4}, Shape{37, 72}, Shape{9, 130}}) {
                INFO(rule.info().name << " " << name_of(layout) << " " << to_string(shape));
                CHECK(same_bytes(trained(rule, shape, layout, gpu), trained(rule, shape, layout, Device())));
            }
}

TEST_CASE("a model trains on a device without a compiler, and moves nothing but its losses", "[opencl]") {
    const Device gpu = there();
    std::vector<std::vector<float>> results;
    for (const Device& device : {Device(), gpu}) {
        const Tensor<float> x = numbers_of({64, 8}, 1).to(device), y = numbers_of({64, 1}, 2).to(device);
        const Tensor<float> w = zeros<float>({8, 1}).to(device);
        optim::Optimizer optimizer({.kernels = device_rules::kernels}, optim::AdamW{.lr = 0.1}, {{"w", w}});
        const auto step = [&] {
            const auto [loss, slope] = device_rules::loss(device_optimizers::x = x, device_optimizers::w = w,
                                                          device_optimizers::y = y);
            optimizer.step({slope});
            return loss;
        };
        const float first = step().item();
        for (int i = 0; i < 3; ++i) step();
        const DeviceUse use = use_of(gpu, [&] {
            for (int i = 0; i < 10; ++i) step();
            synchronize(gpu);
        });
        CHECK(use.bytes_uploaded + use.bytes_downloaded == 0);
        CHECK(step().item() < first);
        results.push_back(w.to(Device()).to_vector());
    }
    CHECK(same_bytes(results[0], results[1]));
}

}  // namespace linked_optimizers_test

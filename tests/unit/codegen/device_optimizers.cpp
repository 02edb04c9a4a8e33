// SPDX-License-Identifier: MIT
#include "../../support/devices.hpp"
#include "../../support/matchers.hpp"
#include "../../support/random.hpp"

#include <frisket/frisket.hpp>
#include <frisket/optim.hpp>

#include <vector>

/// Rows that see the steps that they missed when they are next touched, on a device.
namespace device_optimizers_test {

using namespace frisket;
using namespace frisket::optim;
using namespace frisket::testing;

namespace {

std::vector<AnyRule> rules() {
    return {SGD{.lr = 0.1, .momentum = 0.9}, Adagrad{.lr = 0.1},
            RowwiseAdagrad{
                .lr = 0.1, .weight_decay = 0.1, .weight_decay_mode = RowwiseAdagrad::Decay::decoupled}};
}

Optimizer lazy(const AnyRule& rule, const AnyTensor& param) {
    return Optimizer({.untouched = Untouched::caught_up}, rule, {{"p", param}});
}

/// A gradient of some of the rows; rows of layout rows are whole.
AnyMasked gradient(const Shape& shape, Layout layout, int seed) {
    const std::int64_t rows = shape.empty() ? 1 : shape[0];
    std::vector<std::int64_t> list;
    for (std::int64_t row = seed % 3; row < rows; row += 2 + seed % 4) list.push_back(row);
    if (shape.empty()) return random_masked<float>(shape, specified(0.5), layout, seed);
    Shape stored = shape;
    stored[0] = std::ssize(list);
    const AnyMasked whole = AnyMasked::rows(shape, list, random_tensor(stored, seed));
    if (layout == Layout::rows) return whole;
    const AnyMasked some = random_masked<float>(shape, specified(0.5), Layout::strided, seed);
    const Tensor<bool> in_list(whole.mask_tensor()), in_some(some.mask_tensor()), in_both(shape);
    for (std::int64_t i = 0; i < in_both.size(); ++i)
        in_both.data()[i] = in_list.data()[i] && in_some.data()[i];
    return AnyMasked::strided(some.values(), in_both).to(layout);
}

void check_same(const Optimizer& here, const Optimizer& there, const AnyTensor& p, const AnyTensor& q) {
    CHECK(same(q.to(Device()), p));
    for (const StateEntry& entry : here.state()) {
        CAPTURE(entry.name);
        CHECK(same(there.state("p", entry.name).to(Device()), entry.value));
    }
}

}  // namespace

namespace {

void check_catching_up(const AnyRule& rule, const std::vector<Shape>& shapes) {
    const Device gpu = there();
    CAPTURE(rule.info().name);
    for (const Shape& shape : shapes)
        for (const Layout layout :
             {Layout::dense, Layout::strided, Layout::bitmask, Layout::coo, Layout::rows}) {
            if (!can_hold(layout, shape)) continue;
            CAPTURE(shape, name_of(layout));
            const Tensor<float> p = random_tensor(shape, 1), q = p.to(gpu);
            Optimizer here = lazy(rule, p), there = lazy(rule, q);
            for (int seed = 1; seed <= 6; ++seed) {
                const AnyMasked g = layout == Layout::dense ? AnyMasked::dense(random_tensor(shape, seed))
                                                            : gradient(shape, layout, seed);
                here.step({g});
                there.step({g.to(gpu)});
                if (seed != 4) continue;
                here.rule().set("lr", "0.0625");
                there.rule().set("lr", "0.0625");
            }
            check_same(here, there, p, q);
            here.catch_up();
            there.catch_up();
            check_same(here, there, p, q);
            const AnyTensor before = q.clone();
            there.catch_up();  // no row is behind
            CHECK(same(q.to(Device()), before.to(Device())));
        }
}

}  // namespace

TEST_CASE("rows catch up on a device as on the processor", "[opencl]") {
    check_catching_up(rules()[static_cast<std::size_t>(GENERATE(0, 1, 2))], {{65, 3}});
}

TEST_CASE("rows of each shape catch up on a device as on the processor", "[opencl][deep]") {
    check_catching_up(rules()[static_cast<std::size_t>(GENERATE(0, 1, 2))],
                      {{1, 1}, {9, 64}, {0, 5}, {70}, {}});
}

TEST_CASE("rows that catch up on a device move no byte", "[opencl]") {
    const Device gpu = there();
    const Shape shape{1000, 16};
    const Tensor<float> q = random_tensor(shape, 1).to(gpu);
    Optimizer optimizer = lazy(SGD{.lr = 0.1, .momentum = 0.9}, q);
    const AnyMasked listed = gradient(shape, Layout::rows, 2).to(gpu),
                    some = gradient(shape, Layout::coo, 3).to(gpu);
    optimizer.step({listed});
    optimizer.step({some});
    const DeviceUse by_list = use_of(gpu, [&] { optimizer.step({listed}); });
    CHECK(by_list.bytes_uploaded + by_list.bytes_downloaded == 0);
    CHECK(by_list.launches <= 4);  // steps missed, the step, steps seen
    // The number of rows that it touches decides a shape.
    const DeviceUse by_entries = use_of(gpu, [&] { optimizer.step({some}); });
    CHECK(by_entries.bytes_uploaded == 0);
    CHECK(by_entries.bytes_downloaded == 4);
}

}  // namespace device_optimizers_test

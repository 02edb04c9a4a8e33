// SPDX-License-Identifier: MIT
#include "../support/matchers.hpp"
#include "../support/thread_bytes.hpp"

#include <frisket/frisket.hpp>
#include <frisket/optim.hpp>

#include <cmath>
#include <cstdio>
#include <filesystem>

namespace stochastic_rounding_test {

using namespace frisket;
using namespace frisket::optim;
using namespace frisket::testing;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

Optimizer::Settings at_random(bool interpret = false, Untouched untouched = Untouched::masked) {
    Optimizer::Settings settings;
    settings.untouched = untouched;
    settings.interpret = interpret;
    settings.stochastic_rounding = true;
    settings.seed = 42;
    return settings;
}

/// A parameter after three steps, from the same values in any strides.
template <class T>
Tensor<T> stepped(const Optimizer::Settings& settings, const AnyRule& rule, const Tensor<T>& param,
                  std::span<const MaskedTensor<T>> gradients) {
    Optimizer optimizer(settings, rule, {{"p", param}});
    for (const MaskedTensor<T>& gradient : gradients) optimizer.step({gradient});
    optimizer.catch_up();
    return param;
}

template <class T>
std::vector<MaskedTensor<T>> gradients_of(const Shape& shape, double density, Layout layout) {
    std::vector<MaskedTensor<T>> gradients;
    for (std::uint32_t i = 0; i < 3; ++i)
        gradients.push_back(random_masked<T>(shape, specified(density), layout, 10 * i));
    return gradients;
}

/// Every layout, and strides of every kind, return the interpreter's results.
template <class T>
void check_layouts(const AnyRule& rule, const Shape& shape, double density, Untouched untouched) {
    const Tensor<T> start = random_tensor<T>(shape, 3);
    for (const Layout layout : all_layouts()) {
        if (!can_hold(layout, shape)) continue;
        const auto gradients = gradients_of<T>(shape, density, layout);
        CAPTURE(rule.info().name, name_of(dtype_of<T>), shape, density, name_of(layout));
        const Tensor<T> wanted = stepped<T>(at_random(true, untouched), rule, start.clone(), gradients);
        const Tensor<T> found = stepped<T>(at_random(false, untouched), rule, start.clone(), gradients);
        CHECK_THAT(found, HasTheBytesOf(wanted));
        if (shape.size() < 2) continue;
        const Tensor<T> turned = start.transpose(0, 1).clone().transpose(0, 1);
        stepped<T>(at_random(false, untouched), rule, turned, gradients);
        CHECK_THAT(turned, HasTheBytesOf(wanted));
    }
}

float mean(const Tensor<bfloat16>& tensor) {
    double sum = 0;
    for (std::int64_t i = 0; i < tensor.size(); ++i) sum += float(tensor.data()[i]);
    return static_cast<float>(sum / static_cast<double>(tensor.size()));
}

}  // namespace

namespace {

/// A device rounds as the processor does.
template <class T>
void check_device(const Device& device, const AnyRule& rule, const Shape& shape, Layout layout) {
    CAPTURE(rule.info().name, name_of(dtype_of<T>), shape, name_of(layout));
    const Tensor<T> start = random_tensor<T>(shape, 3);
    const auto gradients = gradients_of<T>(shape, 0.4, layout);
    std::vector<MaskedTensor<T>> moved;
    for (const MaskedTensor<T>& gradient : gradients) moved.push_back(gradient.to(device));
    const Tensor<T> wanted = stepped<T>(at_random(), rule, start.clone(), gradients);
    const Tensor<T> found = stepped<T>(at_random(), rule, start.to(device), moved);
    CHECK_THAT(found.to(Device()), HasTheBytesOf(wanted));
}

}  // namespace

TEST_CASE("stochastic rounding gives the processor's bytes on a device", "[optim]") {
    Device gpu;
    try {
        gpu = device("opencl");
    } catch (const TargetError& error) { SKIP(error.what()); }
    check_device<bfloat16>(gpu, AdamW{.lr = 1e-2}, {13, 20}, Layout::strided);
    check_device<bfloat16>(gpu, SGD{.lr = 1e-2, .momentum = 0.9}, {67}, Layout::bitmask);
    check_device<float16>(gpu, SGD{.lr = 1e-2, .momentum = 0.9}, {13, 20}, Layout::coo);
    check_device<bfloat16>(gpu, RowwiseAdagrad{.lr = 1e-2}, {13, 20}, Layout::csr);
}

TEST_CASE("stochastic rounding gives the interpreter's bytes in every layout and stride", "[optim][full]") {
    for (const AnyRule& rule : {AnyRule(AdamW{.lr = 1e-2}), AnyRule(RowwiseAdagrad{.lr = 1e-2})})
        check_layouts<bfloat16>(rule, {13, 20}, 0.4, Untouched::masked);
    for (const AnyRule& rule : {AnyRule(SGD{.lr = 1e-2, .momentum = 0.9}), AnyRule(LAMB{.lr = 1e-2})})
        check_layouts<float16>(rule, {13, 20}, 0.4, Untouched::dense_equivalent);
    for (const Shape& shape : {Shape{0}, Shape{1}, Shape{67}, Shape{3, 4, 5}, Shape{2, 3, 2, 3, 4}})
        check_layouts<bfloat16>(AdamW{.lr = 1e-2}, shape, 0.5, Untouched::masked);
    for (const AnyRule& rule :
         {AnyRule(SGD{.lr = 0.1, .weight_decay = 0.1}), AnyRule(RowwiseAdagrad{.lr = 0.1})})
        check_layouts<bfloat16>(rule, {13, 20}, 0.1, Untouched::caught_up);
}

TEST_CASE("stochastic rounding gives the same bytes by every strategy of a large mask", "[optim]") {
    for (const double density : {0.001, 0.1, 0.95})
        check_layouts<float16>(SGD{.lr = 1e-2}, {210, 132}, density, Untouched::masked);
}

TEST_CASE("stochastic rounding counts positions in views with gaps", "[optim]") {
    const Shape shape{6, 5, 4, 3, 2};
    const Tensor<bfloat16> start = random_tensor<bfloat16>(shape, 3);
    const auto gradients = gradients_of<bfloat16>(shape, 0.5, Layout::strided);
    const AnyRule rule = SGD{.lr = 1e-2};
    const auto wanted = stepped<bfloat16>(at_random(true), rule, start.clone(), gradients);
    const Tensor<bfloat16> wide({6, 10, 4, 3, 4});
    const Tensor<bfloat16> view = wide.slice(1, 0, 10, 2).slice(4, 0, 4, 2);
    copy(start, view);
    stepped<bfloat16>(at_random(), rule, view, gradients);
    CHECK_THAT(view.clone(), HasTheBytesOf(wanted));
    const Tensor<bfloat16> turned =
        start.transpose(0, 4).transpose(1, 2).clone().transpose(1, 2).transpose(0, 4);
    stepped<bfloat16>(at_random(), rule, turned, gradients);
    CHECK_THAT(turned.clone(), HasTheBytesOf(wanted));
}

TEST_CASE("stochastic rounding leaves untouched elements bit for bit", "[optim]") {
    const Tensor<bfloat16> p = random_tensor<bfloat16>({40, 30}, 1);
    for (std::int64_t i = 0; i < p.size(); i += 7) p.data()[i] = bfloat16::from_bits(0x7f81);  // a NaN
    const Tensor<bfloat16> before = p.clone();
    const auto gradient = random_masked<bfloat16>({40, 30}, specified(0.3), Layout::bitmask, 4);
    Optimizer optimizer(at_random(), AdamW{}, {{"p", p}});
    optimizer.step({gradient});
    CHECK_THAT(p, MatchesWhereUnspecified(gradient, before));
}

TEST_CASE("stochastic rounding moves where rounding to nearest stalls", "[optim]") {
    const Shape shape{64, 64};
    const Tensor<bfloat16> g = full<bfloat16>(shape, bfloat16(1.0F));
    const auto run = [&](const Optimizer::Settings& settings) {
        const Tensor<bfloat16> p = full<bfloat16>(shape, bfloat16(1.0F));
        // A step is a fortieth of the distance between two numbers below 1.
        Optimizer optimizer(settings, SGD{.lr = 0x1p-8 / 40}, {{"p", p}});
        for (int i = 0; i < 2000; ++i) optimizer.step({g});
        return mean(p);
    };
    CHECK(run({}) == 1);
    // Expected in float32: 1 - 2000 steps.  Sigma is at most the root of 2000 / 40 units for one element, and
    // a 64th of that for the mean.
    const double wanted = 1 - 2000 * (0x1p-8 / 40);
    CHECK(std::abs(run(at_random()) - wanted) < 4 * std::sqrt(2000.0 / 40) * 0x1p-8 / 64);
}

TEST_CASE("stochastic rounding goes on with the same bytes from what was saved", "[optim]") {
    const std::string path = std::filesystem::temp_directory_path() / "frisket_random_state.safetensors";
    const auto gradients = gradients_of<bfloat16>({9, 7}, 0.6, Layout::coo);
    const auto two = [&](const Tensor<bfloat16>& p, const Tensor<bfloat16>& q, std::uint64_t seed) {
        Optimizer::Settings settings = at_random();
        settings.seed = seed;
        return Optimizer(settings, AdamW{.lr = 1e-2}, {{"p", p}, {"q", q}});
    };
    const Tensor<bfloat16> p = random_tensor<bfloat16>({9, 7}, 1), q = p.clone();
    Optimizer optimizer = two(p, q, 42);
    for (const auto& gradient : gradients) optimizer.step({gradient, gradient});
    CHECK(!same(p, q));  // parameters have bits of their own
    optimizer.save(path);
    const Tensor<bfloat16> r = p.clone(), s = q.clone();
    Optimizer resumed = two(r, s, 7);  // the seed is part of the state
    resumed.load(path);
    for (const auto& gradient : gradients) {
        optimizer.step({gradient, gradient});
        resumed.step({gradient, gradient});
    }
    CHECK_THAT(r, HasTheBytesOf(p));
    CHECK_THAT(s, HasTheBytesOf(q));
    const Tensor<bfloat16> t = p.clone();
    Optimizer other = two(t, t.clone(), 43);
    for (const auto& gradient : gradients) other.step({gradient, gradient});
    CHECK(!same(t, p));
    Optimizer nearest(AdamW{}, {{"p", t}, {"q", t.clone()}});
    nearest.save(path);
    CHECK_THROWS_MATCHES(resumed.load(path), ValueError,
                         MessageMatches(ContainsSubstring("lacks p.rounding_seed")));
    std::filesystem::remove(path);
}

TEST_CASE("stochastic rounding is a setting", "[optim]") {
    const Tensor<bfloat16> w = full<bfloat16>({3}, bfloat16(1.0F));
    // [setting]
    Optimizer::Settings settings;
    settings.stochastic_rounding = true;
    settings.seed = 42;
    Optimizer optimizer(settings, AdamW{.lr = 1e-4}, {{"w", w}});
    // [/setting]
    CHECK(optimizer.state().size() >= 2);
    CHECK(optimizer.state("w", "rounding_seed").dtype() == DType::int64);
}

TEST_CASE("stochastic rounding of what is not rounded is refused", "[optim]") {
    const Tensor<float> p = zeros<float>({2});
    const Tensor<bfloat16> q({2});
    CHECK_THROWS_MATCHES(
        Optimizer(at_random(), AdamW{}, {{"p", p}}), ValueError,
        Says(
            "adamw: parameter p is float32, and no other has 16 bits: stochastic_rounding is for float16 and "
            "bfloat16, others are not rounded; leave it out"));
    Optimizer mixed(at_random(), AdamW{}, {{"p", p}, {"q", q}});
    CHECK_THROWS_AS(mixed.state("p", "rounding_seed"), ValueError);
    CHECK(mixed.state("q", "rounding_seed").dtype() == DType::int64);
}

TEST_CASE("child: bytes of stochastic rounding", "[.child]") {
    ByteHash hash;
    for (const Layout layout : all_layouts())
        for (const AnyRule& rule : {AnyRule(AdamW{.lr = 1e-2}), AnyRule(RowwiseAdagrad{.lr = 1e-2})}) {
            const auto p = stepped<bfloat16>(at_random(), rule, random_tensor<bfloat16>({1500, 332}, 7),
                                             gradients_of<bfloat16>({1500, 332}, 0.2, layout));
            hash.add(p);
        }
    hash.print();
}

TEST_CASE("the number of threads changes no byte of stochastic rounding", "[optim][deep]") {
    std::string first;
    for (const char* threads : {"1", "2", "5", "8"}) {
        const std::string hash = hash_with_threads("child: bytes of stochastic rounding", threads);
        if (first.empty()) first = hash;
        CHECK(hash == first);
    }
}

}  // namespace stochastic_rounding_test

// SPDX-License-Identifier: MIT
#include "../../../ir/interpreter/interpret.hpp"
#include "../../support/matchers.hpp"
#include "../../support/thread_bytes.hpp"

#include <frisket/frisket.hpp>

#include <atomic>
#include <barrier>
#include <cstdio>
#include <thread>

namespace jit_threads_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr InOut<"param"> param;
constexpr InOut<"state_sum"> state_sum;
constexpr Masked<"grad"> grad;
constexpr Scalar<"lr"> lr;

constexpr auto made =
    step<"threaded">(state_sum += grad * grad, param -= lr * grad / (sqrt(state_sum) + 0.5));

/// One call's tensors, and the interpreter's results for them.
struct Data {
    Tensor<float> p, s, wanted_p, wanted_s;
    MaskedTensor<float> g;

    Data(const Shape& shape, double density, Layout layout, std::uint32_t seed)
        : p(random_tensor(shape, seed)),
          s(random_tensor(shape, seed + 1)),
          wanted_p(p.clone()),
          wanted_s(s.clone()),
          g(random_masked(shape, specified(density), layout, seed + 2, Listed::with_duplicates)) {
        for (std::int64_t i = 0; i < s.size(); ++i) wanted_s.data()[i] = s.data()[i] = std::abs(s.data()[i]);
        interpret(describe(made), {{"param", wanted_p}, {"state_sum", wanted_s}, {"grad", g}, {"lr", 0.1}});
    }
    template <class Kernel>
    void run(const Kernel& kernel) const {
        kernel(param = p, state_sum = s, grad = g, lr = 0.1);
    }
    bool is_right() const { return same(p, wanted_p) && same(s, wanted_s); }
};

/// Runs body(i) on `count` threads that start at once.
template <class Body>
void at_once(int count, Body&& body) {
    std::barrier start(count);
    std::vector<std::jthread> threads;
    for (int i = 0; i < count; ++i)
        threads.emplace_back([&, i] {
            start.arrive_and_wait();
            body(i);
        });
}

}  // namespace

TEST_CASE("child: eight threads call a kernel for the first time", "[.child]") {
    std::vector<Data> data;
    for (std::uint32_t i = 0; i < 8; ++i) data.emplace_back(Shape{300, 10}, 0.3, Layout::coo, i * 10);
    at_once(8, [&](int i) { data[static_cast<std::size_t>(i)].run(jit(made)); });
    for (const Data& one : data) CHECK(one.is_right());
}

TEST_CASE("concurrent first calls compile once and are right", "[codegen]") {
    const ChildResult found =
        run_child("child: eight threads call a kernel for the first time", "FRISKET_SHOW=plan");
    INFO(found.output);
    CHECK(found.status == 0);
    CHECK(count_of(found.output, "--- plan") == 1);
}

TEST_CASE("four threads call one kernel on their own data, in every layout", "[codegen]") {
    const auto kernel = jit(made);
    std::vector<std::vector<Data>> data(4);
    std::uint32_t seed = 100;
    for (auto& mine : data)
        for (const Layout layout : all_layouts())
            for (const double density : {0.002, 0.3, 0.9})
                mine.emplace_back(Shape{700, 60}, density, layout, ++seed);
    at_once(4, [&](int i) {
        for (const Data& one : data[static_cast<std::size_t>(i)]) one.run(kernel);
    });
    for (const auto& mine : data)
        for (const Data& one : mine) CHECK(one.is_right());
}

TEST_CASE("threads may share what a step only reads", "[codegen]") {
    const auto kernel = jit(made);
    const Layout layout = GENERATE(Layout::coo, Layout::rows, Layout::strided);
    std::vector<Data> data;
    for (int i = 0; i < 4; ++i) data.emplace_back(Shape{300, 7}, 0.2, layout, 500);
    // One list, whose sorted form is made at the first call.
    for (Data& one : data) one.g = data[0].g;
    at_once(4, [&](int i) { data[static_cast<std::size_t>(i)].run(kernel); });
    for (const Data& one : data) CHECK(one.is_right());
}

TEST_CASE("child: bytes of a large step in every layout", "[.child]") {
    const auto kernel = jit(made);
    ByteHash hash;
    for (const Layout layout : all_layouts())
        for (const double density : {0.001, 0.05, 0.6}) {
            if (!can_hold(layout, {1501, 331})) continue;
            const Tensor<float> p = random_tensor({1501, 331}, 7), s = full<float>({1501, 331}, 0.25F);
            const MaskedTensor<float> g =
                random_masked({1501, 331}, specified(density), layout, 8, Listed::with_duplicates);
            kernel(param = p, state_sum = s, grad = g, lr = 0.1);
            for (const Tensor<float>& tensor : {p, s}) hash.add(tensor);
        }
    hash.print();
}

TEST_CASE("the number of threads changes no byte", "[codegen]") {
    const auto hash_with = [](const std::string& threads) {
        return hash_with_threads("child: bytes of a large step in every layout", threads);
    };
    const std::string one = hash_with("1");
    CHECK(hash_with("2") == one);
    CHECK(hash_with("3") == one);
}

}  // namespace jit_threads_test

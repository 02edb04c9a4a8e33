// SPDX-License-Identifier: MIT
#include "../../support/devices.hpp"
#include "../../support/matchers.hpp"
#include "../../support/random.hpp"
#include "../../support/row_rules.hpp"

#include <frisket/frisket.hpp>

namespace frisket::testing::row_rules::device_rows_test {

namespace {

/// The tensors of all steps, on a device.
struct Tensors {
    Tensor<float> p, s, m, d, c;
    Tensor<bfloat16> a;
    Tensors(const Shape& shape, const Device& device)
        : p(random_tensor(shape, 1).to(device)),
          s(full<float>({shape[0], 1}, 2).to(device)),
          m(random_tensor(shape, 3).to(device)),
          d(random_tensor({shape[1]}, 4).to(device)),
          c(full<float>({shape[0], 1}, 1).to(device)),
          a(Tensor<bfloat16>(AnyTensor(full<float>({shape[0], 1}, 0.3F)).to(DType::bfloat16)).to(device)) {}
    void run(const MaskedTensor<float>& g, const MaskedTensor<float>& o) const {
        jit(rowwise)(param = p, state_sum = s, grad = g, lr = 0.1);
        jit(trusted)(param = p, momentum = m, decay = d, grad = g, lr = 0.1);
        jit(averaged)(param = p, average = a, counts = c, grad = g, lr = 0.1);
        jit(clipped)(param = p, grad = g, lr = 0.1);
        jit(crossed)(param = p, state_sum = s, grad = g, other = o, lr = 0.1);
    }
    /// Gives the number that a step has counted.
    double count(const MaskedTensor<float>& g) const {
        double number = 0.25;
        jit(counted)(param = p, state_sum = s, steps = number, grad = g, lr = 0.1);
        return number;
    }
    bool is_same(const Tensors& with) const {
        const Device processor;
        return same(p.to(processor), with.p) && same(s.to(processor), with.s) &&
               same(m.to(processor), with.m) && same(c.to(processor), with.c) &&
               same(a.to(processor), with.a);
    }
};

/// Every third row from the first or the second on, the last rows first.
std::vector<std::int64_t> some_rows(std::int64_t rows, std::int64_t count) {
    std::vector<std::int64_t> numbers;
    for (std::int64_t i = count; i-- > 0;) numbers.push_back((3 * i + 1) % rows);
    return numbers;
}

MaskedTensor<float> gradient(const Shape& shape, const std::vector<std::int64_t>& rows, int seed) {
    return MaskedTensor<float>::rows(shape, rows, random_tensor({std::ssize(rows), shape[1]}, seed));
}

}  // namespace

TEST_CASE("a device steps listed rows as the processor does", "[opencl]") {
    const Device gpu = there();
    struct Case { std::int64_t rows, length, listed; };
    for (const auto& [rows, length, listed] : {Case{1, 1, 1},
                                               {2, 4, 2},
                                               {9, 3, 0},
                                               {9, 3, 1},
                                               {70, 16, 23},
                                               {400, 7, 64},
                                               {400, 65, 65},
                                               {3000, 1, 1000},
                                               {5, 4100, 2}}) {
        CAPTURE(rows, length, listed);
        const std::vector<std::int64_t> numbers = some_rows(rows, listed);
        const auto g = gradient({rows, length}, numbers, 5), o = gradient({rows, length}, numbers, 6);
        const Tensors here({rows, length}, Device()), moved({rows, length}, gpu);
        here.run(g, o);
        moved.run(g.to(gpu), o.to(gpu));
        CHECK(moved.is_same(here));
    }
}

TEST_CASE("a device steps listed rows of tensors with gaps", "[opencl]") {
    const Device gpu = there();
    const Shape shape{60, 5};
    const auto g = gradient(shape, some_rows(60, 19), 5);
    const Tensor<float> p = random_tensor({60, 12}, 1), s = full<float>({60, 3}, 2);
    const Tensor<float> q = p.to(gpu), t = s.to(gpu);
    jit(rowwise)(param = p.slice(1, 4, 9), state_sum = s.slice(1, 1, 2), grad = g, lr = 0.1);
    jit(rowwise)(param = q.slice(1, 4, 9), state_sum = t.slice(1, 1, 2), grad = g.to(gpu), lr = 0.1);
    CHECK(same(q.to(Device()), p));
    CHECK(same(t.to(Device()), s));
}

namespace {

void check_every_layout(const Shape& shape) {
    const Device gpu = there();
    for (const Layout layout : {Layout::dense, Layout::strided, Layout::bitmask, Layout::coo}) {
        CAPTURE(shape, name_of(layout));
        const auto g = random_masked<float>(shape, specified(0.4), layout, 5);
        const Tensors here(shape, Device()), moved(shape, gpu);
        here.run(g, g);
        moved.run(g.to(gpu), g.to(gpu));
        CHECK(moved.is_same(here));
        CHECK(moved.count(g.to(gpu)) == here.count(g));
        CHECK(moved.is_same(here));
    }
}

}  // namespace

TEST_CASE("a device steps rows of every layout as the processor does", "[opencl]") {
    check_every_layout({65, 63});
}

TEST_CASE("a device steps rows of each length and layout as the processor does", "[opencl][deep]") {
    for (const Shape& shape : {Shape{1, 1}, {1, 70}, {2, 1}, {3, 4}, {9, 130}, {64, 64}, {7, 4100}})
        check_every_layout(shape);
}

TEST_CASE("a row-wise step on a device launches no kernel for each row", "[opencl]") {
    const Device gpu = there();
    const Shape shape{1000, 32};
    const auto g = gradient(shape, some_rows(1000, 300), 5).to(gpu);
    const Tensors moved(shape, gpu);
    const auto kernels = [&](const auto& call) {
        call();
        const DeviceUse use = use_of(gpu, call);
        CHECK(use.bytes_uploaded + use.bytes_downloaded == 0);
        CHECK(use.bytes_in_use == 0);
        return use.launches;
    };
    CHECK(kernels([&] { jit(rowwise)(param = moved.p, state_sum = moved.s, grad = g, lr = 0.1); }) == 2);
    CHECK(kernels([&] {
              jit(crossed)(param = moved.p, state_sum = moved.s, grad = g, other = g, lr = 0.1);
          }) == 2);
    struct Case {
        Layout layout;
        int launches;
    };
    for (const auto& [layout, launches] :
         {Case{Layout::dense, 2}, {Layout::strided, 2}, {Layout::bitmask, 2}, {Layout::coo, 2}}) {
        CAPTURE(name_of(layout));
        const AnyMasked all = AnyMasked::dense(moved.p.clone()), some = g;
        const MaskedTensor<float> other(layout == Layout::dense ? all : some.to(layout));
        CHECK(kernels([&] { jit(rowwise)(param = moved.p, state_sum = moved.s, grad = other, lr = 0.1); }) ==
              launches);
        CHECK_THAT(explain(rowwise, param = moved.p, state_sum = moved.s, grad = other, lr = 0.1),
                   Catch::Matchers::ContainsSubstring("starts " + std::to_string(launches) +
                                                      " kernels on the device in all"));
    }
    CHECK_THAT(explain(rowwise, param = moved.p, state_sum = moved.s, grad = g, lr = 0.1),
               Catch::Matchers::ContainsSubstring("starts 2 kernels on the device in all"));
    CHECK(kernels([&] {
              jit(trusted)(param = moved.p, momentum = moved.m, decay = moved.d, grad = g, lr = 0.1);
          }) <= 6);
}

}  // namespace frisket::testing::row_rules::device_rows_test

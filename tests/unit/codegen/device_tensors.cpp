// SPDX-License-Identifier: MIT
#include "../../support/devices.hpp"
#include "../../support/matchers.hpp"
#include "../../support/random.hpp"

#include <frisket/frisket.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <sstream>

namespace device_tensors_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr InOut<"x"> x;
constexpr In<"y"> y;
constexpr Masked<"m"> m;
constexpr Scalar<"a"> a;
constexpr auto add = step<"add">(x += a * y);
constexpr auto add_masked = step<"add_masked">(x += a * m);

const Device processor;

}  // namespace

TEST_CASE("tensors go to a device and come back", "[opencl]") {
    const Device gpu = there();
    CHECK(gpu.name() == there_name());
    CHECK(device(there_name()) == gpu);
    CHECK(processor.name() == "cpu");
    const auto shape =
        GENERATE(Shape{}, Shape{1}, Shape{63}, Shape{64}, Shape{65}, Shape{3, 5, 7}, Shape{0, 4});
    const Tensor<float> here = random_tensor(shape);
    const Tensor<float> moved = here.to(gpu);
    CHECK(same(moved.to(processor), here));
    CHECK(moved.shape() == shape);
    CHECK(moved.device() == gpu);
    CHECK(here.device().is_cpu());
    CHECK(moved.to(gpu).address() == moved.address());
    CHECK(here.to(processor).address() == here.address());
    CHECK(same(moved.clone().to(processor), here));
}

TEST_CASE("every dtype keeps its bits on a device", "[opencl]") {
    const Device gpu = there();
    for (const DType dtype : {DType::boolean, DType::uint8, DType::int32, DType::int64, DType::float16,
                              DType::bfloat16, DType::float32, DType::float64}) {
        const AnyTensor here = full<double>({77}, 3.0).to(dtype);
        CHECK(same(here.to(gpu).to(processor), here));
        CHECK(same(here.to(gpu).slice(0, 5, 70).to(processor), here.slice(0, 5, 70)));
    }
}

TEST_CASE("views of a device's tensors are moved, cloned and printed", "[opencl]") {
    const Device gpu = there();
    const Tensor<float> here = random_tensor({6, 10}), moved = here.to(gpu);
    const auto views = [](const Tensor<float>& t) {
        return std::vector<Tensor<float>>{t.slice(0, 1, 4), t.slice(1, 3, 9, 2), t.transpose(0, 1),
                                          t.transpose(0, 1).slice(0, 2, 9), t.reshape({3, 20})};
    };
    const auto wanted = views(here), got = views(moved);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        CAPTURE(i);
        CHECK(same(got[i].to(processor), wanted[i]));
        CHECK(same(got[i].clone().to(processor), wanted[i]));
        CHECK(to_string(got[i]) == to_string(wanted[i]));
    }
    CHECK(full<float>({}, 2.5f, gpu).item() == 2.5f);
    const MaskedTensor<float> masked = random_masked({6, 10}, specified(0.3), Layout::strided);
    CHECK(to_string(masked.to(gpu)) == to_string(masked));
}

TEST_CASE("views of many short runs are copied on a device by one kernel", "[opencl]") {
    const Device gpu = there();
    for (const Shape& shape : {Shape{100, 70}, Shape{8, 8}, Shape{9, 8}, Shape{3, 50, 40}, Shape{5, 6, 7, 8},
                               Shape{3, 4, 5, 6, 7}}) {
        const Tensor<float> here = random_tensor(shape), moved = here.to(gpu);
        const int rank = here.rank();
        for (int a = 0; a < rank; ++a)
            for (int b = 0; b < a; ++b) {
                CAPTURE(shape, a, b);
                const auto view = [&](const Tensor<float>& t) {
                    return t.slice(0, 1, shape[0]).transpose(a, b);
                };
                CHECK(same(view(moved).clone().to(processor), view(here).clone()));
            }
        CHECK(same(moved.slice(rank - 1, 1, shape.back(), 2).clone().to(processor),
                   here.slice(rank - 1, 1, shape.back(), 2).clone()));
    }
    const Tensor<float> wide = random_tensor({1, 40}), moved = wide.to(gpu);
    CHECK(same(moved.broadcast_to({90, 40}).clone().to(processor), wide.broadcast_to({90, 40}).clone()));
    const Tensor<double> large = full<double>({200, 100}, 1.5, gpu);
    CHECK(use_of(gpu, [&] { large.transpose(0, 1).clone(); }).launches == 1);
}

TEST_CASE("elements on a device are not read on the processor", "[opencl]") {
    const Device gpu = there();
    const Tensor<float> moved = random_tensor({4, 5}).to(gpu);
    const std::string text = "a tensor on device " + there_name() +
                             " was read on the processor: move it there with "
                             ".to(device(\"cpu\"))";
    CHECK_THROWS_MATCHES(moved.data(), TargetError, Says(text));
    CHECK_THROWS_MATCHES(moved.at({0, 0}), TargetError, Says(text));
    CHECK_THROWS_MATCHES(moved.to_vector(), TargetError, Says(text));
    CHECK_THROWS_AS(moved.to<double>(), TargetError);
    CHECK_THROWS_AS(allclose(moved, moved.to(processor)), TargetError);
    const MaskedTensor<float> masked = random_masked({4, 5}, specified(0.3), Layout::strided);
    CHECK_THROWS_AS(same(masked.to(gpu), masked), TargetError);
}

TEST_CASE("the tensors of a call live on one device", "[opencl]") {
    const Device gpu = there();
    const Tensor<float> here = random_tensor({8}), before = here.clone(), moved = here.to(gpu);
    CHECK_THROWS_MATCHES(jit(add)(x = here, y = moved, a = 1), TargetError,
                         Says("add: y is on " + there_name() +
                              ", and x is on cpu: the tensors of a call live on one device, move one with "
                              ".to(device(\"cpu\"))"));
    CHECK_THROWS_MATCHES(jit(add, TargetName{there_name()})(x = here, y = here.clone(), a = 1), TargetError,
                         Says("add: the tensors are on cpu, and the loops are compiled for " + there_name() +
                              ": move the tensors with "
                              ".to(device(\"" +
                              there_name() + "\")), or compile the step without naming a target"));
    CHECK_THROWS_AS(jit(add, schedule("dense"))(x = moved, y = moved.clone(), a = 1), TargetError);
    CHECK(same(here, before));
    CHECK(same(moved.to(processor), before));
}

TEST_CASE("a call of resident tensors moves nothing and takes at most two kernels", "[opencl]") {
    const Device gpu = there();
    const auto layout = GENERATE(Layout::dense, Layout::strided, Layout::bitmask, Layout::coo, Layout::rows,
                                 Layout::csr, Layout::csc, Layout::bsr, Layout::bsc, Layout::two_four);
    CAPTURE(name_of(layout));
    const Shape shape{50, 12};
    const Tensor<float> x0 = random_tensor(shape), moved = x0.to(gpu);
    Tensor<bool> mask(shape);
    for (std::int64_t i = 0; i < mask.size(); ++i)
        mask.data()[i] =
            layout == Layout::dense || ((i / 12) % 3 == 0 && (layout != Layout::two_four || i % 4 < 2));
    const MaskedTensor<float> given = masked(random_tensor(shape), mask).to(layout), there = given.to(gpu);
    jit(add_masked)(x = x0, m = given, a = 0.5);
    // The first call of a process moves two constants, of a byte each.
    jit(add_masked)(x = moved.clone(), m = there, a = 0.5);
    const DeviceUse use = use_of(gpu, [&] { jit(add_masked)(x = moved, m = there, a = 0.5); });
    CHECK(use.bytes_uploaded == 0);
    CHECK(use.bytes_downloaded == 0);
    CHECK(use.launches >= 1);
    const bool is_spread = layout == Layout::bsr || layout == Layout::bsc || layout == Layout::two_four;
    CHECK(use.launches <= (is_spread ? 5 : 2));
    CHECK(same(moved.to(processor), x0));
}

TEST_CASE("explain says how many kernels a call on a device takes", "[opencl]") {
    const Device gpu = there();
    const Tensor<float> moved = random_tensor({5, 13}).to(gpu);
    const auto kernels = [&](Layout layout, const char* count) {
        CAPTURE(name_of(layout));
        const MaskedTensor<float> mask = random_masked({5, 13}, specified(0.3), layout).to(gpu);
        const std::string text = explain(add_masked, x = moved, m = mask, a = 1);
        using Catch::Matchers::ContainsSubstring;
        CHECK_THAT(text, ContainsSubstring(std::string("starts ") + count + " on the device"));
        CHECK_THAT(text, ContainsSubstring("where masks are not looked at, and no byte is moved"));
        const DeviceUse use = use_of(gpu, [&] { jit(add_masked)(x = moved, m = mask, a = 1); });
        CHECK(std::to_string(use.launches) == std::string(count).substr(0, 1));
        CHECK(use.bytes_uploaded + use.bytes_downloaded == 0);
    };
    kernels(Layout::strided, "1 kernel");
    kernels(Layout::bitmask, "2 kernels");
    kernels(Layout::csr, "1 kernel");
    kernels(Layout::bsr, "4 kernels");
}

// Every case is a process of its own in CTest, which sees how it ends.
TEST_CASE("a process may end while a device works", "[opencl]") {
    const Tensor<float> moved = zeros<float>({5, 13}, there());
    for (const Layout layout : {Layout::strided, Layout::csr, Layout::bsr})
        jit(add_masked)(x = moved, m = random_masked({5, 13}, specified(0.3), layout).to(there()), a = 1);
}

TEST_CASE("a device's memory has a limit, and is given back", "[opencl]") {
    const Device gpu = there();
    trim_device(gpu);
    const std::int64_t in_use = device_use(gpu).bytes_in_use;
    {
        const Tensor<float> moved = random_tensor({1000}).to(gpu), other = random_tensor({1000}).to(gpu);
        jit(add)(x = moved, y = other, a = 1);
        const std::int64_t with_two = device_use(gpu).bytes_in_use;
        CHECK(with_two > in_use);
        for (int i = 0; i < 100; ++i) jit(add)(x = moved, y = other, a = 1);
        CHECK(device_use(gpu).bytes_in_use == with_two);
        set_device_limit(gpu, with_two + 4096);
        const Tensor<float> before = moved.to(processor);
        CHECK_THROWS_MATCHES(empty<float>({2000}, gpu), ShapeError,
                             Says("a tensor of float32, shape [2000], takes 8000 bytes of device " +
                                  there_name() + ", where " + std::to_string(with_two) +
                                  " bytes are in use, and the limit is " + std::to_string(with_two + 4096) +
                                  ": make it smaller, or free some"));
        CHECK(same(moved.to(processor), before));
        set_device_limit(gpu, std::numeric_limits<std::int64_t>::max());
    }
    CHECK(device_use(gpu).bytes_in_use == in_use);
    CHECK_THROWS_AS(set_device_limit(gpu, -1), ValueError);
    CHECK_THROWS_AS(set_device_limit(processor, 1), ValueError);
}

TEST_CASE("copies reach a device, leave it and stay on it", "[opencl]") {
    const Device gpu = there();
    const Tensor<float> here = random_tensor({5, 6}), moved = zeros<float>({5, 6}, gpu);
    copy(here, moved);
    CHECK(same(moved.to(processor), here));
    copy(here, moved.slice(0, 0, 5));
    const Tensor<float> back({5, 6});
    copy(moved, back);
    CHECK(same(back, here));
    const Tensor<float> other = empty<float>({5, 6}, gpu);
    copy(moved.transpose(0, 1), other.reshape({6, 5}));
    CHECK(same(other.reshape({6, 5}).to(processor), here.transpose(0, 1)));
    copy(moved.slice(0, 0, 4), moved.slice(0, 1, 5));
    CHECK(same(moved.slice(0, 1, 5).to(processor), here.slice(0, 0, 4)));
    CHECK_THROWS_AS(copy(here.transpose(0, 1), moved.transpose(0, 1)), ValueError);
}

TEST_CASE("no order of writes, views, moves and calls shows stale elements", "[opencl]") {
    const Device gpu = there();
    std::mt19937_64 random(3);
    const auto number = [&](std::int64_t least, std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>(least, most)(random);
    };
    const auto kernel = jit(add);
    for (int program = 0; program < 1000; ++program) {
        const std::int64_t rows = number(1, 9), columns = number(1, 17);
        std::vector<Tensor<float>> here, moved;
        for (int i = 0; i < 3; ++i) {
            here.push_back(random_tensor({rows, columns}));
            moved.push_back(here.back().to(gpu));
        }
        for (int turn = 0; turn < 6; ++turn) {
            const auto i = static_cast<std::size_t>(number(0, 2)), k = (i + 1) % 3;
            const std::int64_t first = number(0, rows - 1), last = number(first + 1, rows);
            const auto part = [&](const Tensor<float>& t) { return t.slice(0, first, last); };
            switch (number(0, 4)) {
                case 0: {  // a write of the processor's
                    const Tensor<float> made = random_tensor({last - first, columns});
                    copy(made, part(here[i]));
                    copy(made, part(moved[i]));
                    break;
                }
                case 1: copy(part(here[k]), part(here[i])), copy(part(moved[k]), part(moved[i])); break;
                case 2: moved[i] = moved[i].to(processor).clone().to(gpu); break;
                case 3: here[i] = here[i].clone(), moved[i] = moved[i].clone(); break;
                default:
                    kernel(x = part(here[i]), y = part(here[k]), a = 0.25);
                    kernel(x = part(moved[i]), y = part(moved[k]), a = 0.25);
            }
        }
        for (std::size_t i = 0; i < 3; ++i) REQUIRE(same(moved[i].to(processor), here[i]));
    }
}

}  // namespace device_tensors_test

// SPDX-License-Identifier: MIT
#include <frisket/runtime.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <string>
#include <vector>

#include <device_few.hpp>
#include <device_kernels.hpp>

#include "../../support/child.hpp"
#include "device_calls.h"
#include "linked.hpp"

/// Kernels compiled ahead of time for devices, called from C and from C++ where no compiler is linked.
namespace linked_devices_test {

using namespace frisket;
using namespace linked_test;
using Catch::Matchers::ContainsSubstring;

namespace {

struct Size { std::int64_t rows, columns; };
constexpr Size sizes[] = {{1, 1}, {1, 63}, {8, 8}, {5, 13}, {1, 65}, {64, 64}, {37, 129}, {300, 16}};

std::vector<float> numbers(const Size& size, int seed) {
    std::vector<float> all;
    for (std::int64_t i = 0; i < size.rows * size.columns; ++i) all.push_back(number(i, seed));
    return all;
}

std::vector<float> zeros_for(std::size_t count) { return std::vector<float>(count, 0.5f); }

/// Every third element, or every third row.
std::vector<unsigned char> mask_for(const Size& size, bool by_row) {
    std::vector<unsigned char> mask;
    for (std::int64_t i = 0; i < size.rows * size.columns; ++i)
        mask.push_back((by_row ? i / size.columns : i) % 3 == (size.rows == 1 ? 0 : 1) ? 1 : 0);
    return mask;
}

constexpr int layouts[] = {FRISKET_DENSE, FRISKET_STRIDED, FRISKET_BITMASK, FRISKET_COO, FRISKET_ROWS};

void check(int code) {
    INFO(device_kernels_last_error());
    REQUIRE(code == FRISKET_OK);
}

/// The device of calls from C: null is the processor.
constexpr const char* places[] = {nullptr, "opencl"};

}  // namespace

TEST_CASE("Adagrad from C gives a device's tensors the bytes of the processor's", "[opencl]") {
    there();
    for (const Size& size : sizes)
        for (const int layout : layouts) {
            INFO(size.rows << " x " << size.columns << ", layout " << layout);
            std::vector<std::vector<float>> params, sums;
            for (const char* const place : places) {
                params.push_back(numbers(size, 1));
                sums.push_back(zeros_for(params.back().size()));
                const auto grad = numbers(size, 2);
                const auto mask = mask_for(size, layout == FRISKET_ROWS);
                check(adagrad_there(place, layout, size.rows, size.columns, params.back().data(),
                                    sums.back().data(), grad.data(), mask.data()));
            }
            CHECK(same_bytes(params[0], params[1]));
            CHECK(same_bytes(sums[0], sums[1]));
            CHECK_FALSE(same_bytes(sums[0], zeros_for(sums[0].size())));
        }
}

TEST_CASE("AdamW from C gives a device's tensors the bytes of the processor's", "[opencl]") {
    there();
    for (const Size& size : sizes) {
        INFO(size.rows << " x " << size.columns);
        std::vector<std::vector<float>> all;
        for (const char* const place : places) {
            std::vector<float> param = numbers(size, 1), m = numbers(size, 3), v = zeros_for(m.size());
            const auto grad = numbers(size, 2);
            check(adamw_there(place, size.rows, size.columns, param.data(), m.data(), v.data(), grad.data()));
            param.insert(param.end(), m.begin(), m.end());
            param.insert(param.end(), v.begin(), v.end());
            all.push_back(param);
        }
        CHECK(same_bytes(all[0], all[1]));
    }
}

TEST_CASE("Row-wise Adagrad from C gives a device's tensors the bytes of the processor's", "[opencl]") {
    there();
    for (const Size& size : sizes)
        for (const int layout : layouts) {
            INFO(size.rows << " x " << size.columns << ", layout " << layout);
            std::vector<std::vector<float>> all;
            for (const char* const place : places) {
                std::vector<float> param = numbers(size, 1);
                std::vector<float> sums = zeros_for(static_cast<std::size_t>(size.rows));
                const auto grad = numbers(size, 2);
                check(row_wise_there(place, layout, size.rows, size.columns, param.data(), sums.data(),
                                     grad.data(), mask_for(size, layout == FRISKET_ROWS).data()));
                param.insert(param.end(), sums.begin(), sums.end());
                all.push_back(param);
            }
            CHECK(same_bytes(all[0], all[1]));
        }
}

TEST_CASE("a softmax from C comes to memory of a device", "[opencl]") {
    there();
    for (const Size& size : sizes) {
        INFO(size.rows << " x " << size.columns);
        std::vector<std::vector<float>> all;
        for (const char* const place : places) {
            std::vector<float> result = zeros_for(numbers(size, 4).size());
            check(soft_there(place, size.rows, size.columns, numbers(size, 4).data(), result.data()));
            all.push_back(result);
        }
        CHECK(same_bytes(all[0], all[1]));
    }
}

namespace {

/// A step of Adagrad on rows of a 64 x 64 table.
struct AdagradCall {
    Tensor<float> param, state_sum;
    MaskedTensor<float> grad;

    explicit AdagradCall(Layout layout, const Device& device) {
        const Tensor<float> values = full<float>({64, 64}, 0.25f);
        Tensor<bool> mask({64, 64});
        for (std::int64_t i = 0; i < 64 * 64; ++i)
            mask.data()[i] = layout == Layout::dense || (i / 64) % 3 == 1;
        grad = MaskedTensor<float>(AnyMasked::strided(values, mask).to(layout)).to(device);
        param = full<float>({64, 64}, 1.0f).to(device);
        state_sum = full<float>({64, 64}, 0.5f).to(device);
    }
    void run() const {
        using namespace device_steps;
        device_kernels::adagrad(device_steps::param = param, device_steps::state_sum = state_sum,
                                device_steps::grad = grad, lr = 0.1, eps = 1e-10);
    }
};

}  // namespace

TEST_CASE("a resident step that was compiled ahead of time moves no byte, and starts two kernels at most",
          "[opencl]") {
    const Device gpu = there();
    const Layout layout =
        GENERATE(Layout::dense, Layout::strided, Layout::bitmask, Layout::coo, Layout::csr, Layout::rows);
    INFO(name_of(layout));
    const AdagradCall call(layout, gpu), on_processor(layout, Device());
    call.run();
    const DeviceUse use = use_of(gpu, [&] {
        call.run();
        synchronize(gpu);
    });
    CHECK(use.bytes_uploaded == 0);
    CHECK(use.bytes_downloaded == 0);
    CHECK(use.launches > 0);
    CHECK(use.launches <= 2);
    on_processor.run();
    on_processor.run();
    CHECK(call.param.to(Device()).to_vector() == on_processor.param.to_vector());
}

namespace {
std::vector<float> values(const AnyMasked& masked) { return Tensor<float>(masked.values()).to_vector(); }
}  // namespace

TEST_CASE("a function and its gradient run on a device without a compiler", "[opencl]") {
    const Device gpu = there();
    const Tensor<float> param = full<float>({40, 24}, 1.5f), target = full<float>({40, 24}, 1.0f);
    const auto [value, slope] =
        device_kernels::loss(device_steps::param = param.to(gpu), device_steps::target = target.to(gpu));
    CHECK(value.device() == gpu);
    const auto [wanted, wanted_slope] =
        device_kernels::loss(device_steps::param = param, device_steps::target = target);
    CHECK(value.item() == wanted.item());
    CHECK(values(slope.to(Device())) == values(wanted_slope));
}

TEST_CASE("lists are made on a device without a compiler", "[opencl]") {
    const Device gpu = there();
    std::vector<std::int64_t> list;
    for (std::int64_t i = 0; i < 200; ++i) list.push_back(i * 7919 % 90);
    const Tensor<float> rows = numbers_of({200, 24}, 3);
    const AnyMasked wanted = AnyMasked::rows({90, 24}, list, rows).coalesce();
    const AnyMasked made =
        AnyMasked::rows({90, 24}, Tensor<std::int64_t>({200}, list).to(gpu), AnyTensor(rows).to(gpu));
    CHECK(same(made.to(Device()), wanted));
    for (const Layout layout : all_layouts()) {
        if (layout == Layout::two_four || layout == Layout::dense) continue;  // it has other elements
        INFO(name_of(layout));
        const AnyMasked moved = made.to(layout);
        CHECK(moved.layout() == layout);
        CHECK(moved.specified_count() == wanted.specified_count());
        CHECK(same(moved.to(Device()), wanted));
    }
    const auto stepped = [](const Device& device, const AnyMasked& gradient) {
        const Tensor<float> param = numbers_of({90, 24}, 1).to(device);
        const Tensor<float> sum = full<float>({90, 24}, 0.5f).to(device);
        const MaskedTensor<float> given(gradient);
        device_kernels::adagrad(device_steps::param = param, device_steps::state_sum = sum,
                                device_steps::grad = given, device_steps::lr = 0.1,
                                device_steps::eps = 1e-10);
        return param.to(Device()).to_vector();
    };
    for (const Layout layout : {Layout::rows, Layout::coo, Layout::csr, Layout::bitmask, Layout::strided}) {
        INFO(name_of(layout));
        CHECK(stepped(gpu, made.to(layout)) == stepped(Device(), wanted));
    }
}

TEST_CASE("layouts that a library has no loops for on a device are refused", "[opencl]") {
    const Device gpu = there();
    const Tensor<float> param = full<float>({8, 8}, 1.0f).to(gpu);
    const MaskedTensor<float> grad =
        MaskedTensor<float>(AnyMasked::dense(full<float>({8, 8}, 1.0f)).to(Layout::coo)).to(gpu);
    CHECK_THROWS_WITH(device_few::descent(device_steps::param = param, device_steps::grad = grad),
                      ContainsSubstring("were not compiled ahead of time for layout coo on device opencl"));
    const MaskedTensor<float> dense(AnyMasked::dense(full<float>({8, 8}, 1.0f).to(gpu)));
    device_few::descent(device_steps::param = param, device_steps::grad = dense);
    CHECK(param.to(Device()).to_vector() == std::vector<float>(64, 0.75f));
}

TEST_CASE("a device that the machine lacks is refused in words") {
    try {
        static_cast<void>(device("cuda"));
        SUCCEED("the machine has one");
    } catch (const TargetError& error) {
        CHECK_THAT(std::string(error.what()), ContainsSubstring("device cuda: there is no"));
    }
    CHECK_THROWS_WITH(device("vulkan"), ContainsSubstring("the program has kernels for cpu, opencl, cuda"));
    void* memory = nullptr;
    if (device_kernels_device_malloc("cuda", 64, &memory) != FRISKET_OK) {
        CHECK_THAT(device_kernels_last_error(), ContainsSubstring("device cuda: there is no"));
        CHECK(memory == nullptr);
    }
}

TEST_CASE("what is wrong with memory of a device is said from C, and nothing changes", "[opencl]") {
    there();
    const auto fails = [](int code, const char* words) {
        CHECK(code != FRISKET_OK);
        CHECK_THAT(device_kernels_last_error(), ContainsSubstring(words));
    };
    void* memory = nullptr;
    fails(device_kernels_device_malloc("opencl", 64, nullptr), "null pointer");
    fails(device_kernels_device_malloc(nullptr, 64, &memory), "null pointer");
    fails(device_kernels_device_malloc("cpu", 64, &memory), "cpu is no device");
    fails(device_kernels_device_malloc("opencl", std::size_t{1} << 60, &memory), "more than a device has");
    fails(device_kernels_device_synchronize("vulkan"), "vulkan");
    REQUIRE(device_kernels_device_malloc("opencl", 512, &memory) == FRISKET_OK);
    float numbers[256] = {};
    fails(device_kernels_device_copy(memory, numbers, sizeof numbers), "block of 512");
    fails(device_kernels_device_copy(numbers, static_cast<char*>(memory) + 500, 64), "block of 512");
    fails(device_kernels_device_copy(memory, nullptr, 64), "null pointer");
    fails(device_kernels_device_free(static_cast<char*>(memory) + 4), "no address that device_malloc gave");

    const std::int64_t shape[] = {8, 16}, large[] = {16, 16};
    const auto tensor = [](void* data, const std::int64_t* extents) {
        return frisket_tensor{
            .data = data, .dtype = FRISKET_FLOAT32, .rank = 2, .shape = extents, .strides = nullptr};
    };
    const auto call = [](frisket_tensor& p, frisket_tensor& s, frisket_tensor& g) {
        frisket_masked grad{};
        grad.layout = FRISKET_DENSE;
        grad.values = g;
        const device_kernels_adagrad_args args{
            .state_sum = &s, .grad = &grad, .param = &p, .lr = 0.1, .eps = 1e-10};
        return device_kernels_adagrad(&args);
    };
    void *second = nullptr, *third = nullptr;
    REQUIRE(device_kernels_device_malloc("opencl", 512, &second) == FRISKET_OK);
    REQUIRE(device_kernels_device_malloc("opencl", 512, &third) == FRISKET_OK);
    frisket_tensor here = tensor(numbers, shape), p = tensor(memory, shape), s = tensor(second, shape),
                   g = tensor(third, shape), beyond = tensor(memory, large);
    fails(call(here, s, g), "move");
    fails(call(beyond, beyond, beyond), "block of 512");
    CHECK(call(p, s, g) == FRISKET_OK);
    REQUIRE(device_kernels_device_free(memory) == FRISKET_OK);
    fails(device_kernels_device_free(memory), "freed before");
    fails(call(p, s, g), "freed");
    fails(device_kernels_device_copy(numbers, memory, 16), "freed");
    CHECK(device_kernels_device_free(nullptr) == FRISKET_OK);
    for (void* const each : {second, third}) CHECK(device_kernels_device_free(each) == FRISKET_OK);
}

TEST_CASE("lists of values on a device come from C in any order, and from there", "[opencl]") {
    there();
    const std::int64_t shape[] = {4, 4}, stored[] = {2, 4};
    const float numbers[16] = {1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8};
    void *memory = nullptr, *other = nullptr;
    void* const values = memory_with("opencl", numbers, sizeof numbers);
    const auto begin = [&] {
        for (void** const each : {&memory, &other}) {
            static_cast<void>(device_kernels_device_free(*each));
            *each = memory_with("opencl", numbers, sizeof numbers);
            REQUIRE(*each != nullptr);
        }
    };
    const auto tensor = [&](void* data, const std::int64_t* extents) {
        return frisket_tensor{
            .data = data, .dtype = FRISKET_FLOAT32, .rank = 2, .shape = extents, .strides = nullptr};
    };
    const auto call = [&](const void* indices) {
        begin();
        const frisket_tensor p = tensor(memory, shape), s = tensor(other, shape);
        frisket_masked grad{};
        grad.layout = FRISKET_ROWS;
        grad.rank = 2;
        grad.shape = shape;
        grad.values = tensor(values, stored);
        grad.indices = indices;
        grad.count = 2;
        const device_kernels_adagrad_args args{
            .state_sum = &s, .grad = &grad, .param = &p, .lr = 0.1, .eps = 1e-10};
        return device_kernels_adagrad(&args);
    };
    const auto stepped = [&](const std::int64_t* indices) {
        const AnyMasked listed =
            AnyMasked::rows({4, 4}, {indices[0], indices[1]},
                            Tensor<float>({2, 4}, std::vector<float>(numbers, numbers + 8)));
        const Tensor<float> p({4, 4}, std::vector<float>(numbers, numbers + 16)), sum = p.clone();
        device_kernels::adagrad(device_steps::param = p, device_steps::state_sum = sum,
                                device_steps::grad = MaskedTensor<float>(listed), device_steps::lr = 0.1,
                                device_steps::eps = 1e-10);
        return p.to_vector();
    };
    const std::int64_t good[] = {1, 3}, falling[] = {3, 1}, twice[] = {1, 1}, outside[] = {1, 4};
    for (const std::int64_t* const indices : {good, falling, twice}) {
        void* const list = memory_with("opencl", indices, sizeof good);
        for (const void* const given : {static_cast<const void*>(indices), static_cast<const void*>(list)}) {
            check(call(given));
            std::vector<float> made(16);
            check(device_kernels_device_copy(made.data(), memory, sizeof numbers));
            CHECK(same_bytes(made, stepped(indices)));
        }
        CHECK(device_kernels_device_free(list) == FRISKET_OK);
    }
    void* const list = memory_with("opencl", outside, sizeof outside);
    for (const void* const given : {static_cast<const void*>(outside), static_cast<const void*>(list)}) {
        CHECK(call(given) == FRISKET_LAYOUT);
        CHECK_THAT(device_kernels_last_error(),
                   ContainsSubstring("grad: rows: row number 4 at position 1 is out of range for extent 4"));
    }
    CHECK(device_kernels_device_free(list) == FRISKET_OK);
    for (void* const each : {memory, other, values}) CHECK(device_kernels_device_free(each) == FRISKET_OK);
}

TEST_CASE("child: Adagrad and softmax on a device", "[.]") {
    there();
    const Size size{64, 64};
    const auto grad = numbers(size, 2);
    const auto mask = mask_for(size, true);
    for (const int layout : {FRISKET_DENSE, FRISKET_BITMASK, FRISKET_ROWS}) {
        auto param = numbers(size, 1), sums = zeros_for(param.size());
        check(adagrad_there("opencl", layout, size.rows, size.columns, param.data(), sums.data(), grad.data(),
                            mask.data()));
    }
    auto result = zeros_for(grad.size());
    check(soft_there("opencl", size.rows, size.columns, grad.data(), result.data()));
}

TEST_CASE("kernels of a device have the schedules of SCHEDULES", "[opencl]") {
    there();
    const frisket::testing::ChildResult child =
        frisket::testing::run_child("child: Adagrad and softmax on a device", "FRISKET_SHOW=schedule");
    INFO(child.output);
    CHECK(child.status == 0);
    for (const char* const schedule : {"dense block=256", "blend block=128", "rows block=128"})
        CHECK_THAT(child.output, ContainsSubstring(schedule));
}

}  // namespace linked_devices_test

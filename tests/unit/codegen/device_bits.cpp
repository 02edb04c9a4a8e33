// SPDX-License-Identifier: MIT
#include "../../support/devices.hpp"
#include "../../support/matchers.hpp"
#include "../../support/random.hpp"

#include <frisket/frisket.hpp>

#include <vector>

/// Loops of a device that read the bits of masks, and lists of elements, in their memory.
namespace device_bits_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr InOut<"p"> p;
constexpr InOut<"s"> s;
constexpr In<"scale"> scale;
constexpr Masked<"g"> g;
constexpr Masked<"h"> h;

/// Bits of two masks: no one list of elements serves both.
constexpr auto two_masks = step<"two_masks">(p += scale * g, s -= h * scale);

/// A bitmask whose bits past the end are set, with a word more than it needs.
MaskedTensor<float> with_other_bits(const MaskedTensor<float>& masked) {
    const std::int64_t count = masked.size(), words = (count + 63) / 64;
    const AnyMasked bits = masked.to(Layout::bitmask);
    const Tensor<std::int64_t> made({words + 1});
    for (std::int64_t i = 0; i < words; ++i)
        made.data()[i] = static_cast<const std::int64_t*>(bits.mask().data())[i];
    if (count % 64 != 0)
        made.data()[words - 1] |= static_cast<std::int64_t>(~std::uint64_t{0} << (count % 64));
    made.data()[words] = -1;
    return MaskedTensor<float>(AnyMasked::bitmask(bits.values(), made));
}

MaskedTensor<float> bits_of(const Shape& shape, int seed) {
    return with_other_bits(random_masked(shape, specified(0.4), Layout::strided, seed));
}

MaskedTensor<float> masked_of(const Shape& shape, Layout layout, int seed) {
    return layout == Layout::bitmask ? bits_of(shape, seed)
                                     : random_masked(shape, specified(0.4), layout, seed);
}

constexpr Layout by_position[] = {Layout::bitmask, Layout::coo};

const std::vector<Shape> shapes{{1},
                                {63},
                                {64},
                                {65},
                                {3, 5},
                                {1, 63},
                                {65, 63},
                                {4, 64},
                                {2, 3, 70},
                                {2, 3, 2, 9},
                                {2, 1, 3, 2, 33},
                                {0, 5},
                                {5, 0},
                                {200, 65},
                                {3, 64, 65},
                                {64, 2, 1, 5},
                                {2, 2, 2, 2, 2, 7}};

}  // namespace

TEST_CASE("a device reads bits and lists in expressions", "[opencl]") {
    const Device gpu = there();
    for (const Layout layout : by_position)
        for (const Shape& shape :
             {Shape{63}, {64}, {65}, {3, 5}, {65, 63}, {4, 64}, {2, 3, 70}, {0, 5}, {5, 0}}) {
            CAPTURE(name_of(layout), shape);
            const MaskedTensor<float> x = masked_of(shape, layout, 3), y = x.to(gpu);
            const int last = static_cast<int>(shape.size()) - 1;
            CHECK(same(eval(2 * y).to(Device()), eval(2 * x)));
            CHECK(same(eval(sum(y * y, {last})).to(Device()), eval(sum(x * x, {last}))));
            CHECK(same(eval(sum(y, {0})).to(Device()), eval(sum(x, {0}))));
            CHECK(same(eval(to_dense(y, 1) * 3).to(Device()), eval(to_dense(x, 1) * 3)));
            CHECK(same(eval(flip(y, {last})).to(Device()), eval(flip(x, {last}))));
        }
}

TEST_CASE("an expression of bits or of a list is one kernel on a device", "[opencl]") {
    const Device gpu = there();
    for (const Layout layout : by_position)
        for (const Shape& shape : {Shape{65, 63}, {4, 64}}) {
            CAPTURE(name_of(layout), shape);
            const MaskedTensor<float> x = masked_of(shape, layout, 3).to(gpu);
            eval(to_dense(x, 1) * 3);  // finds the ranks of a list
            CHECK(use_of(gpu, [&] { eval(to_dense(x, 1) * 3); }).launches == 1);
            CHECK(use_of(gpu, [&] { eval(sum(x * x, {0})); }).launches <= 2);  // values, and their mask
        }
}

TEST_CASE("a device finds the elements of lists with none, some and all of them", "[opencl]") {
    const Device gpu = there();
    for (const Layout layout : {Layout::coo, Layout::csr})
        for (const Shape& shape :
             {Shape{1, 1}, {1, 31}, {1, 32}, {1, 33}, {2, 31}, {3, 43}, {5, 64}, {70, 65}})
            for (const double share : {0.0, 0.05, 0.5, 1.0}) {
                CAPTURE(name_of(layout), shape, share);
                const MaskedTensor<float> x = random_masked(shape, specified(share), layout, 7),
                                          y = x.to(gpu);
                CHECK(same(eval(to_dense(y, 1) * 3).to(Device()), eval(to_dense(x, 1) * 3)));
            }
}

TEST_CASE("the ranks of a list are found once for all its handles", "[opencl]") {
    const Device gpu = there();
    const MaskedTensor<float> x = masked_of({65, 63}, Layout::coo, 3), y = x.to(gpu), z = y;
    const auto launches = [&](const MaskedTensor<float>& list) {
        return use_of(gpu, [&] { eval(to_dense(list, 1) * 3); }).launches;
    };
    launches(x.to(gpu));  // compiles
    CHECK(launches(y) == 2);
    CHECK(launches(y) == 1);
    CHECK(launches(z) == 1);
}

TEST_CASE("a device steps by the bits or the lists of several masks", "[opencl]") {
    const Device gpu = there();
    for (const Layout layout : by_position)
        for (const Shape& shape : shapes) {
            CAPTURE(name_of(layout), shape);
            const Tensor<float> a = random_tensor(shape, 1), b = random_tensor(shape, 2), c = a.to(gpu),
                                d = b.to(gpu), by = random_tensor({shape.back()}, 4);
            const MaskedTensor<float> x = masked_of(shape, layout, 5), y = masked_of(shape, layout, 6),
                                      x_there = x.to(gpu), y_there = y.to(gpu);
            const Tensor<float> by_there = by.to(gpu);
            const auto there = [&](const MaskedTensor<float>& other) {
                return use_of(
                    gpu, [&] { jit(two_masks)(p = c, s = d, scale = by_there, g = x_there, h = other); });
            };
            for (int times = 0; times < 2; ++times) {
                jit(two_masks)(p = a, s = b, scale = by, g = x, h = y);
                const DeviceUse use = there(y_there);
                if (times == 0 && layout == Layout::coo) {
                    CHECK(use.launches <= 7);  // are they one list, the ranks of both, the step
                } else {
                    CHECK(use.launches <= 1);
                    CHECK(use.bytes_uploaded + use.bytes_downloaded == 0);
                }
                CHECK(same(c.to(Device()), a));
                CHECK(same(d.to(Device()), b));
            }
            // Beside bytes they are spread to bytes.
            jit(two_masks)(p = a, s = b, scale = by, g = x, h = y);
            there(y_there.to(Layout::strided));
            CHECK(same(c.to(Device()), a));
            CHECK(same(d.to(Device()), b));
        }
}

TEST_CASE("a device compares two lists once", "[opencl]") {
    const Device gpu = there();
    const Shape shape{70, 65};
    const MaskedTensor<float> x = masked_of(shape, Layout::coo, 5);
    const MaskedTensor<float> y = x.to(gpu), same_places = x.to(gpu),
                              other = random_masked(shape, specified(0.4), Layout::coo, 6).to(gpu);
    const Tensor<float> a = random_tensor(shape, 1), b = random_tensor(shape, 2), c = a.to(gpu),
                        d = b.to(gpu), by = random_tensor(shape, 4), by_there = by.to(gpu);
    for (const MaskedTensor<float>& h_there : {same_places, other, same_places})
        for (const bool is_met : {false, true}) {
            jit(two_masks)(p = a, s = b, scale = by, g = x, h = h_there.to(Device()));
            const DeviceUse use =
                use_of(gpu, [&] { jit(two_masks)(p = c, s = d, scale = by_there, g = y, h = h_there); });
            CHECK(same(c.to(Device()), a));
            CHECK(same(d.to(Device()), b));
            if (is_met) CHECK(use.launches == 1);
            if (is_met) CHECK(use.bytes_downloaded == 0);
        }
    CHECK_THAT(explain(two_masks, p = c, s = d, scale = by_there, g = y, h = same_places),
               Catch::Matchers::ContainsSubstring("the specified elements of the masks, by a list"));
}

TEST_CASE("elements are found by position where tensors have gaps in every dimension", "[opencl]") {
    const Device gpu = there();
    const Shape shape{2, 3, 2, 3, 2, 5};
    const Tensor<float> whole = random_tensor({4, 6, 4, 6, 4, 10}, 1), moved = whole.to(gpu);
    const auto view = [](Tensor<float> tensor) {
        for (int d = 0; d < 6; ++d)
            tensor = tensor.slice(d, 0, tensor.shape()[static_cast<std::size_t>(d)], 2);
        return tensor;
    };
    const auto turned = [&](const Tensor<float>& tensor) { return view(tensor).transpose(0, 2); };
    const Tensor<float> b = random_tensor(shape, 2), d = b.to(gpu), by = random_tensor({5}, 4);
    const std::pair<Layout, bool> cases[] = {
        {Layout::bitmask, false}, {Layout::bitmask, true}, {Layout::coo, false}, {Layout::coo, true}};
    for (const auto& [layout, is_turned] : cases) {
        CAPTURE(name_of(layout), is_turned);
        const MaskedTensor<float> x = masked_of(shape, layout, 5), y = masked_of(shape, layout, 6);
        const auto seen = [&](const Tensor<float>& tensor) {
            return is_turned ? turned(tensor) : view(tensor);
        };
        jit(two_masks)(p = seen(whole), s = b, scale = by, g = x, h = y);
        jit(two_masks)(p = seen(moved), s = d, scale = by.to(gpu), g = x.to(gpu), h = y.to(gpu));
        CHECK(same(moved.to(Device()), whole));
        CHECK(same(d.to(Device()), b));
    }
}

TEST_CASE("a schedule of strided loops is used for bits too", "[opencl]") {
    const Device gpu = there();
    const Shape shape{20, 33};
    const MaskedTensor<float> x = bits_of(shape, 5), y = bits_of(shape, 6);
    for (const char* text : {"strided block=128", "strided_bits block=256"}) {
        CAPTURE(text);
        const Tensor<float> a = random_tensor(shape, 1), b = random_tensor(shape, 2), c = a.to(gpu),
                            d = b.to(gpu), by = random_tensor({33}, 4);
        jit(two_masks)(p = a, s = b, scale = by, g = x, h = y);
        jit(two_masks, schedule(text), TargetName{there_name()})(p = c, s = d, scale = by.to(gpu),
                                                                 g = x.to(gpu), h = y.to(gpu));
        CHECK(same(c.to(Device()), a));
        CHECK(same(d.to(Device()), b));
    }
    CHECK_THROWS_MATCHES(
        jit(two_masks, schedule("strided_bits")), ScheduleError,
        Says("schedule \"strided_bits\": there are no loops of strided_bits on target cpu, which "
             "are made for devices: name strided, or target opencl"));
}

TEST_CASE("lists of whole rows become bits on a device", "[opencl]") {
    const Device gpu = there();
    for (const std::int64_t length : {1, 2, 3, 63, 64, 65, 130})
        for (const std::int64_t rows : {1, 2, 64, 65, 200})
            for (const std::int64_t every : {1, 2, 7, 300}) {
                CAPTURE(length, rows, every);
                std::vector<std::int64_t> list;
                for (std::int64_t row = every / 2; row < rows; row += every) list.push_back(row);
                const AnyMasked made = AnyMasked::rows({rows, length}, list,
                                                       random_tensor({std::ssize(list), length}, 1)),
                                there = made.to(gpu);
                CHECK(same(there.mask_tensor().to(Device()), made.mask_tensor()));
                CHECK(same(there.to(Layout::bitmask).to(Device()), made));
            }
}

TEST_CASE("a fill of any dtype copies nothing to a device", "[opencl]") {
    const Device gpu = there();
    const Shape shape{9, 15};
    for (const DType dtype : {DType::boolean, DType::uint8, DType::bfloat16, DType::float16, DType::int32,
                              DType::float32, DType::int64, DType::float64}) {
        CAPTURE(name_of(dtype));
        const AnyMasked here = AnyMasked::strided(AnyTensor(random_tensor(shape, 3)).to(dtype),
                                                  random_mask(shape, specified(0.5))),
                        there = here.to(gpu);
        AnyTensor made;
        const DeviceUse use = use_of(gpu, [&] { made = there.to_dense(1); });
        CHECK(use.bytes_uploaded + use.bytes_downloaded == 0);
        CHECK(same(made.to(Device()), here.to_dense(1)));
        if (dtype != DType::float64 && dtype != DType::float32) continue;
        CHECK(same(there.to_dense(-1.7).to(Device()), here.to_dense(-1.7)));
    }
}

}  // namespace device_bits_test

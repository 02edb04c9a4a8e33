// SPDX-License-Identifier: MIT
#include "../../support/devices.hpp"
#include "../../support/matchers.hpp"
#include "../../support/random.hpp"

#include <frisket/frisket.hpp>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace device_lists_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

const Device processor;

/// Bytes that a list's number of entries takes.
constexpr std::int64_t count_bytes = 4;

std::string refusal(const auto& body) {
    try {
        body();
    } catch (const Error& error) { return error.text(); }
    return "";
}

/// Matrices of which elements, whole rows, or two of four columns are specified.
std::vector<MaskedTensor<float>> samples(const Shape& shape) {
    std::vector<MaskedTensor<float>> made;
    for (const double part : {0.0, 0.02, 0.3, 1.0})
        made.push_back(random_masked(shape, specified(part), Layout::strided));
    const std::int64_t columns = shape.back();
    for (const int kind : {0, 1}) {
        Tensor<bool> mask(shape);
        bool* const bytes = mask.data();
        for (std::int64_t i = 0; i < mask.size(); ++i)
            bytes[i] = kind == 0 ? i / columns % 3 == 0 : (i * 7 / 4 + i) % 4 == 1;
        made.push_back(masked(random_tensor(shape), mask));
    }
    return made;
}

/// Numbers below `bound`, with duplicates.
std::vector<std::int64_t> numbers(std::int64_t count, std::int64_t bound, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::int64_t> made;
    for (std::int64_t i = 0; i < count; ++i)
        made.push_back(static_cast<std::int64_t>(random() % static_cast<unsigned>(bound)));
    return made;
}

}  // namespace

TEST_CASE("a device makes each layout of each as the processor does", "[opencl]") {
    const Device gpu = there();
    const Shape shape = GENERATE(Shape{1, 4}, Shape{3, 5}, Shape{12, 20}, Shape{8, 8}, Shape{64, 65},
                                 Shape{130, 36}, Shape{0, 4}, Shape{63}, Shape{2, 3, 4});
    for (const MaskedTensor<float>& sample : samples(shape))
        for (const Layout from : all_layouts()) {
            std::optional<MaskedTensor<float>> here;
            if (!refusal([&] { here = sample.to(from); }).empty()) continue;
            const MaskedTensor<float> there = here->to(gpu);
            CHECK(there.specified_count() == here->specified_count());
            CHECK(same(there.to_dense(3).to(processor), here->to_dense(3)));
            CHECK(same(there.mask_tensor().to(processor), here->mask_tensor()));
            for (const Layout to : all_layouts()) {
                CAPTURE(shape, name_of(from), name_of(to));
                std::optional<MaskedTensor<float>> wanted, got;
                const std::string refused = refusal([&] { wanted = here->to(to); });
                CHECK(refusal([&] { got = there.to(to); }) == refused);
                if (!wanted || !got) continue;
                CHECK(got->layout() == to);
                CHECK(got->device() == gpu);
                CHECK(got->specified_count() == wanted->specified_count());
                const MaskedTensor<float> back = got->to(processor);
                CHECK(back.layout() == to);
                CHECK(back.values().shape() == wanted->values().shape());
                CHECK(same(back, *wanted));
            }
        }
}

TEST_CASE("bits past the end of a bitmask mean nothing on a device", "[opencl]") {
    const Device gpu = there();
    for (const std::int64_t size : {1, 63, 65, 100}) {
        const Tensor<std::int64_t> words = full<std::int64_t>({(size + 63) / 64}, -1);
        const MaskedTensor<float> all = MaskedTensor<float>::bitmask(random_tensor({size}), words),
                                  moved = all.to(gpu);
        CHECK(moved.specified_count() == size);
        CHECK(same(moved.to(Layout::coo).to(processor), all));
        CHECK(same(moved.to(Layout::strided).to(processor), all));
    }
}

TEST_CASE("blocks of any size are made on a device", "[opencl]") {
    const Device gpu = there();
    const MaskedTensor<float> here = random_masked({12, 18}, specified(0.1), Layout::strided);
    for (const Layout layout : {Layout::bsr, Layout::bsc})
        for (const Blocksize size : {Blocksize{1, 1}, Blocksize{3, 2}, Blocksize{12, 18}, Blocksize{4, 9}}) {
            const MaskedTensor<float> got = here.to(gpu).to(layout, size);
            CHECK(same(got.to(processor), here));
            CHECK(got.to(processor).compressed_index()->blocksize == size);
            CHECK(got.values().shape() == here.to(layout, size).values().shape());
        }
    CHECK(refusal([&] { here.to(gpu).to(Layout::bsr, Blocksize{5, 2}); }) ==
          refusal([&] { here.to(Layout::bsr, Blocksize{5, 2}); }));
    CHECK(refusal([&] { here.to(gpu).to(Layout::coo, Blocksize{3, 2}); }) ==
          refusal([&] { here.to(Layout::coo, Blocksize{3, 2}); }));
}

TEST_CASE("a conversion on a device copies the number of entries alone", "[opencl]") {
    const Device gpu = there();
    const MaskedTensor<float> given = random_masked({64, 40}, specified(0.1), Layout::strided).to(gpu);
    for (const Layout layout : {Layout::coo, Layout::csr, Layout::csc, Layout::bsr}) {
        CAPTURE(name_of(layout));
        std::optional<MaskedTensor<float>> made;
        const DeviceUse use = use_of(gpu, [&] { made = given.to(layout); });
        CHECK(use.bytes_uploaded == 0);
        CHECK(use.bytes_downloaded == count_bytes);
        const DeviceUse back = use_of(gpu, [&] { made->to(Layout::bitmask).to(Layout::strided); });
        CHECK(back.bytes_uploaded + back.bytes_downloaded == 0);
    }
}

TEMPLATE_TEST_CASE("rows of a device's list are sorted there, and duplicates summed in their order",
                   "[opencl]", bool, std::uint8_t, std::int32_t, std::int64_t, float, double, bfloat16,
                   float16) {
    const Device gpu = there();
    std::mt19937 random(5);
    for (const std::int64_t count : {0, 1, 2, 63, 64, 65, 127, 128, 129, 257, 5000})
        for (const std::int64_t rows : {1, 40, 100000}) {
            CAPTURE(count, rows);
            constexpr std::int64_t columns = 3;
            const std::vector<std::int64_t> list = numbers(count, rows, 3);
            Tensor<TestType> values({count, columns});
            for (std::int64_t i = 0; i < values.size(); ++i)
                values.data()[i] = static_cast<TestType>(static_cast<float>(random() % 1000) / 8 - 40);
            const Tensor<std::int64_t> wide({count}, list);
            const AnyTensor narrow = wide.to(DType::int32);
            const AnyMasked wanted = AnyMasked::rows({rows, columns}, list, values).coalesce();
            for (const AnyTensor& indices : {AnyTensor(wide), narrow}) {
                CHECK(same(AnyMasked::rows({rows, columns}, indices, values), wanted));
                const AnyMasked got = AnyMasked::rows({rows, columns}, indices.to(gpu), values.to(gpu));
                CHECK(got.layout() == Layout::rows);
                CHECK(got.values().shape() == wanted.values().shape());
                CHECK(same(got.to(processor), wanted));
            }
        }
}

TEST_CASE("positions of a device's lists are sorted there", "[opencl]") {
    const Device gpu = there();
    for (const Shape& shape : {Shape{7}, Shape{40, 60}, Shape{3, 4, 5}}) {
        constexpr std::int64_t count = 300;
        std::vector<std::vector<std::int64_t>> lists;
        std::vector<std::int64_t> all;
        for (std::size_t d = 0; d < shape.size(); ++d) {
            lists.push_back(numbers(count, shape[d], static_cast<unsigned>(d)));
            all.insert(all.end(), lists[d].begin(), lists[d].end());
        }
        const Tensor<float> values = random_tensor({count});
        const Tensor<std::int64_t> indices({std::ssize(shape), count}, all);
        const AnyMasked wanted = AnyMasked::coo(shape, lists, values).coalesce();
        CHECK(same(MaskedTensor<float>::coo(shape, indices, values), wanted));
        CHECK(same(AnyMasked::coo(shape, indices.to(gpu), values.to(gpu)).to(processor), wanted));
    }
}

TEST_CASE("lists of a device are refused as those of the processor are", "[opencl]") {
    const Device gpu = there();
    const Tensor<float> values({2, 3}), entries({2});
    const auto rows_of = [&](std::int64_t number, const Device& device) {
        return refusal([&] {
            AnyMasked::rows({50, 3}, Tensor<std::int64_t>({2}, {3, number}).to(device), values.to(device));
        });
    };
    for (const std::int64_t number : {-1, 50}) {
        CHECK_FALSE(rows_of(number, gpu).empty());
        CHECK(rows_of(number, gpu) == rows_of(number, processor));
    }
    const auto coo_of = [&](const AnyTensor& indices, const AnyTensor& given) {
        return refusal([&] { AnyMasked::coo({3, 4}, indices, given); });
    };
    const Tensor<std::int32_t> outside({2, 2}, {0, 1, 3, 4});
    CHECK(coo_of(outside.to(gpu), entries.to(gpu)) == coo_of(outside, entries));
    CHECK(coo_of(outside, entries) == "coo: index 4 in list 1 at position 1 is out of range for extent 4");
    CHECK(coo_of(outside, entries.to(gpu)) == "coo: the indices are on device cpu, the values on " +
                                                  there_name() + ": move one of them with .to()");
    CHECK(coo_of(Tensor<float>({2, 2}), entries) ==
          "coo: the indices have dtype float32, wanted int32 or int64: convert them");
    CHECK(coo_of(Tensor<std::int32_t>({4}), entries) ==
          "coo: the indices have shape [4], wanted [rank, stored]: give a row for each dimension");
    CHECK(coo_of(Tensor<std::int32_t>({3, 2}).to(gpu), entries.to(gpu)) ==
          "coo: 3 lists of indices for shape [3, 4]: give one list for each of its 2 dimensions");
    CHECK(coo_of(Tensor<std::int32_t>({2, 5}).to(gpu), entries.to(gpu)) ==
          "coo: the values have shape [2], 5 indices want [5]: give one entry for each index");
}

TEST_CASE("steps and expressions take lists that were made on a device", "[opencl]") {
    constexpr InOut<"p"> p;
    constexpr InOut<"s"> s;
    constexpr Masked<"g"> g;
    constexpr auto adagrad = step<"adagrad">(s += g * g, p -= 0.1f * g / (sqrt(s) + 1e-8f));
    const Device gpu = there();
    auto kernel = jit(adagrad);
    const std::vector<std::int64_t> list = numbers(200, 130, 9);
    const Tensor<float> values = random_tensor({200, 36});
    const MaskedTensor<float> rows = MaskedTensor<float>::rows({130, 36}, list, values);
    const MaskedTensor<float> made(
        AnyMasked::rows({130, 36}, Tensor<std::int64_t>({200}, list).to(gpu), values.to(gpu)));
    for (const Layout layout : all_layouts()) {
        if (layout == Layout::dense || layout == Layout::two_four) continue;  // it has other elements
        CAPTURE(name_of(layout));
        const Tensor<float> param = random_tensor({130, 36}), state = full<float>({130, 36}, 1);
        const Tensor<float> param_there = param.to(gpu), state_there = state.to(gpu);
        const MaskedTensor<float> gradient = made.to(layout);
        kernel(p = param, s = state, g = rows);
        kernel(p = param_there, s = state_there, g = gradient);
        const DeviceUse use = use_of(gpu, [&] { kernel(p = param_there, s = state_there, g = gradient); });
        CHECK(use.bytes_uploaded + use.bytes_downloaded == 0);
        kernel(p = param, s = state, g = rows);
        CHECK(same(param_there.to(processor), param));
        CHECK(same(state_there.to(processor), state));
        CHECK(same(AnyMasked(eval(gradient * 2.0f + gradient)).to(processor),
                   AnyMasked(eval(rows * 2.0f + rows))));
        CHECK(eval(sum(gradient)).item() == eval(sum(rows.to(Layout::strided))).item());
    }
}

TEST_CASE("elements are chosen by a condition on a device", "[opencl]") {
    const Device gpu = there();
    for (const Shape& shape : {Shape{7}, Shape{12, 20}, Shape{0, 3}, Shape{3, 4, 5}}) {
        const Tensor<float> here = random_tensor(shape), moved = here.to(gpu);
        CHECK(same(eval(moved[moved > 0.2f]).to(processor), eval(here[here > 0.2f])));
        CHECK(same(eval(moved[moved > 9]).to(processor), eval(here[here > 9])));
        const DeviceUse use = use_of(gpu, [&] { eval(moved[moved > 0.2f]); });
        CHECK(use.bytes_uploaded == 0);
        CHECK(use.bytes_downloaded <= count_bytes + 1);  // and a check of indices
        const MaskedTensor<float> some = random_masked(shape, specified(0.5), Layout::strided);
        const MaskedTensor<float> some_there = some.to(gpu);
        const AnyMasked wanted(eval(some[some > 0.2f])), got(eval(some_there[some_there > 0.2f]));
        CHECK(same(got.to(processor), wanted));
    }
    CHECK(refusal([&] { eval(median(random_tensor({4}).to(gpu))); }) ==
          "median: the tensor is on device " + there_name() +
              ", which has no kernel for it: move it with "
              ".to(device(\"cpu\"))");
}

TEST_CASE("a device compares masks there", "[opencl]") {
    constexpr InOut<"p"> p;
    constexpr Masked<"g"> g;
    constexpr Masked<"h"> h;
    const Device gpu = there();
    auto kernel = jit(step<"both">(p += g * h));
    for (const Layout layout : {Layout::strided, Layout::bitmask, Layout::coo, Layout::csr}) {
        CAPTURE(name_of(layout));
        const MaskedTensor<float> one = random_masked({20, 30}, specified(0.3), layout).to(gpu);
        const MaskedTensor<float> same_mask = one.to(Layout::strided).clone().to(layout);
        const Tensor<float> there = zeros<float>({20, 30}, gpu);
        kernel(p = there, g = one, h = same_mask);
        const DeviceUse use = use_of(gpu, [&] { kernel(p = there, g = one, h = same_mask); });
        CHECK(use.bytes_uploaded == 0);
        CHECK(use.bytes_downloaded <= count_bytes);
        const MaskedTensor<float> other = random_masked({20, 30}, specified(0.3), layout, 2);
        const MaskedTensor<float> other_made = other.to(gpu).to(Layout::strided).to(layout);
        const std::string wanted =
            refusal([&] { kernel(p = zeros<float>({20, 30}), g = one.to(processor), h = other); });
        CHECK_FALSE(wanted.empty());
        CHECK(refusal([&] { kernel(p = there, g = one, h = other.to(gpu)); }) == wanted);
        CHECK(refusal([&] { kernel(p = there, g = same_mask, h = other_made); }) == wanted);
    }
}

TEST_CASE("a condition that all elements of a stage share is read on the device", "[opencl]") {
    const Device gpu = there();
    for (const bool specified : {true, false}) {
        const MaskedTensor<float> m = masked(full<float>({1, 1}, 3), full<bool>({1, 1}, specified));
        const Tensor<float> x = full<float>({1}, 2);
        const auto product = [](const auto& numbers, const auto& matrix) {
            return AnyMasked(eval(matmul(amin(numbers, {0}, keepdim), matrix)));
        };
        CHECK(same(product(x.to(gpu), m.to(gpu)).to(processor), product(x, m)));
    }
}

TEST_CASE("loops of a device may need no memory on the way", "[opencl]") {
    const Device gpu = there();
    for (const Shape& shape : {Shape{2, 0}, Shape{0, 3}, Shape{2, 17}}) {
        const Tensor<std::int64_t> x = full<std::int64_t>(shape, 2);
        const auto results = [](const auto& given) {
            return std::pair(eval(cumsum(given, 1), sum(cumsum(given, 1))), eval(sum(cumsum(given, 1))));
        };
        CHECK(same(std::get<1>(results(x.to(gpu)).first).to(processor), std::get<1>(results(x).first)));
        CHECK(same(results(x.to(gpu)).second.to(processor), results(x).second));
    }
}

}  // namespace device_lists_test

// SPDX-License-Identifier: MIT
#include "../../support/matchers.hpp"

#include <frisket/frisket.hpp>

#include <aot_coo.h>
#include <aot_kernels.h>
#include <aot_kernels.hpp>
#include <aot_mixed.h>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>

namespace aot_from_c_test {

using namespace frisket;
using namespace frisket::testing;

extern "C" int adagrad_in_c(float* a, float* b, float* values, int layout);

namespace {

using Row = std::array<float, 8>;

const std::int64_t shape[] = {2, 4};

frisket_tensor tensor(float* data) {
    return {.data = data, .dtype = FRISKET_FLOAT32, .rank = 2, .shape = shape, .strides = nullptr};
}

/// A good call of aot_coo_adagrad, to be spoilt.
struct GoodCall {
    Row a{0, 1, 2, 3, 4, 5, 6, 7}, b{.5f, .5f, .5f, .5f, .5f, .5f, .5f, .5f};
    std::array<float, 3> values{3, 4, 5};
    std::array<std::int64_t, 6> indices{0, 1, 1, 2, 0, 2};
    std::int64_t stored = 3;
    Row dense{};
    frisket_tensor spare = tensor(dense.data());
    frisket_tensor ta = tensor(a.data()), tb = tensor(b.data());
    frisket_masked grad = [this] {
        frisket_masked made{};
        made.layout = FRISKET_COO;
        made.rank = 2;
        made.shape = shape;
        made.values = {values.data(), FRISKET_FLOAT32, 1, &stored, nullptr};
        made.indices = indices.data();
        made.count = 3;
        return made;
    }();

    aot_coo_adagrad_args args() { return {.b = &tb, .grad = &grad, .a = &ta, .lr = 0.1, .eps = 1e-10}; }
    int run() {
        const aot_coo_adagrad_args given = args();
        return aot_coo_adagrad(&given);
    }
};

struct BadCall {
    void (*spoil)(GoodCall& call);
    int code;
    std::string text;
};

const BadCall bad_calls[] = {
    {[](GoodCall& c) { c.ta.data = nullptr; }, FRISKET_VALUE,
     "a has no data: `data` is null and there are elements"},
    {[](GoodCall& c) { c.ta.dtype = 17; }, FRISKET_DTYPE, "a has dtype 17: see enum frisket_dtype"},
    {[](GoodCall& c) { c.ta.dtype = FRISKET_BFLOAT16 + 1; }, FRISKET_DTYPE,
     "a has dtype 8: see enum frisket_dtype"},
    {[](GoodCall& c) { c.ta.dtype = -1; }, FRISKET_DTYPE, "a has dtype -1: see enum frisket_dtype"},
    {[](GoodCall& c) { c.ta.dtype = FRISKET_INT32; }, FRISKET_DTYPE, "a has dtype int32"},
    {[](GoodCall& c) { c.tb.rank = -1; }, FRISKET_DIM, "b has rank -1: a rank is from 0 to 8"},
    {[](GoodCall& c) { c.tb.rank = 9; }, FRISKET_DIM, "b has rank 9: a rank is from 0 to 8"},
    {[](GoodCall& c) { c.tb.shape = nullptr; }, FRISKET_VALUE, "b has no shape: set `shape` to its extents"},
    {[](GoodCall& c) { c.tb.rank = 1; }, FRISKET_SHAPE, "b has [2]"},
    {[](GoodCall& c) { c.tb.data = c.a.data(); }, FRISKET_VALUE, "share"},
    {[](GoodCall& c) { c.grad.layout = 12; }, FRISKET_LAYOUT, "grad has layout 12: see enum frisket_layout"},
    {[](GoodCall& c) { c.grad.count = -3; }, FRISKET_VALUE, "grad has count -3: a count is 0 or more"},
    {[](GoodCall& c) { c.grad.indices = nullptr; }, FRISKET_VALUE, "grad has no indices"},
    {[](GoodCall& c) { c.indices[4] = 4; }, FRISKET_LAYOUT, "grad: "},
    {[](GoodCall& c) {
         c.grad.layout = FRISKET_DENSE;
         c.grad.values = c.spare;
     },
     FRISKET_LAYOUT, "was compiled ahead of time for coo"},
};

}  // namespace

TEST_CASE("C calls every layout and gets what C++ gets", "[codegen]") {
    for (const Layout layout : {Layout::dense, Layout::strided, Layout::bitmask, Layout::coo, Layout::rows}) {
        INFO(name_of(layout));
        Row a{0, 1, 2, 3, 4, 5, 6, 7}, b{.5f, .5f, .5f, .5f, .5f, .5f, .5f, .5f},
            values{9, 9, 3, 9, 4, 9, 5, 9};
        if (layout == Layout::coo) values = {3, 4, 5};
        if (layout == Layout::rows) values = {4, 0, 5, 0};
        REQUIRE(adagrad_in_c(a.data(), b.data(), values.data(), static_cast<int>(layout)) == FRISKET_OK);
        CHECK(b[4] == 16.5f);
        CHECK(b[6] == 25.5f);
        CHECK(b[2] == (layout == Layout::rows ? 0.5f : 9.5f));
        CHECK(b[0] == (layout == Layout::dense ? 81.5f : 0.5f));
        CHECK(a[4] == 4 - 0.1f * 4 / (std::sqrt(16.5f) + 1e-10f));
    }
}

TEST_CASE("C gets the code and the sentence of every bad call, and nothing is written", "[codegen]") {
    for (const BadCall& bad : bad_calls) {
        GoodCall call;
        const Row a = call.a, b = call.b;
        bad.spoil(call);
        const int code = call.run();
        INFO(aot_coo_last_error());
        CHECK(code == bad.code);
        CHECK(std::string(aot_coo_last_error()).starts_with("frisket: adagrad: "));
        CHECK_THAT(aot_coo_last_error(), Catch::Matchers::ContainsSubstring(bad.text));
        CHECK(call.a == a);
        CHECK(call.b == b);
    }
    GoodCall call;
    CHECK(call.run() == FRISKET_OK);
    aot_coo_adagrad_args args = call.args();
    args.b = nullptr;
    CHECK(aot_coo_adagrad(&args) == FRISKET_VALUE);
    args = call.args();
    args.grad = nullptr;
    CHECK(aot_coo_adagrad(&args) == FRISKET_VALUE);
    CHECK(aot_coo_adagrad(nullptr) == FRISKET_VALUE);
}

TEST_CASE("a call from C that is like the one before reads its tensors and numbers anew", "[codegen]") {
    Row a{0, 1, 2, 3, 4, 5, 6, 7}, b{.5f, .5f, .5f, .5f, .5f, .5f, .5f, .5f}, values{1, 2, 3, 4, 5, 6, 7, 8};
    Row a2 = a, b2 = b;
    std::array<std::uint8_t, 8> mask{1, 0, 1, 0, 1, 0, 1, 0};
    const frisket_tensor ta = tensor(a.data()), tb = tensor(b.data());
    frisket_masked grad{};
    grad.layout = FRISKET_STRIDED;
    grad.values = tensor(values.data());
    grad.mask = {mask.data(), FRISKET_BOOL, 2, shape, nullptr};
    aot_kernels_adagrad_args args{.b = &tb, .grad = &grad, .a = &ta, .lr = 0.1, .eps = 1e-10};
    for (int call = 0; call < 4; ++call) {
        values[2] = static_cast<float>(call + 1);
        mask[1] = call % 2 == 1 ? 1 : 0;
        args.lr = 0.1 * (call + 1);
        REQUIRE(aot_kernels_adagrad(&args) == FRISKET_OK);
        const Tensor<bool> specified({2, 4});
        for (std::size_t i = 0; i < 8; ++i) specified.data()[i] = mask[i] != 0;
        const auto view = [](Row& row) {
            return Tensor<float>(AnyTensor(DType::float32, row.data(), {2, 4}, {4, 1}, true, {}));
        };
        aot_kernels::adagrad(steps::a = view(a2), steps::b = view(b2),
                             steps::grad = MaskedTensor<float>(AnyMasked::strided(view(values), specified)),
                             steps::lr = args.lr, steps::eps = 1e-10);
        CHECK(a == a2);
        CHECK(b == b2);
    }
    const frisket_tensor other = tensor(a2.data());
    args.a = &other;  // another tensor, and then one that is wrong
    const Row before = a;
    CHECK(aot_kernels_adagrad(&args) == FRISKET_OK);
    CHECK(a == before);
    CHECK(a2 != before);
    frisket_tensor wrong = other;
    wrong.dtype = FRISKET_FLOAT64;
    args.a = &wrong;
    CHECK(aot_kernels_adagrad(&args) == FRISKET_DTYPE);
}

TEST_CASE("a call from C reads the bits of misaligned words anew", "[codegen]") {
    Row a{}, b{}, values{1, 1, 1, 1, 1, 1, 1, 1};
    const frisket_tensor ta = tensor(a.data()), tb = tensor(b.data());
    alignas(8) std::array<std::byte, 24> memory{};
    const std::int64_t words = 1;
    frisket_masked grad{};
    grad.layout = FRISKET_BITMASK;
    grad.values = tensor(values.data());
    const aot_kernels_adagrad_args args{.b = &tb, .grad = &grad, .a = &ta, .lr = 0.1, .eps = 1e-10};
    for (const std::size_t offset : {1U, 4U, 8U}) {
        grad.mask = {memory.data() + offset, FRISKET_INT64, 1, &words, nullptr};
        b = {};
        for (const std::uint64_t bits : {0x01U, 0x01U, 0x80U, 0x24U}) {
            std::memcpy(memory.data() + offset, &bits, sizeof bits);
            Row wanted = b;
            for (std::size_t i = 0; i < 8; ++i) wanted[i] += static_cast<float>(bits >> i & 1U);
            REQUIRE(aot_kernels_adagrad(&args) == FRISKET_OK);
            CAPTURE(offset, bits);
            CHECK(b == wanted);
        }
    }
}

TEST_CASE("structs of arguments may grow: other sizes and versions are taken or refused in words",
          "[codegen]") {
    GoodCall call;
    const aot_coo_adagrad_args args = call.args();
    CHECK(aot_coo_adagrad_sized(&args, sizeof args, FRISKET_ABI_VERSION + 1) == FRISKET_BINDING);
    CHECK_THAT(aot_coo_last_error(), Catch::Matchers::ContainsSubstring("FRISKET_ABI_VERSION 3"));
    // A caller of a later header, whose new member is not set, and one who sets it.
    struct Later {
        aot_coo_adagrad_args known;
        const void* more;
    } later{args, nullptr};
    const Row before = call.a;
    CHECK(aot_coo_adagrad_sized(&later.known, sizeof later, FRISKET_ABI_VERSION) == FRISKET_OK);
    CHECK(call.a != before);
    const Row after = call.a;
    later.more = &later;
    CHECK(aot_coo_adagrad_sized(&later.known, sizeof later, FRISKET_ABI_VERSION) == FRISKET_BINDING);
    // A caller of an earlier header, without the last members: numbers are 0, and tensors are missing.
    CHECK(aot_coo_adagrad_sized(&args, offsetof(aot_coo_adagrad_args, a), FRISKET_ABI_VERSION) ==
          FRISKET_VALUE);
    CHECK_THAT(aot_coo_last_error(),
               Catch::Matchers::ContainsSubstring("a is a null pointer, or was not named"));
    CHECK(aot_coo_adagrad_sized(&args, 3, FRISKET_ABI_VERSION) == FRISKET_BINDING);
    CHECK(call.a == after);
}

TEST_CASE("the last error is the thread's own", "[codegen]") {
    GoodCall call;
    call.ta.dtype = 17;
    CHECK(call.run() == FRISKET_DTYPE);
    std::string other = "?";
    std::thread([&] { other = aot_coo_last_error(); }).join();
    CHECK(other.empty());
}

TEST_CASE("C passes numbers that are kept, whole numbers and tensors without a mask", "[codegen]") {
    GoodCall call;
    std::array<double, 8> wide{1, 2, 3, 4, 5, 6, 7, 8};
    const frisket_tensor tw{wide.data(), FRISKET_FLOAT64, 2, shape, nullptr};
    double mu = 0.9;
    Row weight{1, 1, 1, 1, 1, 1, 1, 1};
    const frisket_tensor weights = tensor(weight.data());
    aot_coo_functions_args args{
        .mu = &mu, .count = 3, .a = &call.ta, .grad = &call.grad, .weight = &weights, .wide = &tw, .lr = 0.5};
    REQUIRE(aot_coo_functions(&args) == FRISKET_OK);
    CHECK(mu == 0.9 * (0.5 + 0.125));
    CHECK(wide == std::array<double, 8>{1, 2, 6.5, 4, 10.5, 6, 14.5, 8});
    args.mu = nullptr;
    CHECK(aot_coo_functions(&args) == FRISKET_VALUE);
    const aot_mixed_plain_args plain{.a = &call.ta, .lr = 2, .weight = &weights};
    CHECK(aot_mixed_plain(&plain) == FRISKET_OK);
    CHECK(call.a[0] == 2);
}

}  // namespace aot_from_c_test

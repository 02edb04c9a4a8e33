// SPDX-License-Identifier: MIT
#include "../../support/matchers.hpp"
#include "../../support/random.hpp"

#include <frisket/frisket.hpp>

#include <aot_shared.h>

#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "functions.hpp"

namespace aot_shared_test {

using namespace frisket;
using namespace frisket::testing;
using Catch::Matchers::ContainsSubstring;

namespace {

frisket_tensor in_c(const AnyTensor& tensor) {
    return {tensor.data(), static_cast<int>(tensor.dtype()), tensor.rank(), tensor.shape().data(),
            tensor.strides().data()};
}

/// A masked tensor of layout strided or coo as C has it; `indices` keeps the list.
frisket_masked in_c(const MaskedTensor<float>& masked, std::vector<std::int64_t>& indices) {
    frisket_masked made{};
    made.layout = static_cast<int>(masked.layout());
    made.rank = masked.rank();
    made.shape = masked.shape().data();
    made.values = in_c(masked.values());
    if (masked.layout() == Layout::strided) {
        made.mask = in_c(masked.mask());
        return made;
    }
    made.count = masked.index()->size();
    for (int d = 0; d < 2; ++d)
        for (std::int64_t i = 0; i < made.count; ++i) {
            const std::int64_t at = masked.index()->is_narrow()
                                        ? masked.index()->narrow()[static_cast<std::size_t>(i)]
                                        : masked.index()->wide()[static_cast<std::size_t>(i)];
            indices.push_back(d == 0 ? at / masked.shape()[1] : at % masked.shape()[1]);
        }
    made.indices = indices.data();
    return made;
}

/// A call of loss_and_gradients in C, with memory for its results.
struct Call {
    explicit Call(Layout layout) : m(random_masked({40, 64}, specified(0.3), layout, 3)) {}

    int run() {
        cm = in_c(m, indices);
        cu = in_c(u);
        cv = in_c(v);
        const aot_shared_loss_and_gradients_args args{
            .m = &cm, .u = &cu, .v = &cv, .results = {&loss, &du, &dv}};
        return aot_shared_loss_and_gradients(&args);
    }

    MaskedTensor<float> m;
    Tensor<float> u = random_tensor({40, 5}, 1), v = random_tensor({64, 5}, 2);
    std::vector<std::int64_t> indices;
    frisket_masked cm{};
    frisket_tensor cu{}, cv{};
    frisket_result loss{}, du{}, dv{};
};

/// Gives a result of `count` elements its memory.
void give(frisket_result& result, float* values, std::int64_t count, std::uint8_t* mask) {
    result.values = values;
    result.values_bytes = count * 4;
    result.mask = mask;
    result.mask_bytes = count;
}

}  // namespace

TEST_CASE("a shared library describes its steps for programs that load it by its path", "[codegen]") {
    const std::string text = aot_shared_describe();
    CHECK_THAT(text, ContainsSubstring(R"({"name": "aot_shared", "version": "2.1",)"));
    CHECK_THAT(text, ContainsSubstring(R"("errors": ["ok", "mask_mismatch",)"));
    CHECK_THAT(text, ContainsSubstring(R"("masked_layouts": ["dense", "strided",)"));
    CHECK_THAT(text, ContainsSubstring(R"("targets": [)"));
    CHECK_THAT(text, ContainsSubstring(
                         R"({"name": "adagrad", "layouts": "strided, coo", "results": 0, "parameters": [)"));
    CHECK_THAT(text,
               ContainsSubstring(R"({"name": "b", "kind": "InOut", "dtype": "float32", "written": true},)"));
    CHECK_THAT(text,
               ContainsSubstring(R"({"name": "v", "kind": "InOut", "dtype": "float32", "written": false}])"));
    CHECK_THAT(text, ContainsSubstring(R"("results": 3, "parameters": [)"));
}

TEST_CASE("functions of a shared library write their results to memory of C, which may ask for sizes",
          "[codegen]") {
    Call call(GENERATE(Layout::strided, Layout::coo));
    REQUIRE(call.run() == FRISKET_OK);
    CHECK(call.loss.rank == 0);
    CHECK(call.loss.count == 1);
    CHECK(call.du.rank == 2);
    CHECK(call.du.shape[0] == 40);
    CHECK(call.du.shape[1] == 5);
    CHECK(call.du.count == 200);
    CHECK(call.du.dtype == FRISKET_FLOAT32);

    float loss = 0;
    std::vector<float> du(200, -7), dv(320, -7);
    std::vector<std::uint8_t> masks(1 + 200 + 320, 9);
    give(call.loss, &loss, 1, masks.data());
    give(call.du, du.data(), 199, masks.data() + 1);
    give(call.dv, dv.data(), 320, masks.data() + 201);
    CHECK(call.run() == FRISKET_SHAPE);
    CHECK_THAT(
        aot_shared_last_error(),
        ContainsSubstring("loss_and_gradients: results[1]: values: the memory has 796 bytes, wanted 800"));
    CHECK(dv[0] == -7);
    CHECK(masks[0] == 9);

    give(call.du, du.data(), 200, masks.data() + 1);
    REQUIRE(call.run() == FRISKET_OK);
    const auto [wanted, wanted_du, wanted_dv] = jit(functions::loss_and_gradients)(
        functions::m = call.m, functions::u = call.u, functions::v = call.v);
    CHECK(loss == wanted.to_dense(0).item());
    CHECK(masks[0] == 1);
    const auto has = [](const MaskedTensor<float>& found, const std::vector<float>& values,
                        const std::uint8_t* mask) {
        const Tensor<float> dense = found.to_dense(0);
        const Tensor<bool> specified = found.mask_tensor();
        for (std::int64_t i = 0; i < dense.size(); ++i) {
            if (mask[i] != (specified.data()[i] ? 1 : 0)) return false;
            if (mask[i] != 0 && values[static_cast<std::size_t>(i)] != dense.data()[i]) return false;
        }
        return true;
    };
    CHECK(has(wanted_du, du, masks.data() + 1));
    CHECK(has(wanted_dv, dv, masks.data() + 201));

    // As a list: the first call returns their count.
    call.du = {};
    call.du.layout = FRISKET_COO;
    REQUIRE(call.run() == FRISKET_OK);
    CHECK(call.du.count == wanted_du.specified_count());
    std::vector<std::int64_t> indices(static_cast<std::size_t>(2 * call.du.count));
    call.du.values = du.data();
    call.du.values_bytes = 800;
    call.du.indices = indices.data();
    call.du.indices_bytes = std::ssize(indices) * 8;
    REQUIRE(call.run() == FRISKET_OK);
    const Tensor<float> dense = wanted_du.to_dense(0);
    for (std::int64_t i = 0; i < call.du.count; ++i)
        CHECK(du[static_cast<std::size_t>(i)] ==
              dense.data()[indices[static_cast<std::size_t>(i)] * 5 +
                           indices[static_cast<std::size_t>(i + call.du.count)]]);

    call.dv.values = call.du.values;
    CHECK(call.run() == FRISKET_VALUE);
    CHECK_THAT(aot_shared_last_error(), ContainsSubstring("share memory"));
    call.dv.layout = FRISKET_CSR;
    CHECK(call.run() == FRISKET_LAYOUT);
}

TEST_CASE("wrong memory for the results of a function is refused with its code, and nothing is written",
          "[codegen]") {
    struct Fault {
        const char* what;
        int code;
        void (*spoil)(Call& call);
    };
    const Fault faults[] = {
        {"a layout that is none", FRISKET_LAYOUT, [](Call& c) { c.du.layout = -1; }},
        {"a layout of matrices", FRISKET_LAYOUT, [](Call& c) { c.du.layout = FRISKET_BSR; }},
        {"a layout past the last", FRISKET_LAYOUT, [](Call& c) { c.dv.layout = 99; }},
        {"rows of a result without dimensions", FRISKET_LAYOUT,
         [](Call& c) { c.loss.layout = FRISKET_ROWS; }},
        {"a byte too few", FRISKET_SHAPE, [](Call& c) { c.du.values_bytes = 799; }},
        {"less than nothing", FRISKET_SHAPE, [](Call& c) { c.du.values_bytes = -1; }},
        {"a mask with a byte too few", FRISKET_SHAPE, [](Call& c) { c.dv.mask_bytes = 319; }},
        {"no mask", FRISKET_VALUE, [](Call& c) { c.dv.mask = nullptr; }},
        {"no indices", FRISKET_VALUE, [](Call& c) { c.dv.layout = FRISKET_COO; }},
        {"values over values", FRISKET_VALUE, [](Call& c) { c.du.values = c.dv.values; }},
        {"a mask over values", FRISKET_VALUE,
         [](Call& c) { c.du.mask = static_cast<std::uint8_t*>(c.dv.values) + 3; }},
        {"a rank of another tensor", FRISKET_SHAPE, [](Call& c) { c.u = random_tensor({40, 6}, 1); }},
        {"one row more", FRISKET_SHAPE, [](Call& c) { c.v = random_tensor({65, 5}, 1); }},
    };
    for (const Layout layout : {Layout::strided, Layout::coo})
        for (const Fault& fault : faults) {
            INFO(name_of(layout) << ": " << fault.what);
            Call call(layout);
            float loss = -7;
            std::vector<float> du(200, -7), dv(320, -7);
            std::vector<std::uint8_t> masks(521, 9);
            give(call.loss, &loss, 1, masks.data());
            give(call.du, du.data(), 200, masks.data() + 1);
            give(call.dv, dv.data(), 320, masks.data() + 201);
            fault.spoil(call);
            CHECK(call.run() == fault.code);
            CHECK_THAT(aot_shared_last_error(), ContainsSubstring("frisket: loss_and_gradients: "));
            CHECK(loss == -7);
            CHECK(std::ranges::count(du, -7.0F) == 200);
            CHECK(std::ranges::count(dv, -7.0F) == 320);
            CHECK(std::ranges::count(masks, 9) == 521);
        }
    Call call(Layout::coo);
    call.cm = in_c(call.m, call.indices);
    call.cu = in_c(call.u);
    call.cv = in_c(call.v);
    aot_shared_loss_and_gradients_args args{
        .m = &call.cm, .u = &call.cu, .v = &call.cv, .results = {&call.loss, nullptr, &call.dv}};
    CHECK(aot_shared_loss_and_gradients(&args) == FRISKET_VALUE);
    CHECK_THAT(aot_shared_last_error(), ContainsSubstring("results[1] is a null pointer, or was not named"));
    args.results[1] = reinterpret_cast<frisket_result*>(reinterpret_cast<char*>(&call.du) + 1);
    CHECK(aot_shared_loss_and_gradients(&args) == FRISKET_VALUE);
}

TEST_CASE("a shared library is called from many threads and after fork", "[codegen]") {
    const auto loss_of = [](Layout layout) {
        Call call(layout);
        float loss = 0, du[200], dv[320];
        std::uint8_t mask[1], mask_u[200], mask_v[320];
        give(call.loss, &loss, 1, mask);
        give(call.du, du, 200, mask_u);
        give(call.dv, dv, 320, mask_v);
        return call.run() == FRISKET_OK ? loss : -1.0F;
    };
    const float wanted[] = {loss_of(Layout::coo), loss_of(Layout::strided)};
    CHECK(wanted[0] > 0);
    std::vector<std::thread> threads;
    std::atomic<int> right = 0;
    for (int i = 0; i < 16; ++i)
        threads.emplace_back([&] {
            for (int k = 0; k < 20; ++k)
                if (loss_of(k % 2 == 0 ? Layout::coo : Layout::strided) == wanted[k % 2]) ++right;
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(right == 320);
    std::atomic<bool> stop = false;
    std::thread other([&] {
        while (!stop) loss_of(Layout::strided);
    });
    int failed = 0;
    for (int i = 0; i < 50; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(10);
            _exit(loss_of(Layout::coo) == wanted[0] ? 0 : 1);
        }
        int status = -1;
        failed += waitpid(child, &status, 0) != child || status != 0;
    }
    stop = true;
    other.join();
    CHECK(failed == 0);
}

}  // namespace aot_shared_test

// SPDX-License-Identifier: MIT
#include "../../support/child.hpp"

#include <frisket/frisket.hpp>

#include <aot_coo.hpp>
#include <aot_kernels.hpp>
#include <aot_mixed.hpp>
#include <string>

#include "aot_twice.hpp"

namespace aot_same_as_jit_test {

using namespace frisket;
using namespace frisket::testing;

TEST_CASE("ahead of time and just in time give the same bytes for every layout, size and target",
          "[codegen]") {
    const auto name = GENERATE("x86-64", "x86-64-avx2", "x86-64-avx512");
    if (const std::string why = why_absent(find_target(TargetName{name})); !why.empty())
        SKIP(name << ": " << why);
    const Forced forced(name);
    const auto ahead = aot::make_kernel(aot_kernels::made::adagrad),
               functions = aot::make_kernel(aot_kernels::made::functions);
    const auto adagrad_jit = jit(describe(steps::adagrad), TargetName{"cpu"});
    const auto functions_jit = jit(describe(steps::functions), TargetName{"cpu"});
    for_each_case([&](const AnyMasked& grad, std::uint32_t seed) {
        const Tensor<float> a = random_tensor(grad.shape(), seed), b = random_tensor(grad.shape(), seed + 1);
        for (std::int64_t i = 0; i < b.size(); ++i) b.data()[i] = std::abs(b.data()[i]);
        Twice()
            .writes("a", a)
            .writes("b", b)
            .reads("grad", grad)
            .number("lr", 0.1)
            .number("eps", 1e-10)
            .check(ahead, adagrad_jit);
        Twice()
            .writes("a", a)
            .writes("wide", random_tensor<double>(grad.shape(), seed))
            .reads("grad", grad)
            .reads("weight", random_tensor(grad.shape(), seed + 2))
            .number("lr", 0.3)
            .whole("count", 3)
            .state("mu", 0.9)
            .check(functions, functions_jit);
    });
}

TEST_CASE("views with gaps, transposed and broadcast, give the same bytes ahead of time", "[codegen]") {
    const auto layout = GENERATE(every_layout());
    const auto name = GENERATE("x86-64", "x86-64-avx2", "x86-64-avx512");
    if (const std::string why = why_absent(find_target(TargetName{name})); !why.empty())
        SKIP(name << ": " << why);
    const Forced forced(name);
    const auto ahead = aot::make_kernel(aot_kernels::made::functions);
    const auto just_in_time = jit(describe(steps::functions), TargetName{"cpu"});
    const AnyMasked grad = random_masked({37, 72}, specified(0.4), layout);
    const AnyTensor a = random_tensor({72, 37}).transpose(0, 1),
                    wide = random_tensor<double>({37, 216}).slice(1, 1, 216, 3);
    for (const AnyTensor& weight : {AnyTensor(random_tensor({72})), AnyTensor(random_tensor({37, 1}))})
        Twice()
            .writes("a", a)
            .writes("wide", wide)
            .reads("grad", grad)
            .reads("weight", weight)
            .number("lr", 0.3)
            .whole("count", 3)
            .state("mu", 0.9)
            .check(ahead, just_in_time);
}

TEST_CASE("a list whose tensors turn out to lie without gaps needs no other loops", "[codegen]") {
    const auto just_in_time = jit(describe(steps::functions));
    const AnyMasked grad = random_masked({1, 20011}, specified(0.01), Layout::coo);
    Twice()
        .writes("a", random_tensor({1, 20011}))
        .writes("wide", random_tensor<double>({1, 20011}))
        .reads("grad", grad)
        .reads("weight", random_tensor({20011}))
        .number("lr", 0.3)
        .whole("count", 3)
        .state("mu", 0.9)
        .check(aot::make_kernel(aot_coo::made::functions), just_in_time);
}

TEST_CASE("a step without masks, and one of two masks, give the same bytes ahead of time", "[codegen]") {
    for (const Shape& shape : shapes) {
        INFO(to_string(shape));
        Twice()
            .writes("a", random_tensor(shape))
            .reads("weight", random_tensor(shape, 2))
            .number("lr", 0.1)
            .check(aot_mixed::plain.untyped(), jit(describe(steps::plain)));
        for (const Layout layout : {Layout::coo, Layout::strided})
            Twice()
                .writes("a", random_tensor(shape))
                .writes("b", random_tensor(shape, 2))
                .reads("grad", random_masked(shape, specified(0.3), layout, 3))
                .reads("other", random_masked(shape, specified(0.4), Layout::strided, 4))
                .check(aot_mixed::two_masks.untyped(), jit(describe(steps::two_masks)));
    }
}

TEST_CASE("kernels compiled ahead of time take named arguments in any order", "[codegen]") {
    using namespace steps;
    Tensor<float> p = arange<float>(8).reshape({2, 4}), s = full<float>({2, 4}, 0.5f);
    const auto g = MaskedTensor<float>::coo({2, 4}, {{0, 1, 1}, {2, 0, 2}}, {3, 4, 5});
    aot_kernels::adagrad(eps = 1e-10f, a = p, grad = g, lr = 0.1f, b = s);
    CHECK(allclose(p, Tensor<float>({2, 4}, {0, 1, 1.90267f, 3, 3.90153f, 5, 5.90098f, 7})));
    CHECK(same(s, Tensor<float>({2, 4}, {0.5f, 0.5f, 9.5f, 0.5f, 16.5f, 0.5f, 25.5f, 0.5f})));
    const Tensor<float> p2 = arange<float>(8).reshape({2, 4}), s2 = full<float>({2, 4}, 0.5f);
    aot_coo::adagrad(eps = 1e-10f, a = p2, grad = g, lr = 0.1f, b = s2);  // another library of the same step
    CHECK(same(p, p2));
}

TEST_CASE("a library for coo is called with what is walked as coo", "[codegen]") {
    for (const Layout layout : {Layout::csr, Layout::csc, Layout::bsr, Layout::bsc})
        Twice()
            .writes("a", random_tensor({8, 12}))
            .writes("b", ones<float>({8, 12}))
            .reads("grad", random_masked({8, 12}, specified(0.3), layout))
            .number("lr", 0.1)
            .number("eps", 1e-10)
            .check(aot::make_kernel(aot_coo::made::adagrad), jit(describe(steps::adagrad)));
}

TEST_CASE("a layout that was not compiled is refused with those that were", "[codegen]") {
    using namespace steps;
    const Tensor<float> p = ones<float>({2, 4}), s = ones<float>({2, 4});
    const MaskedTensor<float> g = random_masked({2, 4}, specified(0.5), Layout::bitmask);
    CHECK_THROWS_MATCHES(
        (aot_coo::adagrad(a = p, b = s, grad = g, lr = 0.1f, eps = 0.1f)), LayoutError,
        Says("adagrad: was called with layout bitmask and was compiled ahead of time for coo: convert "
             "with to(), or add the layout to LAYOUTS of frisket_add_kernels"));
    CHECK_THROWS_MATCHES(
        (aot_mixed::two_masks(a = p, b = s, grad = g,
                              other = random_masked({2, 4}, specified(0.5), Layout::coo))),
        LayoutError,
        Says("two_masks: was called with layout grad=bitmask,other=coo and was compiled ahead of time for "
             "grad=coo,other=strided, strided: convert with to(), or add the layout to LAYOUTS of "
             "frisket_add_kernels"));
    CHECK(same(p, ones<float>({2, 4})));
    CHECK_THROWS_AS(aot_coo::adagrad.warm_up({Layout::rows}), LayoutError);
    CHECK_NOTHROW(aot_kernels::adagrad.warm_up({Layout::rows, Layout::dense}));
}

extern "C" int (*halide_set_custom_can_use_target_features(int (*can)(int, const std::uint64_t*)))(
    int, const std::uint64_t*);

TEST_CASE("a processor that none of the targets fits is told so", "[codegen]") {
    const auto before =
        halide_set_custom_can_use_target_features([](int, const std::uint64_t*) { return 0; });
    const CompiledKernel kernel = aot::make_kernel(aot_kernels::made::adagrad);
    CHECK_THROWS_MATCHES(
        kernel.warm_up({Layout::coo}), TargetError,
        Says("adagrad: was compiled for x86-64-avx512, x86-64-avx2, x86-64, which this processor cannot "
             "run: add a plainer one, x86-64 for instance, to TARGETS of frisket_add_kernels"));
    const Forced forced("x86-64-avx2");
    CHECK_THROWS_MATCHES(
        kernel.warm_up({Layout::coo}), TargetError,
        Says("adagrad: this processor cannot run target x86-64-avx2, which FRISKET_TARGET names: leave it "
             "out, or name another of x86-64-avx512, x86-64-avx2, x86-64"));
    halide_set_custom_can_use_target_features(before);
    CHECK_NOTHROW(kernel.warm_up({Layout::coo}));
}

TEST_CASE("a kernel compiled ahead of time has the signature of its step", "[codegen]") {
    CHECK(aot::make_kernel(aot_kernels::made::adagrad).signature() == signature_of(describe(steps::adagrad)));
    CHECK(aot::make_kernel(aot_kernels::made::functions).signature() ==
          signature_of(describe(steps::functions)));
    CHECK(aot::make_kernel(aot_mixed::made::two_masks).signature() ==
          signature_of(describe(steps::two_masks)));
    CHECK(aot::make_kernel(aot_mixed::made::plain).signature() == signature_of(describe(steps::plain)));
}

TEST_CASE("child: threads of loops ahead of time and of loops just in time", "[.]") {
    constexpr std::int64_t count = 4'000'000;
    const Tensor<float> data = full<float>({count}, 1), ones = full<float>({count}, 1);
    aot_mixed::plain(steps::a = data, steps::weight = ones, steps::lr = 1);
    jit(steps::plain)(steps::a = data, steps::weight = ones, steps::lr = 1);
    CHECK(data.data()[count - 1] == 3);
    print_threads();
}

TEST_CASE("loops ahead of time and loops just in time share one pool", "[codegen]") {
    const ChildResult found =
        run_child("child: threads of loops ahead of time and of loops just in time", "FRISKET_NUM_THREADS=5");
    INFO(found.output);
    CHECK(found.status == 0);
    CHECK(count_of(found.output, "5 threads") == 1);
}

}  // namespace aot_same_as_jit_test

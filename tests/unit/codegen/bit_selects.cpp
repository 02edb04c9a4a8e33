// SPDX-License-Identifier: MIT
/// Bits of two numbers put together by a mask that is known when loops are made, next to one of the two: LLVM
/// takes the wrong bits of that where AVX-512 chooses by a condition.
#include "../../support/oracle.hpp"
#include "../../support/random.hpp"

#include <frisket/frisket.hpp>

#include <catch2/catch_test_macros.hpp>

namespace bit_selects_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr std::int64_t count = 70;

Tensor<bool> thirds() {
    Tensor<bool> chosen({count});
    for (std::int64_t i = 0; i < count; ++i) chosen.data()[i] = i % 3 == 0;
    return chosen;
}

template <class E>
void check(const E& expression) {
    CHECK(same(eval(expression, {.jit = Jit::always}), eval(expression, {.jit = Jit::never})));
}

template <class T>
void check_functions() {
    const Tensor<bool> chosen = thirds();
    const Tensor<T> x = random_tensor<T>({count}, 3);
    check(where(chosen, x, sinh(x)));
    check(where(chosen, x, tanh(x)));
    check(where(chosen, tanh(x), x));
    check(where(chosen, abs(x), asinh(abs(x))));
    check(where(chosen, -x, atanh(-x / 9)));
}

}  // namespace

TEST_CASE("a function that takes over a sign is chosen beside its argument", "[codegen]") {
    check_functions<bfloat16>();
    check_functions<float16>();
    check_functions<float>();
    check_functions<double>();
}

TEST_CASE("bits of whole numbers by a constant are chosen beside one of them", "[codegen]") {
    constexpr In<"chosen", bool> chosen;
    constexpr In<"from", std::int32_t> from;
    constexpr InOut<"to", std::int32_t> to;
    constexpr auto by_parts = step<"by_parts">(to = where(chosen, to, (from & 127) | (to & -128)));
    constexpr auto by_difference = step<"by_difference">(to = where(chosen, to, to ^ ((to ^ from) & 127)));
    const Tensor<bool> mask = thirds();
    const Tensor<std::int32_t> x = random_tensor<std::int32_t>({count}, 4),
                               y = random_tensor<std::int32_t>({count}, 5);
    const auto check_step = [&](const auto& step) {
        const Tensor<std::int32_t> made(y.clone());
        jit(step)(chosen = mask, from = x, to = made);
        for (std::int64_t i = 0; i < count; ++i) {
            const std::int32_t mixed = (x.data()[i] & 127) | (y.data()[i] & -128);
            CHECK(made.data()[i] == (mask.data()[i] ? y.data()[i] : mixed));
        }
    };
    check_step(by_parts);
    check_step(by_difference);
}

}  // namespace bit_selects_test

// SPDX-License-Identifier: MIT
#include "../../../codegen/jit/evaluate.hpp"
#include "eval_numbers.hpp"

#include <bit>
#include <iostream>
#include <sstream>
#include <thread>

namespace eval_powers_test {

/// Numbers that choose a formula, how often an expression is evaluated, and which loops stay mapped.
using namespace frisket;
using namespace frisket::testing;

TEST_CASE("child: powers with and without a formula", "[.child]") {
    const Tensor<float> x = elements();
    const Tensor<float> many = random_tensor<float>({2000}, 8);
    const Tensor<double> wide = eval(cast<double>(many) * 1.1, {.jit = Jit::never});
    const EvalOptions loops{.jit = Jit::always};
    // Each rounds to 2, and is another number.
    for (int i = 0; i < 20 && std::getenv("CROWDED") != nullptr; ++i) {
        const double two = 2 + 1e-12 * i;
        CHECK(same_values(eval(pow(x, two), loops), eval(x * x, loops)));
        eval(cast<double>(pow(many, two)) + pow(wide, two), loops);
    }
    for (double power = -10; power <= 10; power += 0.5) {
        const Tensor<float> narrow = eval(pow(x, power), loops);
        const Tensor<double> both = eval(cast<double>(pow(many, power)) + pow(wide, power), loops);
        std::uint64_t digest = 0;
        for (const float y : narrow.to_vector())
            digest = digest * 31 + (std::isnan(y) ? 1 : std::bit_cast<std::uint32_t>(y));
        for (const double y : both.to_vector())
            digest = digest * 31 + (std::isnan(y) ? 1 : std::bit_cast<std::uint64_t>(y));
        std::cerr << "power " << power << " gives " << digest << "\n";
    }
}

TEST_CASE("a power has the same bits by its formula and by the loops of any power", "[codegen]") {
    const auto lines = [](const std::string& text) {
        std::vector<std::string> found;
        std::istringstream all(text);
        for (std::string line; std::getline(all, line);)
            if (line.starts_with("power ")) found.push_back(line);
        return found;
    };
    const std::string test = "powers with and without a formula";
    const ChildResult alone = run_counted(test, "A=1"), crowded = run_counted(test, "CROWDED=1");
    CHECK(alone.status == 0);
    CHECK(crowded.status == 0);
    CHECK(lines(alone.output).size() == 41);
    CHECK(lines(alone.output) == lines(crowded.output));
    // Loops of two expressions for each exponent, and of x * x.
    CHECK(made(alone) <= 2 * 17);
    CHECK(made(crowded) <= 2 * 17 + 1);
}

TEST_CASE("child: exponents and orders of norms", "[.child]") {
    const MaskedTensor<float> m = masked_elements(Layout::strided);
    for (const double value : floats()) {
        if (std::isnan(value)) continue;
        const auto found = eval(norm(m, {1}, {}, value), {.jit = Jit::always}),
                   wanted = eval(norm(m, {1}, {}, value), {.jit = Jit::never});
        INFO(value);
        CHECK(allclose(found.to_dense(0), wanted.to_dense(0), 1e-4, 1e-30));
        eval(pow(elements(), value), {.jit = Jit::always});
    }
}

TEST_CASE("orders of norms choose a formula, and no more than a few are compiled", "[codegen]") {
    const ChildResult found = run_counted("exponents and orders of norms", "A=1");
    INFO(found.output.substr(0, 4000));
    CHECK(found.status == 0);
    CHECK(made(found) <= 2 * 17);
}

TEST_CASE("powers of integers are compiled for operands of one element too", "[codegen]") {
    const EvalOptions loops{.jit = Jit::always}, meaning{.jit = Jit::never};
    const auto check = [&]<class T>(T) {
        const Tensor<T> scalar = full<T>({}, 3), line = full<T>({1}, 3), matrix = full<T>({2, 2}, 3);
        const auto is_right = [&](const auto& power) {
            return same_values(eval(power, loops), eval(power, meaning));
        };
        CHECK(is_right(pow(scalar, scalar)));
        CHECK(is_right(pow(line, line)));
        CHECK(is_right(pow(scalar, matrix)));
        CHECK(is_right(pow(matrix, scalar)));
        CHECK(is_right(pow(expand(line, {2, 2}), line)));
        CHECK(is_right(pow(expand(scalar, {2, 2}), matrix)));
        CHECK(is_right(pow(sum(matrix), sum(matrix))));
        CHECK(is_right(sum(pow(expand(line, {2, 2}), line))));
        CHECK(is_right(sum(pow(line, line))));
    };
    check(std::int64_t{});
    check(std::int32_t{});
    check(std::uint8_t{});
}

TEST_CASE("powers of a mask are compiled for one element too", "[codegen]") {
    const Tensor<std::int64_t> power = full<std::int64_t>({1}, 3);
    const MaskedTensor<std::int64_t> x = masked(power, full<bool>({1}, true));
    const auto raised = pow(cast<std::int64_t>(mask_of(x)), power);
    CHECK(eval(raised, {.jit = Jit::always}).data()[0] == 1);
    CHECK(eval(argmin(pow(mask_of(x), x)), {.jit = Jit::always}).item() == 0);
}

TEST_CASE("child: a small expression is met with other numbers", "[.child]") {
    const Tensor<float> x = elements();
    for (int i = 0; i < 100; ++i) eval(x * (1.5 + i));
}

TEST_CASE("an expression that is met with other numbers is met again", "[codegen]") {
    CHECK(made(run_counted("a small expression is met with other numbers", "A=1")) == 1);
}

TEST_CASE("threads evaluate one expression with numbers of their own", "[codegen]") {
    const Tensor<float> x = elements(), g = random_tensor<float>({2, 35}, 4);
    std::vector<int> wrong(4);
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread)
        threads.emplace_back([&, thread] {
            for (int i = 0; i < 100; ++i) {
                const double rate = 0.37 * i + thread;
                const auto found = eval(x - rate * g, {.jit = Jit::always});
                wrong[static_cast<std::size_t>(thread)] +=
                    same_values(found, eval(x - rate * g, {.jit = Jit::never})) ? 0 : 1;
            }
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == std::vector<int>(4));
}

TEST_CASE("child: three hundred expressions", "[.child]") {
    const Tensor<bool> x = eval(elements() > 0.0F);
    for (int i = 0; i < 300; ++i) {
        ir::ExpressionContext session("many", [](const Graph& graph, std::span<const Argument> arguments) {
            return codegen::jit_evaluate(graph, arguments);
        });
        ir::Value y = session.tensor(x);
        for (int bit = 0; bit < 9; ++bit)
            y = ir::apply<op::LogicalXor>({y, session.number((i >> bit & 1) != 0)});
        session.run(y);
    }
    std::cerr << "mappings " << mappings() << "\n";
}

TEST_CASE("loops of expressions that were not evaluated for long are unmapped", "[.full]") {
    const ChildResult found = run_counted("three hundred expressions", "A=1");
    CHECK(made(found) == 300);
    CHECK(said(found, "mappings") <= 256);
}

}  // namespace eval_powers_test

// SPDX-License-Identifier: MIT
#include "eval_numbers.hpp"

#include <functional>
#include <iostream>
#include <map>

namespace eval_numbers_test {

/// Host scalars in expressions: loops that are compiled and mapped for a thousand values, and the bytes.
using namespace frisket;
using namespace frisket::testing;

namespace {

template <class T>
bool same_results(const Tensor<T>& a, const Tensor<T>& b) {
    return same_values(a, b);
}
template <class T>
bool same_results(const MaskedTensor<T>& a, const MaskedTensor<T>& b) {
    return same(a.mask_tensor(), b.mask_tensor()) && same_values(a.to_dense(0), b.to_dense(0));
}

/// Evaluates the result of `make` for each value, both ways.
template <class Values, class Make>
void compare(const Values& values, Make&& make) {
    for (const auto value : values) {
        INFO(value);
        const auto found = eval(make(value), {.jit = Jit::always}),
                   wanted = eval(make(value), {.jit = Jit::never});
        CHECK(same_results(found, wanted));
    }
}

struct Family {
    int most;  ///< loops that may be made
    std::function<void()> run;
};

constexpr InOut<"param"> param;
constexpr Masked<"grad"> grad;
constexpr Scalar<"lr"> lr;

void run_steps() {
    const auto by_rows = step<"by_rows">(param -= lr * mean(grad * grad, {1}, keepdim) * to_dense(grad, 0));
    const auto kernel = jit(by_rows);
    const MaskedTensor<float> g = masked_elements(Layout::strided);
    const Shape shape{8, 12};
    const Graph described = describe(by_rows, std::vector<Shape>{shape, {}, shape});
    for (const double value : floats()) {
        const Tensor<float> p = full<float>({8, 12}, 1), wanted = full<float>({8, 12}, 1);
        kernel(param = p, grad = g, lr = value);
        interpret(described, {{"param", wanted}, {"grad", g}, {"lr", value}});
        INFO(value);
        CHECK(same_values(p, wanted));
    }
}

/// Evaluated expressions, under names.
const std::map<std::string, Family>& families() {
    static const Tensor<float> x = elements(), g = random_tensor<float>({2, 35}, 4);
    static const Tensor<double> wide = wide_elements();
    static const Tensor<std::int64_t> whole = whole_elements<std::int64_t>();
    static const Tensor<std::int32_t> narrow_whole = whole_elements<std::int32_t>();
    static const MaskedTensor<float> m = masked_elements(Layout::strided);
    static const auto listed = [](Layout layout) {
        return [layout] {
            const MaskedTensor<float> list = masked_elements(layout);
            compare(floats(), [&](double v) { return list * v + v; });
        };
    };
    static const std::map<std::string, Family> all_of_them{
        {"rate", {1, [] { compare(floats(), [](double v) { return x - v * g; }); }}},
        {"rate of float64", {1, [] { compare(floats(), [](double v) { return wide - v * wide; }); }}},
        {"two rates", {2, [] { compare(floats(), [](double v) { return x * v - (v + 1.5) * g; }); }}},
        {"numbers of numbers", {3, [] { compare(floats(), [](double v) { return x * v + x / (v * 3); }); }}},
        // Loops for NaN differ from those for numbers.
        {"limits", {2, [] { compare(floats(), [](double v) { return clamp(x, v, 7.25); }); }}},
        {"upper limits", {2, [] { compare(floats(), [](double v) { return fmin(wide, v); }); }}},
        {"whole limits",
         {1, [] { compare(narrow_numbers(), [](std::int64_t v) { return min(narrow_whole, v); }); }}},
        {"conditions", {1, [] { compare(floats(), [](double v) { return where(x > v, v, x); }); }}},
        // A division by a power of 2 is a multiplication.
        {"quotients", {17, [] { compare(floats(), [](double v) { return x / v; }); }}},
        {"floor of quotients",
         {1, [] { compare(floats(), [](double v) { return floor_divide(wide, v); }); }}},
        {"fills", {1, [] { compare(floats(), [](double v) { return to_dense(m, v); }); }}},
        // Numbers that the formula uses as well are read once.
        {"correction", {2, [] { compare(floats(), [](double v) { return var(m, {1}, {}, v); }); }}},
        {"smallest norm", {4, [] { compare(floats(), [](double v) { return normalize(m, 2, 1, v); }); }}},
        {"gradient",
         {3, [] { compare(floats(), [](double v) { return gradient(sum((m - v) * m * v), m); }); }}},
        {"products", {1, [] { compare(whole_numbers(), [](std::int64_t v) { return whole * v; }); }}},
        {"whole numbers as floats",
         {1, [] { compare(whole_numbers(), [](std::int64_t v) { return x + v; }); }}},
        {"narrow products",
         {1, [] { compare(narrow_numbers(), [](std::int64_t v) { return narrow_whole * v; }); }}},
        {"shifts to the left",
         {1, [] { compare(whole_numbers(), [](std::int64_t v) { return (whole + 0) << v; }); }}},
        {"shifts to the right",
         {1, [] { compare(narrow_numbers(), [](std::int64_t v) { return (narrow_whole + 0) >> v; }); }}},
        {"divisors",
         {17, [] { compare(whole_numbers(), [](std::int64_t v) { return floor_divide(whole, v); }); }}},
        {"narrow divisors",
         {17, [] { compare(narrow_numbers(), [](std::int64_t v) { return narrow_whole % v; }); }}},
        {"steps of slices",
         {17,
          [] {
              std::vector<std::int64_t> steps;
              for (std::int64_t step = 2; step < 100; ++step) steps.push_back(step);
              const Tensor<float> line = arange<float>(500);
              compare(steps, [&](std::int64_t step) { return line(slice(1, 460, step)) * 2.0; });
          }}},
        {"gradient of slices",
         {17,
          [] {
              std::vector<std::int64_t> steps;
              for (std::int64_t step = 2; step < 40; ++step) steps.push_back(step);
              const Tensor<float> line = arange<float>(200);
              compare(steps, [&](std::int64_t step) {
                  const auto part = line(slice(1, 160, step));
                  return gradient(sum(part * part), line);
              });
          }}},
        // Numbers next to formulas that are evaluated before them, or after.
        {"quotients of slices",
         {17, [] { compare(floats(), [](double v) { return x(all, slice(0, {}, 2)) / v; }); }}},
        {"slices of quotients",
         {17, [] { compare(floats(), [](double v) { return (x / v)(all, slice(0, {}, 2)); }); }}},
        // Rolls by 0, by 1 and by one less than the extent: parts are empty or of one element.
        {"rolls",
         {4,
          [] {
              const Tensor<float> square = arange<float>(400).reshape({20, 20});
              compare(whole_numbers(), [&](std::int64_t v) { return roll(square, v % 17, 1); });
          }}},
        {"whole powers",
         {17,
          [] {
              std::vector<std::int64_t> powers;
              for (std::int64_t power = 0; power < values_of_each; ++power) powers.push_back(power);
              compare(powers, [&](std::int64_t v) { return pow(whole, v); });
          }}},
        {"coo", {1, listed(Layout::coo)}},
        {"rows", {1, listed(Layout::rows)}},
        {"csr", {1, listed(Layout::csr)}},
        {"steps", {3, run_steps}},
    };
    return all_of_them;
}

}  // namespace

TEST_CASE("child: an expression of a thousand numbers", "[.child]") {
    const char* const family = std::getenv("FAMILY");
    REQUIRE(family != nullptr);
    auto at = families().begin();
    std::advance(at, std::atoi(family));
    at->second.run();
    std::cerr << "mappings " << mappings() << "\n";
}

TEST_CASE(
    "a thousand numbers in an expression compile and map no more than a few, and have the interpreter's bits",
    "[codegen][deep]") {
    int index = 0;
    for (const auto& [name, family] : families()) {
        const ChildResult found =
            run_counted("an expression of a thousand numbers", "FAMILY=" + std::to_string(index++));
        INFO(name << "\n" << found.output.substr(0, 4000));
        CHECK(found.status == 0);
        CHECK(made(found) >= 1);
        CHECK(made(found) <= family.most);
        CHECK(said(found, "mappings") == made(found));
    }
}

}  // namespace eval_numbers_test

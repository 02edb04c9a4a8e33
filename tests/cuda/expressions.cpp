// SPDX-License-Identifier: MIT
#include "expressions.hpp"

#include <frisket/aot.hpp>
#include <frisket/frisket.hpp>

#include <algorithm>
#include <map>

namespace cuda_loops {

using namespace frisket;

namespace symbols {

constexpr In<"x"> x;
constexpr In<"y"> y;
constexpr In<"row"> row;
constexpr In<"column"> column;
constexpr In<"a"> a;
constexpr In<"b"> b;
constexpr In<"c"> c;
constexpr In<"d"> d;
constexpr In<"ids", std::int64_t> ids;
constexpr Masked<"m"> m;
constexpr Masked<"n"> n;
constexpr Scalar<"t"> t;

}  // namespace symbols

namespace {

using namespace symbols;

/// Shapes of the symbols.
const std::map<std::string_view, Shape> shapes{{"x", {64, 96}},     {"y", {64, 96}},   {"row", {96}},
                                               {"column", {64, 1}}, {"a", {64, 32}},   {"b", {96, 32}},
                                               {"c", {4, 16, 24}},  {"d", {4, 24, 8}}, {"ids", {40}},
                                               {"m", {64, 96}},     {"n", {64, 96}},   {"t", {}}};

// THE list of expressions.
#define FRISKET_CUDA_EXPRESSIONS(EXPRESSION)                                                                 \
    EXPRESSION(sum_of_products, x* y + row)                                                                  \
    EXPRESSION(broadcast, x* column - row)                                                                   \
    EXPRESSION(exponential, exp(x))                                                                          \
    EXPRESSION(logarithm, log(x) + log1p(y))                                                                 \
    EXPRESSION(sine, sin(x) * cos(y))                                                                        \
    EXPRESSION(hyperbolic, tanh(x))                                                                          \
    EXPRESSION(logistic, sigmoid(x) * t)                                                                     \
    EXPRESSION(error_function, erf(x))                                                                       \
    EXPRESSION(power, pow(abs(x), y))                                                                        \
    EXPRESSION(root, sqrt(abs(x)) + rsqrt(abs(y) + 1.0F))                                                    \
    EXPRESSION(activation, relu(x) + hypot(x, y))                                                            \
    EXPRESSION(softened, square(x) * reciprocal(abs(y) + 1.0F))                                              \
    EXPRESSION(choice, where(x > y, x, y * row))                                                             \
    EXPRESSION(clamped, clamp(x, -1.0F, 1.0F))                                                               \
    EXPRESSION(extremes, max(x, y) - min(x, y))                                                              \
    EXPRESSION(masked_product, m* x + row)                                                                   \
    EXPRESSION(two_masks, intersect(m* n))                                                                   \
    EXPRESSION(united, unite(m + n))                                                                         \
    EXPRESSION(filled, to_dense(m, 0.0F) * x)                                                                \
    EXPRESSION(transposed, transpose(x, 0, 1) * 2.0F)                                                        \
    EXPRESSION(flipped, flip(x, {0, 1}) - x)                                                                 \
    EXPRESSION(rolled, roll(x, 2, 1) + x)                                                                    \
    EXPRESSION(joined, cat(std::tuple(x, y), 0) * 0.5F)                                                      \
    EXPRESSION(stacked, stack(std::tuple(x, y), 1))                                                          \
    EXPRESSION(sliced, slice(x, 1, 1, 60, 2) * 3.0F)                                                         \
    EXPRESSION(diagonal_of, diagonal(x, 1, 0, 1) + 1.0F)                                                     \
    EXPRESSION(selected_rows, index_select(x, 0, ids) * row)                                                 \
    EXPRESSION(total, sum(x* y))                                                                             \
    EXPRESSION(row_sums, sum(x, {1}))                                                                        \
    EXPRESSION(column_sums, sum(x, {0}))                                                                     \
    EXPRESSION(masked_total, sum(m* x))                                                                      \
    EXPRESSION(masked_rows, sum(m, {1}))                                                                     \
    EXPRESSION(mean_of_rows, mean(m* m, {1}, keepdim))                                                       \
    EXPRESSION(largest, amax(x, {1}))                                                                        \
    EXPRESSION(smallest, amin(m, {0}))                                                                       \
    EXPRESSION(place_of_largest, argmax(x, 1))                                                               \
    EXPRESSION(product_of_rows, prod(x, {1}))                                                                \
    EXPRESSION(variance, var(x, {1}, keepdim))                                                               \
    EXPRESSION(deviation, std_dev(m, {0}))                                                                   \
    EXPRESSION(length, norm(x))                                                                              \
    EXPRESSION(lengths, norm(x, {1}, keepdim))                                                               \
    EXPRESSION(counted, count(m))                                                                            \
    EXPRESSION(log_of_sum, logsumexp(x, {1}))                                                                \
    EXPRESSION(probabilities, softmax(x, 1))                                                                 \
    EXPRESSION(masked_probabilities, softmax(m* t, 1))                                                       \
    EXPRESSION(log_probabilities, log_softmax(x, 1))                                                         \
    EXPRESSION(standardised, normalize(x, 2.0, 1, 1e-6))                                                     \
    EXPRESSION(running_sums, cumsum(x, 1))                                                                   \
    EXPRESSION(running_products, cumprod(x, 0))                                                              \
    EXPRESSION(matrix_product, matmul(a, transpose(b, 0, 1)))                                                \
    EXPRESSION(product_and_row, relu(matmul(x, b)))                                                          \
    EXPRESSION(batch_product, bmm(c, d))                                                                     \
    EXPRESSION(matrix_and_vector, mv(x, row))                                                                \
    EXPRESSION(sampled_product, on(m, matmul(a, transpose(b, 0, 1))))                                        \
    EXPRESSION(masked_by_matrix, matmul(m, b))                                                               \
    EXPRESSION(squared_error, mean(square(x - y)))                                                           \
    EXPRESSION(gradient_of_error, gradient(mean(square(x - y)), x))                                          \
    EXPRESSION(gradient_of_product, gradient(sum(square(matmul(a, transpose(b, 0, 1)) - x)), a))             \
    EXPRESSION(gradient_of_probabilities, gradient(sum(square(softmax(x, 1))), x))                           \
    EXPRESSION(gradient_of_selected, gradient(sum(square(index_select(x, 0, ids))), x))

#define FRISKET_CUDA_FUNCTION(name, ...) constexpr auto name = function<#name>(__VA_ARGS__);
FRISKET_CUDA_EXPRESSIONS(FRISKET_CUDA_FUNCTION)

DeviceLoopsOf loops_of(const aot::NamedStep& function) {
    std::vector<Shape> all;
    for (const StepSymbol& symbol : function.parameters) all.push_back(shapes.at(symbol.name));
    return cuda_loops::loops_of(std::string(function.step_name), function.describe_for(all), Layout::strided);
}

}  // namespace

std::vector<DeviceLoopsOf> expressions() {
#define FRISKET_CUDA_NAMED(name, ...) FRISKET_STEP(name),
    const aot::NamedStep all[] = {FRISKET_CUDA_EXPRESSIONS(FRISKET_CUDA_NAMED)};
    std::vector<DeviceLoopsOf> made;
    for (const aot::NamedStep& function : all) made.push_back(loops_of(function));
    return made;
}

DeviceLoopsOf loops_of(const std::string& name, const Graph& graph, Layout layout) {
    const auto masked = std::ranges::count(graph.symbols, SymbolKind::masked, &Symbol::kind);
    aot::LoopCollector loops(true);
    loops.add(graph, std::vector(static_cast<std::size_t>(masked), layout));
    return {name, loops.wanted()};
}

}  // namespace cuda_loops

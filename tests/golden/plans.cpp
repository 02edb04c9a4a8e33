// SPDX-License-Identifier: MIT
#include "golden.hpp"

#include "../../ir/planner/planner.hpp"

#include <frisket/frisket.hpp>

#include <functional>
#include <vector>

namespace plans_test {

using namespace frisket;
using namespace frisket::testing;

/// Plans of expressions and steps for the layouts of their arguments: the document of the planner's rules.
namespace {

Tensor<float> some(const Shape& shape) {
    Tensor<float> made(shape);
    for (std::int64_t i = 0; i < made.size(); ++i) made.data()[i] = static_cast<float>(i % 7) - 2.5F;
    return made;
}

/// 8 x 12 elements of which some are specified: for `kind` 0 single elements, for 1 other single elements,
/// for 2 few, for 3 most.
MaskedTensor<float> matrix(Layout layout, int kind = 0) {
    const Shape shape{8, 12};
    if (layout == Layout::rows) return MaskedTensor<float>::rows(shape, {2, 5}, some({2, 12}));
    Tensor<bool> mask(shape);
    for (std::int64_t i = 0; i < mask.size(); ++i)
        mask.data()[i] = kind == 3 ? i % 5 != 0 : i % (kind == 0 ? 8 : kind == 1 ? 12 : 48) == 1;
    if (layout == Layout::dense) return MaskedTensor<float>(AnyMasked::dense(some(shape)));
    return MaskedTensor<float>(AnyMasked::strided(some(shape), mask).to(layout));
}

/// A document: the rules, and a row for each plan.
class PlanTable {
public:
    PlanTable() {
        text_ = "# Plans\n\nThe rules of the planner, and what they make of expressions and steps for the "
                "layouts of their "
                "arguments; `explain(e)` prints\nthe plan of any other. Made by `FRISKET_UPDATE_GOLDEN=1 "
                "build/bin/test_golden`.\n\n| rule | legal when | for | against |\n|---|---|---|---|\n";
        for (const planning::RuleInfo* const rule : planning::rule_table())
            text_ += "| `" + std::string(rule->name) + "` | " + std::string(rule->legal) + " | " +
                     std::string(rule->pros) + " | " + std::string(rule->cons) + " |\n";
        text_ +=
            "\nMatrices have 8 x 12 elements; of `coo` and the like 12 are specified, of `rows` 2 rows.\n\n"
            "| expression | layouts | stages |\n|---|---|---|\n";
    }
    void add(const std::string& expression, std::string_view layouts, const std::string& plan) {
        std::string stages;
        for (const char letter : plan) stages += letter == '\n' ? "<br>" : std::string(1, letter);
        text_ += "| `" + expression + "` | " + std::string(layouts) + " | " + stages + " |\n";
        ++rows_;
    }
    const std::string& text() const { return text_; }
    int rows() const { return rows_; }

private:
    std::string text_;
    int rows_ = 0;
};

template <class E>
std::string plan_of(const E& expression) {
    return detail::explained_expression(detail::PlanForm::summary, Run::yes, {.jit = Jit::never}, expression);
}

template <class Step, class... Arguments>
std::string plan_of_call(const Step& step, const Arguments&... arguments) {
    return detail::explained_call(detail::PlanForm::summary, step, arguments...);
}

constexpr Layout every[] = {Layout::dense, Layout::strided, Layout::bitmask, Layout::coo, Layout::rows,
                            Layout::csr,   Layout::csc,     Layout::bsr,     Layout::bsc, Layout::two_four};
constexpr Layout some_of_them[] = {Layout::strided, Layout::coo, Layout::rows, Layout::csr, Layout::bsr};
constexpr Layout single_ones[] = {Layout::strided, Layout::coo, Layout::csr, Layout::csc};

void add_elementwise(PlanTable& table) {
    const Tensor<float> w = some({8, 12}), row = some({12});
    for (const Layout layout : every)
        table.add("m * w + 1", name_of(layout), plan_of(matrix(layout) * w + 1));
    for (const Layout layout : some_of_them)
        table.add("sqrt(m) * row", name_of(layout), plan_of(sqrt(matrix(layout)) * row));
    for (const Layout layout : single_ones)
        table.add("to_dense(m, 0) + w", name_of(layout), plan_of(to_dense(matrix(layout), 0) + w));
    const auto coo = matrix(Layout::coo), other = matrix(Layout::coo, 1), csr = matrix(Layout::csr, 1);
    table.add("m + m * m", "coo", plan_of(coo + coo * coo));
    table.add("intersect(m * n)", "coo, coo", plan_of(intersect(coo * other)));
    table.add("intersect(m * flip(n, {0}))", "csr, coo", plan_of(intersect(csr * flip(other, {0}))));
    table.add("unite(m + n)", "coo, coo", plan_of(unite(coo + other)));
    table.add("unite(m + n)", "coo, csr", plan_of(unite(coo + csr)));
    table.add("unite(m + n)", "strided, coo", plan_of(unite(matrix(Layout::strided, 1) + coo)));
}

void add_reductions(PlanTable& table) {
    for (const Layout layout : every)
        table.add("sum(m * m, {1})", name_of(layout), plan_of(sum(matrix(layout) * matrix(layout), {1})));
    for (const Layout layout : some_of_them) {
        const auto m = matrix(layout);
        table.add("sum(m)", name_of(layout), plan_of(sum(m)));
        table.add("m - mean(m, {0}, keepdim)", name_of(layout), plan_of(m - mean(m, {0}, keepdim)));
        table.add("softmax(m, 1)", name_of(layout), plan_of(softmax(m, 1)));
    }
    for (const Layout layout : single_ones)
        table.add("cumsum(m, 1)", name_of(layout), plan_of(cumsum(matrix(layout), 1)));
}

void add_structure(PlanTable& table) {
    for (const Layout layout : single_ones) {
        const auto m = matrix(layout), n = matrix(layout, 1);
        table.add("transpose(m) * 2", name_of(layout), plan_of(transpose(m) * 2));
        table.add("reshape(m, {4, 24})", name_of(layout), plan_of(reshape(m, {4, 24})));
        table.add("cat({m, n}, 0)", name_of(layout), plan_of(cat({m, n}, 0)));
    }
}

void add_products(PlanTable& table) {
    const Tensor<float> a = some({8, 6}), b = some({6, 12}), d = some({12, 5});
    for (const int kind : {2, 0, 3})
        for (const Layout layout : {Layout::strided, Layout::coo, Layout::csr, Layout::bsr})
            table.add("on(m, matmul(a, b))",
                      std::string(name_of(layout)) + (kind == 2   ? ", 2 %"
                                                      : kind == 0 ? ", 12 %"
                                                                  : ", 80 %"),
                      plan_of(on(matrix(layout, kind), matmul(a, b))));
    for (const Layout layout : {Layout::strided, Layout::coo, Layout::csr, Layout::csc})
        table.add("matmul(m, d)", name_of(layout), plan_of(matmul(matrix(layout), d)));
    table.add("matmul(m, transpose(n))", "coo, coo",
              plan_of(matmul(matrix(Layout::coo), transpose(matrix(Layout::coo, 1)))));
    const auto m = matrix(Layout::coo, 2);
    const auto loss = sum(square(m - on(m, matmul(a, b))));
    table.add("sum(square(m - on(m, matmul(a, b))))", "coo, 2 %", plan_of(loss));
    table.add("gradient of that for a", "coo, 2 %", plan_of(gradient(loss, a)));
}

void add_gradients(PlanTable& table) {
    const Tensor<float> t = some({8, 12});
    const Tensor<std::int64_t> ids({3}, {5, 1, 5}), columns({3}, {1, 0, 2}),
        many({8}, {0, 1, 2, 3, 4, 5, 6, 7});
    const auto add = [&](const std::string& read, const auto& e) {
        table.add("gradient of sum(square(" + read + ")) for t", "dense",
                  plan_of(gradient(sum(square(e)), t)));
    };
    add("t[ids]", t[ids]);
    add("narrow(t, 0, 2, 3)", narrow(t, 0, 2, 3));
    add("index(t, ids, columns)", index(t, ids, columns));
    add("t[as many ids]", t[many]);
    table.add("gradient of sum(t[ids]) + sum(exp(t[columns])) for t", "dense",
              plan_of(gradient(sum(t[ids]) + sum(exp(t[columns])), t)));
    const Tensor<float> words = some({40, 64});
    const Tensor<std::int64_t> bags = full<std::int64_t>({1024, 16}, 3), few({2, 2}, {5, 1, 5, 7});
    table.add("sum(words[16k ids], {1})", "dense", plan_of(sum(words[bags], {1})));
    table.add("gradient of sum(square(sum(t[bags], {1}))) for t", "dense",
              plan_of(gradient(sum(square(sum(t[few], {1}))), t)));
}

void add_steps(PlanTable& table) {
    Tensor<float> p = some({8, 12}), squares = full<float>({8, 12}, 1), sums = full<float>({8, 1}, 1);
    static constexpr InOut<"param"> param;
    static constexpr InOut<"state_sum"> state_sum;
    static constexpr InOut<"row_sum"> row_sum;
    static constexpr Masked<"grad"> grad;
    static constexpr Scalar<"lr"> lr;
    constexpr auto adagrad = step<"adagrad">(state_sum += grad * grad, param -= lr * grad / sqrt(state_sum));
    constexpr auto by_rows =
        step<"by_rows">(row_sum += mean(grad * grad, {1}, keepdim), param -= lr * grad / sqrt(row_sum));
    for (const Layout layout : every) {
        table.add("state_sum += grad * grad, param -= lr * grad / sqrt(state_sum)", name_of(layout),
                  plan_of_call(adagrad, param = p, state_sum = squares, grad = matrix(layout), lr = 0.1));
        table.add("row_sum += mean(grad * grad, {1}, keepdim), param -= lr * grad / sqrt(row_sum)",
                  name_of(layout),
                  plan_of_call(by_rows, param = p, row_sum = sums, grad = matrix(layout), lr = 0.1));
    }
}

}  // namespace

TEST_CASE("plans of expressions and steps, layout by layout, read as they did", "[golden]") {
    PlanTable table;
    add_elementwise(table);
    add_reductions(table);
    add_structure(table);
    add_products(table);
    add_gradients(table);
    add_steps(table);
    CHECK(table.rows() >= 60);
    check_golden("plans.md", table.text());
}

}  // namespace plans_test

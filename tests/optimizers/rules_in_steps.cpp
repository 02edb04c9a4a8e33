// SPDX-License-Identifier: MIT
// Rules of optimizers as statements of a training step.
#include "../../codegen/jit/run_step.hpp"
#include "../../ir/planner/executor/interpreted_stages.hpp"
#include "../support/matchers.hpp"

#include <frisket/frisket.hpp>
#include <frisket/optim.hpp>

#include <catch2/catch_test_macros.hpp>

#include <map>
#include <string>
#include <vector>

namespace rules_in_steps_test {

using namespace frisket;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

constexpr InOut<"w"> w;
constexpr InOut<"u"> u;
constexpr In<"ids", std::int64_t> ids;
constexpr In<"x"> x;
constexpr In<"y"> y;
constexpr Let<"slope"> slope;
constexpr Let<"other"> other;

const Shape shape{40, 6};

// Losses whose gradients for w are a list of rows, a list of elements, values with a mask that is true
// everywhere, and values with another one.
constexpr auto by_rows = [](auto p, auto i, auto /*x*/, auto z) {
    return mean(square(sum(p[i], {1}) - sum(z)));
};
constexpr auto by_elements = [](auto p, auto i, auto /*x*/, auto z) {
    return sum(square(index(p, i, i) - sum(z)));
};
constexpr auto whole = [](auto p, auto /*i*/, auto a, auto z) { return mean(square(matmul(a, p) - z)); };
constexpr auto some = [](auto p, auto /*i*/, auto a, auto /*z*/) {
    return sum(square(masked(p * 2, unsqueeze(sum(a, {0}), 1) > 0)));
};

Tensor<float> filled(const Shape& of, int seed) {
    Tensor<float> tensor(of);
    for (std::int64_t i = 0; i < tensor.size(); ++i)
        tensor.data()[i] = static_cast<float>((i * 37 + seed * 101) % 97 - 48) / 64;
    return tensor;
}

/// Tensors and numbers of calls by their names.
struct Values {
    std::map<std::string, Tensor<float>> tensors{{"w", filled(shape, 1)},
                                                 {"u", filled(shape, 4)},
                                                 {"x", filled({5, 40}, 2)},
                                                 {"y", filled({5, 6}, 3)}};
    std::map<std::string, double> states;
    std::map<std::string, double> numbers;
    Tensor<std::int64_t> ids{{3, 2}, {5, 1, 5, 4, 0, 3}};

    Values copy() const {
        Values made = *this;
        for (auto& [name, tensor] : made.tensors) tensor = tensor.clone();
        return made;
    }
    Argument argument(const StepSymbol& symbol, const std::string& name) {
        if (symbol.kind == SymbolKind::scalar) return numbers.at(name);
        if (symbol.kind == SymbolKind::scalar_state) return Argument::state(states.at(name));
        if (symbol.dtype == DType::int64) return Argument(AnyTensor(ids));
        return Argument(AnyTensor(tensors.at(name)));
    }
    template <class S>
    std::vector<Argument> arguments() {
        std::vector<Argument> all;
        for (const StepSymbol& symbol : S::parameters)
            all.push_back(argument(symbol, std::string(symbol.name)));
        return all;
    }

    /// Adds the state and the numbers of a rule, under names that begin with `prefix`.
    template <class S, class Rule>
    void add(const Rule& rule, const std::string& prefix) {
        for (const StepSymbol& symbol : S::parameters) {
            const std::string name = prefix + std::string(symbol.name);
            double initial = 0;
            if constexpr (requires { rule.initial(symbol.name); }) initial = rule.initial(symbol.name);
            if (symbol.kind == SymbolKind::scalar_state) states[name] = initial;
            if (symbol.kind != SymbolKind::in_out || symbol.name == "param") continue;
            const Shape own = optim::detail::state_shape<Rule>(symbol.name, shape);
            tensors.insert_or_assign(name, full<float>(own, static_cast<float>(initial)));
        }
        std::vector<optim::Number> all;
        optim::rule_info<Rule>().numbers(&rule, DType::float32, shape, all);
        for (const optim::Number& number : all) numbers[std::string(number.name)] = number.value;
    }
};

template <class S>
Graph graph_of(const S& made, std::span<const Argument> arguments) {
    if constexpr (S::has_structure)
        return describe(made, shapes_of(arguments));
    else
        return describe(made);
}

/// Checks that two calls left the same bytes.
void check_same(const Values& a, const Values& b) {
    for (const auto& [name, tensor] : a.tensors) {
        INFO(name);
        CHECK(same(tensor, b.tensors.at(name)));
    }
    CHECK(a.states == b.states);
}

/// Three calls of a step: by its plan, compiled and interpreted, and by its graph.
template <class S>
Values called(const S& train, const Values& before) {
    std::vector<Values> ways{before.copy(), before.copy(), before.copy()};
    for (int number = 1; number <= 3; ++number)
        for (std::size_t way = 0; way < ways.size(); ++way) {
            ways[way].numbers["t"] = number;
            const std::vector<Argument> arguments = ways[way].arguments<S>();
            const Graph graph = graph_of(train, arguments);
            if (way == 0) interpret(graph, arguments);
            if (way == 1) planning::interpret_planned(graph, arguments);
            if (way == 2) codegen::run_step(graph, arguments);
        }
    for (std::size_t way = 1; way < ways.size(); ++way) {
        INFO((way == 1 ? "planned" : "compiled"));
        check_same(ways[0], ways[way]);
    }
    return ways[0];
}

/// Compares steps of a rule among other statements with steps of the rule by itself.
template <class Rule, class Loss>
void check(const Rule& rule, const Loss& loss_of) {
    rule.template formula<float>(shape, [&]<class S>(const S& of_rule) {
        const auto train =
            step<"train">(slope = gradient(loss_of(w, ids, x, y), w), optim::update(of_rule, w, slope));
        Values inside, alone;
        inside.add<S>(rule, "w_");
        alone.add<S>(rule, "");
        const Values after = called(train, inside);
        alone.tensors.insert_or_assign("param", alone.tensors.at("w"));
        for (int number = 1; number <= 3; ++number) {
            alone.numbers["t"] = number;
            const Tensor<float>& param = alone.tensors.at("w");
            const AnyMasked gradient = eval(frisket::gradient(
                loss_of(param, alone.ids, alone.tensors.at("x"), alone.tensors.at("y")), param));
            std::vector<Argument> arguments;
            for (const StepSymbol& symbol : S::parameters)
                arguments.push_back(symbol.kind == SymbolKind::masked
                                        ? Argument(gradient)
                                        : alone.argument(symbol, std::string(symbol.name)));
            interpret(graph_of(of_rule, arguments), arguments);
        }
        for (const StepSymbol& symbol : S::parameters) {
            const std::string name(symbol.name);
            INFO(name);
            if (symbol.kind == SymbolKind::in_out)
                CHECK(same(after.tensors.at(name == "param" ? "w" : "w_" + name), alone.tensors.at(name)));
            if (symbol.kind == SymbolKind::scalar_state)
                CHECK(after.states.at("w_" + name) == alone.states.at(name));
        }
    });
}

}  // namespace

#define RULE_IN_STEP(Rule)                                                                                   \
    TEST_CASE("the rule " #Rule " does in a training step what it does by itself") {                         \
        SECTION("rows") { check(optim::Rule{}, by_rows); }                                                   \
        SECTION("elements") { check(optim::Rule{}, by_elements); }                                           \
        SECTION("whole") { check(optim::Rule{}, whole); }                                                    \
        SECTION("some") { check(optim::Rule{}, some); }                                                      \
    }
FRISKET_OPTIMIZER_RULES(RULE_IN_STEP)
#undef RULE_IN_STEP

TEST_CASE("parameters of one step have rules of their own, and gradients of all layouts") {
    constexpr auto loss = by_rows(w, ids, x, y) + whole(u, ids, x, y) + by_elements(u, ids, x, y);
    constexpr auto both =
        step<"both">(slope = gradient(loss, w), other = gradient(loss, u),
                     optim::update(optim::rowwise_adagrad, w, slope), optim::update(optim::adamw, u, other));
    Values values;
    values.add<std::remove_const_t<decltype(optim::rowwise_adagrad)>>(optim::RowwiseAdagrad{}, "w_");
    values.add<std::remove_const_t<decltype(optim::adamw)>>(optim::AdamW{}, "u_");
    const Values after = called(both, values);
    for (std::int64_t row = 0; row < shape[0]; ++row)
        CHECK(same(after.tensors.at("w").slice(0, row, row + 1),
                   values.tensors.at("w").slice(0, row, row + 1)) == (row == 2 || row > 5));
}

TEST_CASE("tables that updates read of one another change together") {
    constexpr auto loss = by_rows(w, ids, x, y) + by_rows(u, ids, x, y);
    constexpr auto crossed = step<"crossed">(slope = gradient(loss, w), other = gradient(loss, u),
                                             w -= 0.5F * slope, u -= 0.5F * other * on(other, w));
    called(crossed, Values{});
}

TEST_CASE("what a step computes beside a gradient that is a list is computed once") {
    constexpr InOut<"total"> total;
    constexpr auto loss = by_rows(w, ids, x, y);
    constexpr auto train = step<"train">(slope = gradient(loss, w), everywhere(total = loss), w -= slope);
    Values values;
    values.tensors.insert_or_assign("total", full<float>({}, 0));
    const Values after = called(train, values);
    CHECK(after.tensors.at("total").item() > 0);
    const Values now;
    Tensor<float> p = now.tensors.at("w"), sum_now = full<float>({}, 0);
    const std::string text = explain(train, w = p, ids = now.ids, y = now.tensors.at("y"), total = sum_now);
    CHECK_THAT(text, ContainsSubstring("makes  float32 [40, 6], rows, "));
    CHECK_THAT(text, ContainsSubstring("total takes float32(div(first "));
}

TEST_CASE("a loss that a training step keeps does not read its table after updates, nor row by row") {
    constexpr InOut<"total"> total;
    constexpr auto loss = sum(sum(w[ids], {1}) * sum(y));  // its gradient does not need the sums of rows
    constexpr auto train = step<"train">(
        slope = gradient(loss, w), optim::update(optim::rowwise_adagrad, w, slope), everywhere(total = loss));
    constexpr auto kept = step<"kept">(slope = gradient(loss, w), everywhere(total = loss),
                                       optim::update(optim::rowwise_adagrad, w, slope));
    Values values;
    values.tensors.insert_or_assign("total", full<float>({}, 0));
    using Rule = std::remove_const_t<decltype(optim::rowwise_adagrad)>;
    values.add<Rule>(optim::RowwiseAdagrad{}, "w_");
    called(train, values);
    called(kept, values);
    Values now = values.copy();
    now.numbers["t"] = 1;
    const auto arguments = now.arguments<std::remove_const_t<decltype(kept)>>();
    const std::string text =
        frisket::detail::explained(frisket::detail::PlanForm::full, graph_of(kept, arguments), arguments);
    INFO(text);
    CHECK_THAT(text, ContainsSubstring("rule   row_blocks"));
}

TEST_CASE("a step of rules without whole tensors runs over masked and dense gradients") {
    constexpr Masked<"g"> g;
    constexpr In<"h"> h;
    constexpr InOut<"w_sum"> w_sum;
    constexpr InOut<"u_sum"> u_sum;
    using namespace optim;
    constexpr Scalar<"lr_decay"> lr_decay;
    const auto kernel = jit(step<"two">(update(adagrad, w, g), update(adagrad_step<float>(), u, h * 2.0F)));
    const auto alone = jit(adagrad);
    const Tensor<float> p = filled(shape, 1), q = p.clone(), r = p.clone(), s = p.clone(),
                        dense = filled(shape, 2);
    std::vector<Tensor<float>> sums;
    for (int i = 0; i < 4; ++i) sums.push_back(full<float>(shape, 0));
    const auto some_of = masked(dense, eval(dense > 0));
    kernel(w = p, w_sum = sums[0], u = q, u_sum = sums[1], g = some_of, h = dense, lr = 0.1, t = 1.0,
           lr_decay = 0.0, weight_decay = 0.0, eps = 1e-10);
    constexpr InOut<"param"> param;
    constexpr InOut<"sum"> sum_of;
    constexpr Masked<"grad"> grad;
    alone(param = r, sum_of = sums[2], grad = some_of, lr = 0.1, t = 1.0, lr_decay = 0.0, weight_decay = 0.0,
          eps = 1e-10);
    alone(param = s, sum_of = sums[3], grad = eval(dense * 2.0F), lr = 0.1, t = 1.0, lr_decay = 0.0,
          weight_decay = 0.0, eps = 1e-10);
    CHECK(same(p, r));
    CHECK(same(q, s));
    CHECK(same(sums[0], sums[2]));
    CHECK(same(sums[1], sums[3]));
}

TEST_CASE("an index out of range in a training step changes nothing") {
    constexpr auto train = step<"train">(slope = gradient(by_rows(w, ids, x, y), w), w -= slope);
    Values values;
    values.ids = Tensor<std::int64_t>({3, 2}, {5, 1, 40, 4, 0, 3});
    const Values before = values.copy();
    const auto arguments = values.arguments<std::remove_const_t<decltype(train)>>();
    const Graph graph = graph_of(train, arguments);
    CHECK_THROWS_MATCHES(codegen::run_step(graph, arguments), Error, MessageMatches(ContainsSubstring("40")));
    CHECK_THROWS_AS(planning::interpret_planned(graph, arguments), Error);
    check_same(values, before);
}

}  // namespace rules_in_steps_test

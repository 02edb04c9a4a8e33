// SPDX-License-Identifier: MIT
// Plans as data: stages in a straight list, values by number.
#include "plan_helpers.hpp"

#include <frisket/frisket.hpp>
#include <catch2/catch_test_macros.hpp>

#include "../../../ir/at.hpp"
#include "../../../ir/planner/enumerate.hpp"
#include "../../../ir/planner/stage_values.hpp"
#include "../../../runtime/limits.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace plans_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

/// "coordinates body reduce rest": the stages of a plan.
struct NameOf {
    std::string operator()(const planning::CoordinatesStage&) const { return "coordinates "; }
    std::string operator()(const planning::BodyStage&) const { return "body "; }
    std::string operator()(const planning::SlicedStage&) const { return "sliced "; }
    std::string operator()(const planning::LocateStage&) const { return "locate "; }
    std::string operator()(const planning::ReduceStage&) const { return "reduce "; }
    std::string operator()(const planning::PermuteStage&) const { return "permute "; }
    std::string operator()(const planning::ViewStage&) const { return "view "; }
    std::string operator()(const planning::MultiplyStage&) const { return "multiply "; }
    std::string operator()(const planning::SampledProductStage&) const { return "sampled "; }
    std::string operator()(const planning::SampleStage&) const { return "sample "; }
    std::string operator()(const planning::ConvertStage&) const { return "convert "; }
    std::string operator()(const planning::GatheredSumStage&) const { return "sums "; }
};

std::string names_of(const planning::Plan& plan) {
    std::string text;
    for (const planning::PlanStage& stage : plan.stages) text += std::visit(NameOf{}, stage.action);
    return text + (plan.rest ? "rest" : "");
}

/// The values that a stage reads and makes.
struct ValuesOf {
    std::vector<planning::ValueId> reads, makes;

    void read(const planning::ListOperand& operand) {
        reads.push_back(operand.value);
        reads.push_back(operand.coordinates);
    }
    void operator()(const planning::CoordinatesStage& stage) {
        reads = stage.operands;
        makes = {stage.made};
    }
    void operator()(const planning::BodyStage& stage) {
        reads = {stage.coordinates};
        for (const planning::BodyOperand& operand : stage.operands) reads.push_back(operand.value);
        for (const planning::BodyResult& result : stage.results) makes.push_back(result.made);
    }
    void operator()(const planning::SlicedStage& stage) {
        reads = stage.operands;
        makes = stage.made;
    }
    void operator()(const planning::LocateStage& stage) {
        reads = {stage.operand.value, stage.coordinates};
        makes = {stage.made};
    }
    void operator()(const planning::ReduceStage& stage) {
        reads = {stage.coordinates, stage.x, stage.where, stage.y, stage.mask};
        makes = {stage.made};
    }
    void operator()(const planning::PermuteStage& stage) {
        reads = {stage.mask};
        for (const planning::ListOperand& operand : stage.operands) read(operand);
        reads.insert(reads.end(), stage.indices.begin(), stage.indices.end());
        makes = {stage.made};
    }
    void operator()(const planning::ViewStage& stage) {
        reads = {stage.mask, stage.like};
        read(stage.operand);
        makes = {stage.made};
    }
    void operator()(const planning::MultiplyStage& stage) {
        for (const planning::Factor* const factor : {&stage.left, &stage.right}) {
            read(factor->matrix);
            if (factor->mask) read(*factor->mask);
        }
        makes = {stage.made};
    }
    void operator()(const planning::SampledProductStage& stage) {
        reads = {stage.domain, stage.left, stage.right};
        makes = {stage.made};
    }
    void operator()(const planning::SampleStage& stage) {
        reads = {stage.domain};
        makes = {stage.made};
        for (const auto& index : stage.indices) makes.push_back(index.made);
    }
    void operator()(const planning::ConvertStage& stage) {
        reads = {stage.operand};
        makes = {stage.made};
    }
    void operator()(const planning::GatheredSumStage& stage) {
        reads = {stage.table, stage.indices};
        makes = {stage.made};
    }
};

/// Checks that results that only stages read are given up by the last stage that reads them.
void check_given_up(const Planned& planned) {
    const planning::Plan& plan = *planned.plan;
    std::vector<planning::ValueId> operands(static_cast<std::size_t>(planned.arguments));
    std::iota(operands.begin(), operands.end(), 0);
    const auto given_up = planning::values_given_up(plan, operands, planned.arguments);
    REQUIRE(given_up.size() == plan.stages.size());
    std::map<planning::ValueId, std::size_t> last;
    for (std::size_t i = 0; i < plan.stages.size(); ++i) {
        ValuesOf values;
        std::visit(values, plan.stages[i].action);
        for (const auto& ids : {values.reads, values.makes})
            for (const planning::ValueId id : ids)
                if (id >= planned.arguments) last[id] = i;
    }
    for (const auto* kept : {&plan.results, plan.rest ? &plan.rest->operands : nullptr})
        if (kept != nullptr)
            for (const planning::ValueId id : *kept) last.erase(id);
    if (plan.sampled) last.erase(plan.sampled->positions);
    std::map<planning::ValueId, std::size_t> found;
    for (std::size_t i = 0; i < given_up.size(); ++i)
        for (const planning::ValueId id : given_up[i]) CHECK(found.emplace(id, i).second);
    CHECK(found == last);
}

/// Checks that each value is made once, before it is read.
void check_order(const Planned& planned) {
    std::set<planning::ValueId> there{planning::no_value};
    for (planning::ValueId id = 0; id < planned.arguments; ++id) there.insert(id);
    for (const planning::PlanStage& stage : planned.plan->stages) {
        ValuesOf values;
        std::visit(values, stage.action);
        for (const planning::ValueId id : values.reads) CHECK(there.contains(id));
        for (const planning::ValueId id : values.makes) CHECK(there.insert(id).second);
    }
    const std::vector<planning::ValueId>& last =
        planned.plan->rest ? planned.plan->rest->operands : planned.plan->results;
    for (const planning::ValueId id : last) CHECK(there.contains(id));
    CHECK(std::ssize(there) == planned.plan->value_count + 1);
}

template <class E>
std::string stages_of(const E& expression) {
    const Planned made = planned(expression);
    if (!made.plan) return "whole";
    check_order(made);
    check_given_up(made);
    return names_of(*made.plan);
}

/// The stages of all plans of a call, "|" before each further one; "?" where stages decide it.
std::string chain_of(const planning::Plan& plan) {
    std::string text;
    for (const planning::PlanStage& stage : plan.stages) text += std::visit(NameOf{}, stage.action);
    if (!plan.rest) return text;
    using Needs = planning::RestOfPlan::Needs;
    if (plan.rest->needs == Needs::answer) return text + "| answer?";
    if (plan.rest->needs == Needs::extents) return text + "| extents?";
    return text + "| " + (plan.rest->plan.empty() ? "whole" : chain_of(plan.rest->plan[0]));
}

template <class E>
std::string chain_of(const E& expression) {
    const Planned made = planned(expression);
    return made.plan ? chain_of(*made.plan) : "whole";
}

}  // namespace

TEST_CASE("a plan is a straight list of stages over numbered values", "[plan]") {
    const Tensor<float> dense = full<float>({3, 4}, 1.0F), right = full<float>({4, 5}, 1.0F);
    const MaskedTensor<float> coo = listed(Layout::coo), csr = listed(Layout::csr);
    CHECK(stages_of(dense * 2.0F) == "whole");
    CHECK(stages_of(listed(Layout::strided) * dense) == "whole");
    CHECK(stages_of(coo * coo) == "coordinates body ");
    CHECK(stages_of(sum(coo)) == "coordinates body ");
    CHECK(stages_of(unite(coo + csr)) == "coordinates body ");
    CHECK(stages_of(sum(coo * coo, {1})) == "coordinates locate body reduce reduce ");
    CHECK(stages_of(transpose(coo, 0, 1)) == "permute permute ");
    CHECK(stages_of(matmul(coo, right)) == "multiply ");
    CHECK(stages_of(exp(transpose(coo, 0, 1))) == "permute permute rest");
    CHECK(stages_of(matmul(csr, right * 2.0F)) == "body multiply ");
    CHECK(stages_of(matmul(transpose(csr, 0, 1), full<float>({3, 5}, 1.0F))) == "multiply ");
}

TEST_CASE("what a plan leaves is planned before its stages run", "[plan]") {
    const MaskedTensor<float> coo = listed(Layout::coo), csr = listed(Layout::csr);
    const Tensor<float> right = full<float>({4, 5}, 1.0F);
    CHECK(chain_of(exp(transpose(coo, 0, 1))) == "permute permute | coordinates body ");
    CHECK(chain_of(matmul(csr, right) * 2.0F) == "multiply | coordinates body ");
    CHECK(chain_of(matmul(full<float>({5, 3}, 1.0F), csr) * 2.0F) == "multiply | coordinates body ");
    CHECK(chain_of(sum(transpose(matmul(coo, transpose(csr, 0, 1)), 0, 1), {1})) ==
          "multiply | permute permute | coordinates locate locate reduce reduce ");
    // Lists of several stages are merged, also where they have one pattern.
    CHECK(chain_of(exp(transpose(coo, 0, 1)) * transpose(csr, 0, 1)) ==
          "permute permute permute permute | coordinates body ");
}

TEST_CASE("compositions of lists and tensors are planned at the places of lists", "[plan]") {
    // Extents at which a dense stage of a list's shape is told from one of a tensor's.
    constexpr std::int64_t n = 50, width = 3;
    std::vector<std::int64_t> rows, columns;
    for (std::int64_t i = 0; i < n; ++i) rows.push_back(i), columns.push_back(i * 7 % n);
    const MaskedTensor<float> a(
        MaskedTensor<float>::coo({n, n}, {rows, columns}, full<float>({n}, 0.5F)).to(Layout::csr));
    const Tensor<float> h = full<float>({n, width}, 0.5F), w = full<float>({width, width}, 0.5F);
    const Tensor<float> u = full<float>({width, 1}, 0.5F), r = full<float>({n, 1}, 0.5F);
    const auto is_at_places = [](const auto& expression) {
        return chain_of(expression).find("whole") == std::string::npos;
    };
    CHECK(is_at_places(a + transpose(r)));
    CHECK(is_at_places(a + reshape(r, {1, -1})));
    CHECK(is_at_places(a + squeeze(r, 1)));
    CHECK(is_at_places(on(a, matmul(h, u) + transpose(matmul(h, u)))));
    CHECK(is_at_places(matmul(softmax(on(a, matmul(h, transpose(h))), 1), h)));
    CHECK(is_at_places(matmul(a, matmul(relu(matmul(a, matmul(h, w))), w))));
    CHECK(is_at_places(gradient(matmul(a, h), a, h)));
    CHECK(is_at_places(gradient(sum(square(matmul(a, h) - h)), a)));
    CHECK(is_at_places(gradient(softmax(a, 1), a, a)));
}

TEST_CASE("results that are specified in all lists are made where all lists are", "[plan]") {
    const MaskedTensor<float> a = listed(Layout::coo);
    const MaskedTensor<float> other =
        MaskedTensor<float>::coo({3, 4}, {{0, 1, 2}, {1, 2, 0}}, Tensor<float>({3}, {1, 2, 3}));
    const auto is_at_all_lists = [](const auto& expression) {
        const Planned made = planned(expression);
        const auto* const first =
            made.plan ? std::get_if<planning::CoordinatesStage>(&made.plan->stages[0].action) : nullptr;
        return first != nullptr && first->kind == planning::MergeKind::intersection_of;
    };
    CHECK(is_at_all_lists(intersect(a * other)));
    CHECK(is_at_all_lists(exp(intersect(a * other)) + 1.0F));
    CHECK_FALSE(is_at_all_lists(unite(a + other)));
    CHECK_FALSE(is_at_all_lists(a + a));
    // Others are looked at by the code that puts positions together.
    CHECK_FALSE(is_at_all_lists(sum(intersect(a * other))));
    CHECK_FALSE(is_at_all_lists(intersect(a * other) * sum(a)));
    CHECK_FALSE(is_at_all_lists(intersect(a * other) * sum(to_dense(a, 0.0F))));
}

TEST_CASE("a plan of few elements of a product samples them", "[plan]") {
    const Tensor<float> left = full<float>({30, 8}, 1.0F), right = full<float>({8, 40}, 1.0F);
    const MaskedTensor<float> few =
        MaskedTensor<float>::coo({30, 40}, {{0, 7}, {1, 30}}, Tensor<float>({2}, {1, 2}));
    Tensor<bool> half({30, 40});
    for (std::int64_t i = 0; i < half.size(); ++i) half.data()[i] = i % 2 == 0;
    const MaskedTensor<float> many(
        MaskedTensor<float>::strided(full<float>({30, 40}, 1.0F), half).to(Layout::coo));
    CHECK(stages_of(on(many, matmul(left, right))) == "convert rest");
    const MaskedTensor<float> few_strided = few.to(Layout::strided);
    CHECK(stages_of(on(few_strided, matmul(left, right))) == "sample rest");
    CHECK(chain_of(on(few_strided, matmul(left, right))) == "sample | whole");
}

TEST_CASE("a plan does not depend on how much is stored but by tests", "[plan]") {
    const Tensor<float> left = full<float>({30, 8}, 1.0F), right = full<float>({8, 40}, 1.0F);
    const auto listing = [](std::int64_t count) {
        std::vector<std::int64_t> rows(static_cast<std::size_t>(count)), columns(rows.size(), 3);
        std::iota(rows.begin(), rows.end(), 0);
        return MaskedTensor<float>::coo({30, 40}, {rows, columns}, full<float>({count}, 1.0F));
    };
    const MaskedTensor<float> two = listing(2), nine = listing(9);
    const auto is_one_plan = [&](const auto& expression) {
        return planned(expression(two)).plan == planned(expression(nine)).plan;
    };
    CHECK(is_one_plan([&](const auto& m) { return on(m, matmul(left, right)); }));
    CHECK(is_one_plan([&](const auto& m) { return sum(square(m - matmul(left, right))); }));
    CHECK(is_one_plan([&](const auto& m) { return sum(m * m, {1}); }));
    const MaskedTensor<float> strided_two = two.to(Layout::strided), strided_nine = nine.to(Layout::strided);
    CHECK(planned(on(strided_two, matmul(left, right))).plan ==
          planned(on(strided_nine, matmul(left, right))).plan);
}

TEST_CASE("plans are enumerated for each answer to their tests, and for each class of counts", "[plan]") {
    const MaskedTensor<float> m(AnyMasked::strided(full<float>({40, 50}, 1), full<bool>({40, 50}, true)));
    const Tensor<float> u({40, 4}), v({4, 50});
    std::set<Shape> products;
    static_cast<void>(detail::run(
        [&](const Graph& graph, std::span<const Argument> arguments) {
            const planning::PlanFacts facts(arguments);
            const auto results = planning::enumerate_bodies(
                graph, facts.formats(), planning::PlanScope::ahead,
                {.body = [&](const Graph& body, std::span<const planning::ValueForm> forms) {
                    CHECK(forms.size() == body.symbols.size());
                    for (const Node& node : body.nodes)
                        if (is_product(node)) products.insert(node.shape);
                }});
            REQUIRE(results.size() == 1);
            CHECK(results[0] == planning::ResultFormats{{planning::Format::Kind::masked, Layout::strided}});
            return std::vector<Result>(graph.results.size());
        },
        on(m, matmul(u, v))));
    CHECK(products.contains(Shape{40, 50}));  // many elements: the product is made whole
    for (const std::int64_t count : {0, 1, 3}) CHECK(products.contains(Shape{count}));
}

TEST_CASE("a plan makes products at the places of a list below elementwise operations", "[plan]") {
    const Tensor<float> u = full<float>({30, 8}, 1.0F), v = full<float>({40, 8}, 1.0F);
    const MaskedTensor<float> few =
        MaskedTensor<float>::coo({30, 40}, {{0, 7}, {1, 30}}, Tensor<float>({2}, {1, 2}));
    const auto product = matmul(u, transpose(v, 0, 1));
    for (const Layout layout : {Layout::coo, Layout::csr, Layout::csc}) {
        const MaskedTensor<float> m(few.to(layout));
        CHECK(stages_of(on(m, product)) == "sampled rest");
        CHECK(stages_of(sum(square(m - product))) == "sampled rest");
        CHECK(stages_of(sum(exp(product) * m)) == "sampled rest");
        // All of it is read as well.
        CHECK(stages_of(sum(m - product) + sum(product)) == "body rest");
        CHECK(stages_of(sum(product * product)) == "whole");
    }
    // Places of two lists.
    const MaskedTensor<float> other =
        MaskedTensor<float>::coo({30, 40}, {{0, 9}, {1, 30}}, Tensor<float>({2}, {1, 2}));
    CHECK(stages_of(sum(few * product) + sum(other * product)) == "rest");
    // A quarter of the elements.
    const Tensor<float> four = full<float>({4, 8}, 1.0F);
    for (const std::int64_t count : {4, 5}) {
        std::vector<std::int64_t> rows(static_cast<std::size_t>(count), 0), columns(rows);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            rows[i] = static_cast<std::int64_t>(i) / 4;
            columns[i] = static_cast<std::int64_t>(i) % 4;
        }
        const auto m = MaskedTensor<float>::coo({4, 4}, {rows, columns}, full<float>({count}, 1.0F));
        const bool is_sampled =
            stages_of(sum(m - matmul(four, transpose(four, 0, 1)))).find("sampled") != std::string::npos;
        CHECK(is_sampled == (count * limits::sampled_factor_cost <= 16));
    }
}

}  // namespace plans_test

// SPDX-License-Identifier: MIT
#include "../../../ir/contained_masks.hpp"
#include "../../../ir/tensor_ops/value.hpp"
#include "plan_helpers.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace implied_masks_test {

/// Tests of masks that imply each other.
namespace {

using namespace frisket;
using namespace frisket::testing;
using ir::Value;

constexpr std::int64_t n = 3;
/// Which elements of an n x n mask are true.
using Bits = std::array<bool, n * n>;

/// A mask as an expression and as its elements for each of several values of the symbols.
struct Mask {
    Value value;
    std::vector<Bits> bits;
};

template <class Element>
Bits made(Element&& element) {
    Bits bits;
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j) bits[static_cast<std::size_t>(i * n + j)] = element(i, j);
    return bits;
}
bool at(const Bits& bits, std::int64_t i, std::int64_t j) {
    return bits[static_cast<std::size_t>(i * n + j)];
}

/// Random masks, whose elements are computed here.
class Masks {
public:
    explicit Masks(unsigned seed) : random_(seed) {
        for (const char* name : {"m", "n"}) {
            const NodeId symbol = graph_.symbol(name, SymbolKind::masked, DType::float32, {n, n});
            Mask mask{.value = ir::mask_of({&graph_, symbol}), .bits = {}};
            for (int k = 0; k < values; ++k)
                mask.bits.push_back(made([&](auto, auto) { return below(3) == 0; }));
            symbols_.push_back(mask);
        }
    }

    Mask mask(int depth) {
        if (depth == 0) return symbols_[below(2)];
        switch (below(6)) {
            case 0: return joined(op_id<op::LogicalAnd>, mask(depth - 1), mask(depth - 1));
            case 1: return joined(op_id<op::LogicalOr>, mask(depth - 1), mask(depth - 1));
            case 2:
            case 3: return any(mask(depth - 1), static_cast<int>(below(2)));
            case 4: {
                const Mask x = mask(depth - 1);
                return moved(x, permute(x.value, {1, 0}),
                             [](const Bits& b, auto i, auto j) { return at(b, j, i); });
            }
            default: {
                const Mask x = mask(depth - 1);
                return moved(x, flip(x.value, {1}),
                             [](const Bits& b, auto i, auto j) { return at(b, i, n - 1 - j); });
            }
        }
    }

    const Graph& graph() const { return graph_.graph(); }

private:
    static constexpr int values = 40;

    std::size_t below(std::size_t limit) { return random_() % limit; }

    template <class Element>
    static Mask moved(const Mask& x, Value value, Element&& element) {
        Mask result{.value = value, .bits = {}};
        for (const Bits& bits : x.bits)
            result.bits.push_back(made([&](auto i, auto j) { return element(bits, i, j); }));
        return result;
    }
    Mask joined(OpId op, const Mask& a, const Mask& b) {
        const bool is_and = op == op_id<op::LogicalAnd>;
        Mask result{.value = {&graph_, graph_.apply(op, {a.value.id, b.value.id})}, .bits = {}};
        for (std::size_t k = 0; k < a.bits.size(); ++k)
            result.bits.push_back(made([&](auto i, auto j) {
                const bool x = at(a.bits[k], i, j), y = at(b.bits[k], i, j);
                return is_and ? x && y : x || y;
            }));
        return result;
    }
    static Mask any(const Mask& x, int dim) {
        const Value value = ir::broadcast_to(ir::any(x.value, {{dim}}, true), {n, n});
        return moved(x, value, [&](const Bits& bits, auto i, auto j) {
            bool is_any = false;
            for (std::int64_t k = 0; k < n; ++k)
                is_any = is_any || (dim == 0 ? at(bits, k, j) : at(bits, i, k));
            return is_any;
        });
    }

    GraphBuilder graph_{"masks"};
    std::mt19937 random_;
    std::vector<Mask> symbols_;
};

bool is_part(const Bits& part, const Bits& mask) {
    for (std::size_t i = 0; i < part.size(); ++i)
        if (part[i] && !mask[i]) return false;
    return true;
}

bool is_part(const Mask& part, const Mask& mask) {
    for (std::size_t k = 0; k < part.bits.size(); ++k)
        if (!is_part(part.bits[k], mask.bits[k])) return false;
    return true;
}

}  // namespace

TEST_CASE("what a mask is said to imply holds, and most of what holds is said", "[ir]") {
    int said = 0, held = 0;
    for (unsigned seed = 0; seed < 4000; ++seed) {
        Masks masks(seed);
        const Mask a = masks.mask(1 + static_cast<int>(seed % 4)),
                   b = masks.mask(1 + static_cast<int>(seed % 3));
        const bool is_said = ir::is_implied(masks.graph(), b.value.id, a.value.id);
        INFO("seed " << seed);
        if (is_said) CHECK(is_part(a, b));
        said += is_said;
        held += is_part(a, b);
    }
    INFO(said << " of " << held);
    CHECK(said * 10 > held * 6);
}

TEST_CASE("masks that are joined are one of the two, if that implies the other", "[ir]") {
    GraphBuilder graph("masks");
    const auto mask = [&](const char* name) {
        return ir::mask_of({&graph, graph.symbol(name, SymbolKind::masked, DType::float32, {n, n})}).id;
    };
    const NodeId a = mask("a"), b = mask("b"), c = mask("c");
    const NodeId ab = graph.both(a, b), cb = graph.both(c, b), a_or_c = graph.either(a, c);
    const NodeId rows = ir::any(Value{&graph, a}, {{1}}, true).id;  // its columns are 1
    CHECK(graph.both(a, a) == a);
    CHECK(graph.either(a, a) == a);
    CHECK(graph.both(ab, b) == ab);
    CHECK(graph.either(ab, b) == b);
    CHECK(graph.both(graph.either(ab, cb), b) == graph.either(ab, cb));
    CHECK(graph.either(a_or_c, a) == a_or_c);
    CHECK(graph.both(a_or_c, a) == a);
    CHECK(graph.both(a, rows) == a);
    const NodeId all_of_rows = graph.either(a, rows);
    CHECK(graph[all_of_rows].kind == NodeKind::view);
    CHECK(graph[all_of_rows].operands[0] == rows);
    CHECK(graph[all_of_rows].shape == Shape{n, n});
    CHECK(graph[graph.both(a, b)].kind == NodeKind::op);
    CHECK(graph[graph.both(b, rows)].kind == NodeKind::op);
}

TEST_CASE("plans of gradients through layers grow by the same for each layer", "[plan]") {
    const MaskedTensor<float> graph =
        MaskedTensor<float>::coo({6, 6}, {{0, 1, 2, 2, 5}, {1, 3, 0, 5, 4}}, full<float>({5}, 1.0F))
            .to(Layout::csr);
    const Tensor<float> x = full<float>({6, 2}, 0.5F), to = full<float>({2, 1}, 0.5F);
    const auto layer = [&](const auto& h) {
        const auto scores = on(graph, matmul(h, to) + transpose(matmul(h, to), 0, 1));
        return to_dense(matmul(softmax(tanh(scores), 1), h), 0);
    };
    const auto stages = [&](const auto& h) {
        const auto made = planned(gradient(sum(square(h)), to));
        std::size_t count = 0;
        for (const planning::Plan* plan = &*made.plan; plan != nullptr;
             plan = plan->rest && !plan->rest->plan.empty() ? &plan->rest->plan[0] : nullptr)
            count += plan->stages.size();
        return count;
    };
    const std::size_t one = stages(layer(x)), two = stages(layer(layer(x))),
                      three = stages(layer(layer(layer(x))));
    INFO(one << ", " << two << ", " << three << " stages");
    CHECK(three - two <= two - one + 1);
    CHECK(two <= 2 * one + 4);
}

}  // namespace implied_masks_test

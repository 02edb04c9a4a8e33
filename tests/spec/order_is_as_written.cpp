// SPDX-License-Identifier: MIT
#include "both_ways.hpp"

#include <cstdlib>

namespace order_is_as_written_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr InOut<"x"> x;
constexpr InOut<"y"> y;
constexpr InOut<"z"> z;
constexpr InOut<"w"> w;
constexpr InOut<"precise", double> precise;
constexpr InOut<"coarse"> coarse;
constexpr InOut<"flag", bool> flag;
constexpr InOut<"small", float16> small;
constexpr Masked<"grad"> grad;
constexpr Masked<"more"> more;
constexpr Let<"old"> old;
constexpr Let<"old_y"> old_y;
constexpr Let<"old_z"> old_z;

/// Every storage, at sizes that meet tails; big sizes meet the other strategies.
const Shape order_shapes[] = {{1}, {67}, {1003}, {70000}, {30, 9}};

/// Checks a step over dense tensors x, y, z … of float32, contiguous and with gaps.
void check_dense(const Compared& step, const std::vector<const char*>& names) {
    std::uint32_t seed = 200;
    for (const std::int64_t size : {1, 5, 64, 1003, 140000})
        for (const bool gaps : {false, true}) {
            Trial trial(step);
            for (const char* name : names) {
                Lies lies;
                if (gaps) lies.seen_as = [](const AnyTensor& t) { return t.slice(0, 0, t.size(), 2); };
                trial.writes(name, wild_tensor<float>({gaps ? 2 * size - 1 : size}, ++seed), lies);
            }
            INFO(step.graph.name << ", size " << size << (gaps ? ", with gaps" : ""));
            CHECK(trial.difference() == "");
        }
}

/// Checks a step with a masked operand in every storage.
void check_masked(const Compared& step, const std::vector<const char*>& names) {
    std::uint32_t seed = 300;
    for (const Storage& stored : every_storage)
        for (const Shape& shape : order_shapes) {
            const AnyMasked gradient = wild_masked<float>(shape, specified(0.3), stored, ++seed);
            Trial trial(step);
            for (const char* name : names) trial.writes(name, wild_target<float>(gradient, ++seed));
            trial.reads("grad", gradient);
            INFO(step.graph.name << ", " << stored.name << ", shape " << to_string(shape));
            CHECK(trial.difference() == "");
        }
}

}  // namespace

TEST_CASE("a symbol read after its update is the new value", "[spec]") {
    check_dense(Compared(step<"after">(x = y + 1.0, y = x * 2.0)), {"x", "y"});
    check_dense(Compared(step<"chain">(x += 1.0, y += x, z += y, w += z)), {"x", "y", "z", "w"});
    check_masked(Compared(step<"masked_after">(x += grad, y = grad * x, x *= on(grad, y))), {"x", "y"});
}

TEST_CASE("a Let keeps the value from before the updates", "[spec]") {
    check_dense(Compared(step<"kept">(old = x, x = y + 1.0, y = old * 2.0)), {"x", "y"});
    check_masked(Compared(step<"masked_kept">(old = x * grad, x = grad + y, y -= old)), {"x", "y"});
}

TEST_CASE("two tensors swap, and three take each other's place", "[spec]") {
    check_dense(Compared(step<"swap">(old = x, x = y, y = old)), {"x", "y"});
    check_dense(Compared(step<"swap_back">(old = y, y = x, x = old)), {"x", "y"});
    check_dense(Compared(step<"round">(old = x, x = y, y = z, z = old)), {"x", "y", "z"});
    check_dense(Compared(step<"other_round">(old = z, z = y, y = x, x = old)), {"x", "y", "z"});
    check_dense(Compared(step<"four">(old = x, old_y = y, old_z = z, x = w, y = old, z = old_y, w = old_z)),
                {"x", "y", "z", "w"});
    check_masked(Compared(step<"masked_swap">(old = on(grad, x), x = on(grad, y), y = old)), {"x", "y"});
}

TEST_CASE("tensors made from each other through calls and strict arithmetic use the old values", "[spec]") {
    check_dense(Compared(step<"crossed">(old = sqrt(abs(x)) + y, y = sqrt(abs(y)) * x, x = old)), {"x", "y"});
    check_dense(Compared(step<"tangled">(old = x / (y + z), old_y = y * sqrt(abs(x)) - z,
                                         z = exp(-abs(z)) * 0.0 + x - y, x = old, y = old_y)),
                {"x", "y", "z"});
    check_masked(
        Compared(step<"masked_crossed">(old = sqrt(abs(x)) * grad, x = sqrt(abs(y)) + grad, y = old)),
        {"x", "y"});
    check_masked(Compared(step<"masked_four">(old = x * grad, old_y = y + grad, x = grad * w, w = grad - z,
                                              y = old, z = old_y)),
                 {"x", "y", "z", "w"});
}

TEST_CASE(
    "a tensor is stored after the others have read it, also where only some of them are made from another",
    "[spec]") {
    check_dense(Compared(step<"some">(x = max(z, y * 2.0), y = y + z, z *= 2.0)), {"x", "y", "z"});
    check_dense(Compared(step<"copied">(w = x, x = sqrt(abs(y)), y = z + y, z = z * 0.5)),
                {"x", "y", "z", "w"});
    check_masked(Compared(step<"masked_some">(x = max(grad, on(grad, z)), w = on(grad, x + y), y = grad * z,
                                              z = grad)),
                 {"x", "y", "z", "w"});
}

namespace {

/// A step over x, y, z, w whose updates are made at random from old and new values.
Graph random_step(std::uint32_t seed) {
    Random random(seed);
    GraphBuilder b("random_" + std::to_string(seed));
    const char* names[] = {"x", "y", "z", "w"};
    std::vector<NodeId> values;
    for (const char* name : names) values.push_back(b.symbol(name, SymbolKind::in_out, DType::float32));
    const auto any = [&] { return values[static_cast<std::size_t>(random.below(std::ssize(values)))]; };
    for (int i = 0; i < 5; ++i) {
        const char* target = names[random.below(4)];
        const OpId binary[] = {op_id<op::Add>, op_id<op::Mul>, op_id<op::Maximum>, op_id<op::Sub>};
        const NodeId made = random.below(3) == 0 ? any() : b.apply(binary[random.below(4)], {any(), any()});
        b.update(target, random.below(4) == 0 ? b.apply<op::Abs>({made}) : made);
        if (random.below(2) == 0) values.push_back(b.symbol(target, SymbolKind::in_out, DType::float32));
    }
    for (const char* name : names) b.update(name, b.symbol(name, SymbolKind::in_out, DType::float32));
    return b.finish();
}

}  // namespace

TEST_CASE("random steps over four tensors write what the interpreter writes", "[spec]") {
    const char* count = std::getenv("FRISKET_TEST_STEPS");
    for (int seed = 1; seed <= (count ? std::strtol(count, nullptr, 10) : 25); ++seed) {
        const Compared step(random_step(static_cast<std::uint32_t>(seed)));
        Trial trial(step);
        for (const char* name : {"x", "y", "z", "w"})
            trial.writes(name, wild_tensor<float>({67}, static_cast<std::uint32_t>(seed) + 900));
        INFO(to_string(step.graph));
        CHECK(trial.difference() == "");
    }
}

TEST_CASE("a tensor updated twice takes the last value, made from the one between", "[spec]") {
    check_dense(Compared(step<"twice">(x = x + y, y = x, x = x * y)), {"x", "y"});
    check_masked(Compared(step<"masked_twice">(x += grad, x *= grad, y = on(grad, x), x -= on(grad, y))),
                 {"x", "y"});
}

TEST_CASE("float, double and bool tensors of one step are made from each other", "[spec]") {
    const Compared step(frisket::step<"mixed">(precise += grad * coarse, flag = on(grad, precise > 1.0),
                                               coarse = where(flag, grad, on(grad, coarse)) * precise));
    std::uint32_t seed = 400;
    for (const Storage& stored : every_storage)
        for (const Shape& shape : order_shapes) {
            const AnyMasked gradient = wild_masked<float>(shape, specified(0.3), stored, ++seed);
            INFO(stored.name << ", shape " << to_string(shape));
            CHECK(Trial(step)
                      .writes("precise", wild_target<double>(gradient, seed))
                      .writes("coarse", wild_target<float>(gradient, seed + 1))
                      .writes("flag", random_tensor<bool>(shape, seed + 2))
                      .reads("grad", gradient)
                      .difference() == "");
        }
}

TEST_CASE("tensors of two types may take each other's values", "[spec]") {
    const Compared step(frisket::step<"exchange">(old = coarse, coarse = precise * 0.5, precise = old));
    for (const std::int64_t size : {1, 66, 1003, 140000})
        CHECK(Trial(step)
                  .writes("coarse", wild_tensor<float>({size}, 410))
                  .writes("precise", wild_tensor<double>({size}, 411))
                  .difference() == "");
}

namespace {

/// Tensors that steps with updates of 16 bits write.
struct Between {
    Tensor<float16> small;
    Tensor<float> coarse;
    Between clone() const { return {small.clone(), coarse.clone()}; }
};

/// small += g, coarse = small (over m), small *= m, coarse -= small (over g), small -= g.
void update_by_hand(const Between& to, const MaskedTensor<float>& g, const MaskedTensor<float>& m) {
    const Tensor<bool> here = g.mask_tensor(), there = m.mask_tensor();
    const Tensor<float> by = g.to_dense(0), times = m.to_dense(0);
    for (std::int64_t i = 0; i < to.small.size(); ++i) {
        float16& small = to.small.data()[i];
        float& coarse = to.coarse.data()[i];
        if (here.data()[i]) small = float16(small + by.data()[i]);
        if (there.data()[i]) coarse = small;
        if (there.data()[i]) small = float16(small * times.data()[i]);
        if (here.data()[i]) coarse -= small;
        if (here.data()[i]) small = float16(small - by.data()[i]);
    }
}

/// Checks loops and the interpreter against results made by hand.
void check_between(const Compared& step, const Between& given, const Between& wanted,
                   std::vector<NamedArgument> arguments) {
    const Between loops = given.clone(), oracle = given.clone();
    const auto bound = [&](const Between& to) {
        std::vector<NamedArgument> all = arguments;
        all.insert(all.end(), {{"small", to.small}, {"coarse", to.coarse}});
        return all;
    };
    step.kernel(std::span<const NamedArgument>(bound(loops)));
    interpret(step.graph, bound(oracle));
    for (const Between* found : {&loops, &oracle}) {
        CHECK(difference(found->small, wanted.small) == "");
        CHECK(difference(found->coarse, wanted.coarse) == "");
    }
}

}  // namespace

TEST_CASE("a read between masked updates of 16 bits sees the rounded element, or the one before", "[spec]") {
    const Compared two(frisket::step<"two">(small += grad, coarse = on(more, small), small *= more,
                                            coarse -= on(grad, small), small -= grad));
    const Compared one(frisket::step<"one">(small += grad, coarse = on(grad, small), small *= grad,
                                            coarse -= on(grad, small), small -= grad));
    const Shape shape{61, 17};
    for (const Storage& first : every_storage) {
        const auto g = random_masked<float>(shape, specified(0.4), first.layout, 421, first.listed);
        const Between given{random_tensor<float>(shape, 422).to<float16>(), random_tensor<float>(shape, 423)};
        INFO(first.name);
        Between wanted = given.clone();
        update_by_hand(wanted, g, g);
        check_between(one, given, wanted, {{"grad", g}});
        for (const Storage& second : every_storage) {
            const auto m = random_masked<float>(shape, specified(0.6), second.layout, 424, second.listed);
            INFO(" and " << second.name);
            wanted = given.clone();
            update_by_hand(wanted, g, m);
            check_between(two, given, wanted, {{"grad", g}, {"more", m}});
        }
    }
}

}  // namespace order_is_as_written_test

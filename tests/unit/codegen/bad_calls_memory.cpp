// SPDX-License-Identifier: MIT
#include "bad_calls.hpp"

namespace bad_calls_memory_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

const std::string apart = ": what a step writes may overlap no other argument, give it a clone()";

/// A view of a tensor's memory.
AnyTensor view(const AnyTensor& memory, Shape shape, Strides strides, std::int64_t offset = 0) {
    auto* data = static_cast<std::byte*>(memory.data()) + offset * bytes_of(memory.dtype());
    return {memory.dtype(), data, std::move(shape), std::move(strides), true, memory.owner()};
}

/// float32 over the memory of another dtype.
AnyTensor as_floats(const AnyTensor& memory, Shape shape) {
    const Strides strides = contiguous_strides(shape);
    return {DType::float32, memory.data(), std::move(shape), strides, true, memory.owner()};
}

/// A step that reads a dense tensor.
const Made& scaled() {
    constexpr InOut<"param"> param;
    constexpr In<"weight"> weight;
    static const Made made(describe(step<"scaled">(param *= weight)));
    return made;
}

/// A step of two Masked symbols that meet.
const Made& product() {
    constexpr InOut<"param"> param;
    constexpr Masked<"grad"> grad;
    constexpr Masked<"scale"> scale;
    static const Made made(describe(step<"product">(param += grad * scale)));
    return made;
}

AnyMasked specified_at(const Shape& shape, const std::vector<std::int64_t>& positions, Layout layout) {
    const Tensor<bool> mask(shape);
    for (const std::int64_t position : positions) mask.data()[position] = true;
    return AnyMasked::strided(random_tensor(shape), mask).to(layout);
}

}  // namespace

TEST_CASE("param and state may not be one tensor, nor shifted views of one memory", "[codegen]") {
    const Adagrad good;
    const Made& step = Adagrad::step();
    refuses<ValueError>(step, good.with("param", good.s),
                        "adagrad: state_sum shares memory with param" + apart);
    const Tensor<float> memory = random_tensor({40});
    const AnyTensor first = view(memory, {2, 4}, {4, 1}), shifted = view(memory, {2, 4}, {4, 1}, 7);
    const AnyTensor every_second = view(memory, {2, 4}, {8, 2}), crossing = view(memory, {2, 4}, {1, 4}, 6);
    for (const AnyTensor* other : {&shifted, &every_second, &crossing}) {
        auto arguments = good.with("param", first);
        arguments[1].value = *other;
        refuses<ValueError>(step, arguments, "adagrad: state_sum shares memory with param" + apart);
    }
    const AnyTensor behind = view(memory, {2, 4}, {4, 1}, 8);
    auto arguments = good.with("param", first);
    arguments[1].value = behind;
    CHECK_NOTHROW(step.kernel(std::span<const NamedArgument>(arguments)));
}

TEST_CASE("a target may not lie in what the step reads: values, masks, words of bits", "[codegen]") {
    const Adagrad good;
    const Made& step = Adagrad::step();
    const Tensor<float> values = random_tensor({2, 4});
    const AnyMasked strided = AnyMasked::strided(values, random_mask({2, 4}, specified(0.5)));
    const auto with_target_in = [&](const AnyMasked& grad, const AnyTensor& target) {
        auto arguments = good.with("grad", grad);
        arguments[0].value = target;
        return arguments;
    };
    refuses<ValueError>(step, with_target_in(strided, values),
                        "adagrad: param shares memory with grad" + apart);
    const Tensor<bool> mask = random_mask({64}, specified(0.5));
    const AnyMasked masked = AnyMasked::strided(random_tensor({2, 4}), view(mask, {2, 4}, {4, 1}, 3));
    const AnyTensor over_mask = as_floats(mask, {2, 4});
    refuses<ValueError>(step, with_target_in(masked, over_mask),
                        "adagrad: param shares memory with the mask of grad" + apart);
    const Tensor<std::int64_t> words({16});
    const AnyMasked bits = AnyMasked::bitmask(random_tensor({2, 4}), words);
    const AnyTensor over_words = as_floats(words, {2, 4});
    refuses<ValueError>(step, with_target_in(bits, over_words),
                        "adagrad: param shares memory with the mask of grad" + apart);
    const Tensor<float> listed = random_tensor({8});
    const AnyMasked coo = AnyMasked::coo({2, 4}, {{0, 1}, {1, 2}}, view(listed, {2}, {1}, 5));
    const AnyTensor over_list = listed.reshape({2, 4});
    refuses<ValueError>(step, with_target_in(coo, over_list),
                        "adagrad: param shares memory with grad" + apart);
    const Tensor<float> p = random_tensor({2, 4});
    const AnyTensor row = view(p, {4}, {1}, 4);
    refuses<ValueError>(scaled(), {{"param", p}, {"weight", row}},
                        "scaled: param shares memory with weight" + apart);
}

TEST_CASE("a target may lie next to what the step reads, and share no element of it", "[codegen]") {
    const Tensor<float> memory = random_tensor({40});
    const AnyTensor target = view(memory, {2, 4}, {4, 1}, 16);
    const Made& step = scaled();
    for (const std::int64_t offset : {8, 24}) {
        const AnyTensor weight = view(memory, {2, 4}, {4, 1}, offset);
        const std::vector<NamedArgument> arguments{{"param", target}, {"weight", weight}};
        CHECK_NOTHROW(step.kernel(std::span<const NamedArgument>(arguments)));
    }
    for (const std::int64_t offset : {9, 23})
        refuses<ValueError>(step, {{"param", target}, {"weight", view(memory, {2, 4}, {4, 1}, offset)}},
                            "scaled: param shares memory with weight" + apart);
}

TEST_CASE("a target has its elements apart and may be written", "[codegen]") {
    const Adagrad good;
    const Made& step = Adagrad::step();
    const Tensor<float> memory = random_tensor({40});
    const AnyTensor repeated = view(memory, {2, 4}, {0, 1}), crossing = view(memory, {2, 4}, {2, 1});
    const std::string advice = "): what a step writes has its elements apart, give it a clone()";
    refuses<ValueError>(step, good.with("param", repeated),
                        "adagrad: param overlaps itself (shape [2, 4], strides [0, 1]" + advice);
    refuses<ValueError>(step, good.with("param", crossing),
                        "adagrad: param overlaps itself (shape [2, 4], strides [2, 1]" + advice);
    const AnyTensor interleaved = view(memory, {2, 4}, {5, 2});  // 0 2 4 6 and 5 7 9 11
    CHECK_NOTHROW(step.kernel(std::span<const NamedArgument>(good.with("param", interleaved))));
    const Tensor<const float> constant = random_tensor({2, 4});
    const AnyTensor spread = random_tensor({4}).broadcast_to({2, 4});
    const std::string read_only =
        "adagrad: param is read-only and the step updates it: give it a Tensor whose elements are not const";
    refuses<ValueError>(step, good.with("param", constant), read_only);
    refuses<ValueError>(step, good.with("param", spread), read_only);
}

TEST_CASE("what is too much to decide is refused in other words", "[codegen]") {
    const Tensor<float> memory = random_tensor({64 * 66 + 65 * 65}), weight({64, 65});
    const AnyTensor woven = view(memory, {64, 65}, {66, 65});
    refuses<ValueError>(scaled(), {{"param", woven}, {"weight", weight}},
                        "scaled: param is not shown to be free of overlap (shape [64, 65], strides [66, "
                        "65]): what a step writes "
                        "has its elements apart, give it a clone()");
}

TEST_CASE("two numbers that a step updates are two numbers", "[codegen]") {
    constexpr ScalarState<"first"> first;
    constexpr ScalarState<"second"> second;
    static const Made step(describe(frisket::step<"numbers">(first *= 0.5, second *= 0.25)));
    double one = 1, other = 2;
    refuses<ValueError>(
        step, {{"first", Argument::state(one)}, {"second", Argument::state(one)}},
        "numbers: first shares memory with second: a number that a step updates is no other's, give "
        "each a variable");
    step.kernel({{"first", Argument::state(one)}, {"second", Argument::state(other)}});
    CHECK(one == 0.5);
    CHECK(other == 0.5);
}

TEST_CASE("a number that a step updates lies in no tensor of the call", "[codegen]") {
    constexpr InOut<"param", double> param;
    constexpr In<"weight"> weight;
    constexpr Masked<"grad"> grad;
    constexpr ScalarState<"norm"> norm;
    static const Made step(describe(frisket::step<"numbers">(norm *= 0.5, param += norm * weight * grad)));
    const Tensor<double> p = random_tensor<double>({4});
    const Tensor<float> w = random_tensor({4});
    const AnyMasked g = AnyMasked::bitmask(random_tensor({4}), Tensor<std::int64_t>({1}, {5}));
    double own = 1;
    const auto refused = [&](void* place, const std::string& with) {
        refuses<ValueError>(step,
                            {{"norm", Argument::state(*static_cast<double*>(place))},
                             {"param", p},
                             {"weight", w},
                             {"grad", g}},
                            "numbers: " + with + bad_calls_memory_test::apart);
    };
    refused(p.data() + 2, "norm shares memory with param");
    refused(w.data() + 2, "norm shares memory with weight");
    refused(g.values().data(), "norm shares memory with grad");
    refused(g.mask().data(), "norm shares memory with the mask of grad");
    step.kernel({{"norm", Argument::state(own)}, {"param", p}, {"weight", w}, {"grad", g}});
    CHECK(own == 0.5);
}

TEST_CASE("masks that meet specify the same, and the first element that differs is named", "[codegen]") {
    const Tensor<float> p = random_tensor({2, 4});
    const std::string advice =
        ": masks that meet must be equal, to_dense(scale, fill) leaves the masked world";
    for (const Layout left : {Layout::strided, Layout::bitmask, Layout::coo})
        for (const Layout right : {Layout::strided, Layout::bitmask, Layout::coo}) {
            const AnyMasked two = specified_at({2, 4}, {1, 6}, left),
                            three = specified_at({2, 4}, {1, 5, 6}, right);
            refuses<MaskMismatch>(
                product(), {{"param", p}, {"grad", two}, {"scale", three}},
                "product: grad and scale specify different elements (2 and 3), first at [1, 1], "
                "which only scale specifies" +
                    advice);
            refuses<MaskMismatch>(
                product(), {{"param", p}, {"grad", three}, {"scale", two}},
                "product: grad and scale specify different elements (3 and 2), first at [1, 1], "
                "which only grad specifies" +
                    advice);
        }
    const AnyMasked one_row = specified_at({2, 4}, {4, 5, 6, 7}, Layout::rows);
    const AnyMasked other_row = specified_at({2, 4}, {0, 1, 2, 3}, Layout::rows);
    refuses<MaskMismatch>(
        product(), {{"param", p}, {"grad", one_row}, {"scale", other_row}},
        "product: grad and scale specify different elements (4 and 4), first at [0, 0], which only "
        "scale specifies" +
            advice);
    const Tensor<float> dense = random_tensor({2, 4});
    refuses<MaskMismatch>(
        product(), {{"param", p}, {"grad", dense}, {"scale", other_row}},
        "product: grad and scale specify different elements (8 and 4), first at [1, 0], which only "
        "grad specifies" +
            advice);
    const AnyMasked narrow = specified_at({4}, {1, 2}, Layout::coo),
                    wide = specified_at({2, 4}, {1, 2, 5}, Layout::coo);
    refuses<MaskMismatch>(
        product(), {{"param", p}, {"grad", narrow}, {"scale", wide}},
        "product: grad and scale specify different elements (4 and 3), first at [1, 2], which only "
        "grad specifies" +
            advice);
}

TEST_CASE("after a refused call the same kernel takes a good one", "[codegen]") {
    const Adagrad good;
    refuses<BindingError>(Adagrad::step(), good.without("eps"), "adagrad: eps is missing: give it a number");
    const Tensor<float> p = good.p.clone(), s = good.s.clone();
    Adagrad::step().kernel(std::span<const NamedArgument>(good.arguments));
    interpret(Adagrad::step().graph,
              {{"param", p}, {"state_sum", s}, {"grad", good.g}, {"lr", 0.1}, {"eps", 1e-10}});
    CHECK_THAT(good.p, HasTheBytesOf(p));
    CHECK_THAT(good.s, HasTheBytesOf(s));
}

}  // namespace bad_calls_memory_test

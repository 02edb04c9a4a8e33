// SPDX-License-Identifier: MIT
#include "bad_calls.hpp"

namespace bad_calls_arguments_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr InOut<"param"> param;
constexpr InOut<"other"> other;
constexpr In<"weight"> weight;
constexpr In<"flag", bool> flag;
constexpr Masked<"grad"> grad;
constexpr Scalar<"t", std::int64_t> t;
constexpr ScalarState<"product"> product;
constexpr ScalarState<"second"> second;

/// Every kind of parameter.
const Made& kinds() {
    static const Made made(describe(step<"kinds">(
        product *= 0.5, second *= 0.25, param += where(flag, grad, weight) * (t * product * second))));
    return made;
}

/// Good arguments for `kinds`.
struct Kinds : Adagrad {
    Tensor<float> w = random_tensor({4}, 4);
    Tensor<bool> f = random_tensor<bool>({2, 1}, 5);
    double mu = 1, nu = 2;
    Kinds() {
        arguments = {{"param", p},
                     {"weight", w},
                     {"flag", f},
                     {"grad", g},
                     {"t", std::int64_t{3}},
                     {"product", Argument::state(mu)},
                     {"second", Argument::state(nu)}};
    }
};

}  // namespace

TEST_CASE("a name that is missing, unknown or given twice is refused", "[codegen]") {
    const Adagrad good;
    const Made& step = Adagrad::step();
    const Kinds all;
    refuses<BindingError>(step, good.without("param"), "adagrad: param is missing: give it a tensor");
    refuses<BindingError>(step, good.without("grad"),
                          "adagrad: grad is missing: give it a masked tensor (or a tensor: all specified)");
    refuses<BindingError>(step, good.without("lr"), "adagrad: lr is missing: give it a number");
    refuses<BindingError>(kinds(), all.without("product"),
                          "kinds: product is missing: give it a number that the step can update: "
                          "Argument::state(number)");
    refuses<BindingError>(
        step, good.and_also("gradient", good.g),
        "adagrad: there is no parameter gradient: the step has state_sum, grad, param, lr, eps");
    refuses<BindingError>(step, good.and_also("", 1.0),
                          "adagrad: there is no parameter : the step has state_sum, grad, param, lr, eps");
    refuses<BindingError>(step, good.and_also("lr", 0.2), "adagrad: lr is given twice: give each name once");
    refuses<BindingError>(step, {}, "adagrad: state_sum is missing: give it a tensor");
}

TEST_CASE("a call by position gives one argument for each parameter", "[codegen]") {
    const Adagrad good;
    const std::vector<Argument> two{good.s, good.g}, nothing{good.s, good.g, {}, 0.1, 0.1};
    CHECK_THROWS_MATCHES(
        Adagrad::step().kernel.call(two), BindingError,
        Says("adagrad: the call has 2 arguments, the step has 5 parameters: give one for each"));
    CHECK_THROWS_MATCHES(Adagrad::step().kernel.call(nothing), BindingError,
                         Says("adagrad: param is InOut and was given nothing: give it a tensor"));
}

TEST_CASE("a parameter refuses what is not of its kind", "[codegen]") {
    const Adagrad good;
    const Made& step = Adagrad::step();
    Kinds all;
    refuses<BindingError>(step, good.with("param", good.g),
                          "adagrad: param is InOut and was given a masked tensor: give it a tensor");
    refuses<BindingError>(step, good.with("param", 1.0),
                          "adagrad: param is InOut and was given a number: give it a tensor");
    refuses<BindingError>(
        step, good.with("grad", std::int64_t{1}),
        "adagrad: grad is Masked and was given a number: give it a masked tensor (or a tensor: all "
        "specified)");
    refuses<BindingError>(step, good.with("lr", good.p),
                          "adagrad: lr is Scalar and was given a tensor: give it a number");
    refuses<BindingError>(step, good.with("lr", good.g),
                          "adagrad: lr is Scalar and was given a masked tensor: give it a number");
    refuses<BindingError>(
        step, good.with("lr", Argument::state(all.mu)),
        "adagrad: lr is Scalar and was given a number that can be updated: give it a number");
    refuses<BindingError>(kinds(), all.with("weight", good.g),
                          "kinds: weight is In and was given a masked tensor: give it a tensor");
    refuses<BindingError>(
        kinds(), all.with("product", 1.0),
        "kinds: product is ScalarState and was given a number: give it a number that the step can "
        "update: Argument::state(number)");
}

TEST_CASE("elements of another dtype are refused, and no number is rounded to an integer", "[codegen]") {
    const Adagrad good;
    const Made& step = Adagrad::step();
    const Kinds all;
    const Tensor<double> wide({2, 4});
    const AnyMasked wide_masked = random_masked<double>({2, 4}, specified(0.5), Layout::coo);
    const Tensor<std::int32_t> whole({4});
    const std::string advice = ": convert it, or declare the symbol with that type";
    refuses<DTypeError>(step, good.with("param", wide),
                        "adagrad: param has dtype float64, the step wants float32" + advice);
    refuses<DTypeError>(step, good.with("grad", wide_masked),
                        "adagrad: grad has dtype float64, the step wants float32" + advice);
    refuses<DTypeError>(step, good.with("grad", wide),
                        "adagrad: grad has dtype float64, the step wants float32" + advice);
    refuses<DTypeError>(kinds(), all.with("weight", whole),
                        "kinds: weight has dtype int32, the step wants float32" + advice);
    refuses<DTypeError>(kinds(), all.with("flag", all.w),
                        "kinds: flag has dtype float32, the step wants bool" + advice);
    refuses<DTypeError>(kinds(), all.with("t", 3.0),
                        "kinds: t is an integer scalar and was given a float: give it an integer");
}

TEST_CASE("shapes that do not broadcast to the target's are refused", "[codegen]") {
    const Adagrad good;
    const Made& step = Adagrad::step();
    const Kinds all;
    const std::string advice = ": the shape of an update broadcasts to its target's";
    for (const Layout layout : all_layouts()) {
        if (!can_hold(layout, {2, 5})) continue;
        const AnyMasked wide = random_masked({2, 5}, specified(0.5), layout);
        refuses<ShapeError>(step, good.with("grad", wide),
                            "adagrad: grad has shape [2, 5], state_sum has [2, 4]" + advice);
    }
    const AnyMasked longer = random_masked({3, 2, 4}, specified(0.5), Layout::coo);
    const AnyMasked empty = random_masked({0, 4}, specified(0.5), Layout::coo);
    refuses<ShapeError>(step, good.with("grad", longer),
                        "adagrad: grad has shape [3, 2, 4], state_sum has [2, 4]" + advice);
    refuses<ShapeError>(step, good.with("grad", empty),
                        "adagrad: grad has shape [0, 4], state_sum has [2, 4]" + advice);
    const Tensor<float> three({3}), column({2});
    refuses<ShapeError>(kinds(), all.with("weight", three),
                        "kinds: weight has shape [3], param has [2, 4]" + advice);
    refuses<ShapeError>(kinds(), all.with("weight", column),
                        "kinds: weight has shape [2], param has [2, 4]" + advice);
}

TEST_CASE("a target that is smaller than what it takes is refused, and so are targets of two shapes",
          "[codegen]") {
    const Adagrad good;
    const Made& step = Adagrad::step();
    const Tensor<float> small = random_tensor({4}), one = random_tensor({});
    refuses<ShapeError>(
        step, good.with("param", small),
        "adagrad: param has shape [4], state_sum has [2, 4]: the targets of one step have one shape, "
        "put the other updates into a step of their own");
    refuses<ShapeError>(
        step, good.with("state_sum", one),
        "adagrad: grad has shape [2, 4], state_sum has []: the shape of an update broadcasts to its "
        "target's");
    static const Made two(describe(frisket::step<"two">(param += weight, other += weight)));
    const Tensor<float> a = random_tensor({2, 4}, 1), b = random_tensor({4, 2}, 2), w = random_tensor({1});
    refuses<ShapeError>(
        two, {{"param", a}, {"other", b}, {"weight", w}},
        "two: other has shape [4, 2], param has [2, 4]: the targets of one step have one shape, put "
        "the other updates into a step of their own");
}

TEST_CASE("tensors of more than eight dimensions are refused", "[codegen]") {
    const Adagrad good;
    const Shape nine(9, 1);
    const Tensor<float> deep(nine);
    const std::string advice = " has 9 dimensions, a kernel takes at most 8: reshape the tensors of the call";
    refuses<ShapeError>(Adagrad::step(), good.with("param", deep), "adagrad: param" + advice);
    const AnyMasked deep_masked = random_masked(nine, specified(1), Layout::coo);
    refuses<ShapeError>(Adagrad::step(), good.with("grad", deep_masked), "adagrad: grad" + advice);
    refuses<ShapeError>(Adagrad::step(), good.with("grad", deep), "adagrad: grad" + advice);
}

TEST_CASE("masks that meet in what nobody uses have shapes that fit as well", "[codegen]") {
    constexpr Masked<"mask"> mask;
    constexpr Let<"unused"> unused;
    static const Made step(describe(frisket::step<"unused">(unused = grad * mask, param += grad)));
    const Adagrad good;
    const AnyMasked seven = random_masked({7}, specified(0.5), Layout::strided);
    refuses<ShapeError>(
        step, {{"param", good.p}, {"grad", good.g}, {"mask", seven}},
        "unused: mask has shape [7], param has [2, 4]: masks that meet broadcast to the target");
}

TEST_CASE("typed kernels refuse bad values with the same sentences", "[codegen]") {
    constexpr Scalar<"lr"> lr;
    const auto kernel = jit(step<"typed">(param -= lr * grad));
    const Tensor<float> p = random_tensor({2, 4}), before = p.clone();
    const MaskedTensor<float> wide = random_masked({2, 5}, specified(0.5), Layout::coo);
    CHECK_THROWS_MATCHES(
        kernel(param = p, grad = wide, lr = 0.5), ShapeError,
        Says("typed: grad has shape [2, 5], param has [2, 4]: the shape of an update broadcasts to "
             "its target's"));
    CHECK_THROWS_MATCHES(kernel(lr = 0.5, grad = p, param = p), ValueError,
                         Says("typed: param shares memory with grad: what a step writes may overlap no other "
                              "argument, give it a clone()"));
    CHECK(same(p, before));
    using Typed = std::remove_const_t<decltype(step<"typed">(param -= lr * grad))>;
    CHECK_THROWS_MATCHES(Kernel<Typed>(Adagrad::step().kernel), BindingError,
                         Says("typed: adagrad is a kernel of another step: make the kernel from this step"));
}

}  // namespace bad_calls_arguments_test

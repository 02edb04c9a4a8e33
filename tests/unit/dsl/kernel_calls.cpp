// SPDX-License-Identifier: MIT
#include <frisket/dsl.hpp>

#include "../../../runtime/kernel/kernel_module.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include <memory>
#include <type_traits>
#include <vector>

namespace kernel_calls_test {

using namespace frisket;

namespace {

constexpr InOut<"param"> param;
constexpr Masked<"grad"> grad;
constexpr In<"weight"> weight;
constexpr Scalar<"lr"> lr;
constexpr Scalar<"t", std::int64_t> t;
constexpr ScalarState<"product"> product;

constexpr auto all_kinds = step<"all_kinds">(product *= 0.5, param -= lr * product * weight * grad / t);
using AllKinds = std::remove_const_t<decltype(all_kinds)>;

/// No loops: keeps the arguments of the last call, in the order of the signature.
class Recorder final : public kernel_calls::KernelModule {
public:
    explicit Recorder(const Signature& signature)
        : KernelModule({.signature = signature, .abis = kernel_calls::LoopAbis(signature, {})}) {
        facts().evaluate = [this](std::span<const Argument> arguments, double* /*numbers*/) {
            last.assign(arguments.begin(), arguments.end());
        };
        facts().store_states = [](std::span<const Argument> arguments, const double* /*numbers*/) {
            for (const Argument& argument : arguments) {
                if (argument.kind() == Argument::Kind::state) *argument.state_slot() = 7;
            }
        };
    }

    void compile_variants(std::span<const Strategy> wanted) override {
        prepared.assign(wanted.begin(), wanted.end());
    }
    void run(const kernel_calls::Variant& /*variant*/, std::span<const void*> /*argv*/) override {}
    void parallel_for(int tasks, void (*task)(void*, int), void* closure) const override {
        for (int i = 0; i < tasks; ++i) task(closure, i);
    }

    std::vector<Argument> last;
    std::vector<Strategy> prepared;
};

/// The signature of all_kinds with its parameters in an order of its own.
Signature shuffled() {
    Signature signature;
    signature.name = "all_kinds";
    signature.parameters = {
        {"weight", SymbolKind::in, DType::float32},    {"t", SymbolKind::scalar, DType::int64},
        {"param", SymbolKind::in_out, DType::float32}, {"product", SymbolKind::scalar_state, DType::float64},
        {"grad", SymbolKind::masked, DType::float32},  {"lr", SymbolKind::scalar, DType::float64}};
    signature.updates = {{.target = 2, .operands = {0, 2, 4}}};
    signature.domain = 4;
    return signature;
}

struct Arguments {
    Tensor<float> p{Shape{0, 3}}, w{Shape{0, 3}};
    MaskedTensor<float> g = MaskedTensor<float>::coo({0, 3}, {{}, {}}, std::vector<float>{});
    double mu = 1;

    void check(const std::vector<Argument>& found) const {
        REQUIRE(found.size() == 6);
        CHECK(&found[0].tensor() == &w);
        CHECK(found[1].kind() == Argument::Kind::integer);
        CHECK(found[1].number() == 3);
        CHECK(&found[2].tensor() == &p);
        CHECK(found[3].state_slot() == &mu);
        CHECK(&found[4].masked() == &g);
        CHECK(found[5].number() == 0.25);
    }
};

}  // namespace

TEST_CASE("arguments reach the loops in the signature's order, whatever the order of the call", "[dsl]") {
    const auto loops = std::make_shared<Recorder>(shuffled());
    const Kernel<AllKinds> kernel{CompiledKernel(loops)};
    Arguments a;
    kernel(param = a.p, grad = a.g, weight = a.w, lr = 0.25F, t = 3, product = a.mu);
    a.check(loops->last);
    kernel(product = a.mu, t = std::int64_t{3}, lr = 0.25, weight = a.w, grad = a.g, param = a.p);
    a.check(loops->last);
    CHECK(a.mu == 7);
}

TEST_CASE("a dense tensor bound to a Masked symbol goes as it is, a read-only one to In and Masked",
          "[dsl]") {
    const auto loops = std::make_shared<Recorder>(shuffled());
    const Kernel<AllKinds> kernel{CompiledKernel(loops)};
    Arguments a;
    const Tensor<float> dense(Shape{0, 3});
    const Tensor<const float> read_only = dense;
    kernel(param = a.p, grad = dense, weight = a.w, lr = 1, t = 3, product = a.mu);
    CHECK(&loops->last[4].tensor() == &dense);
    kernel(param = a.p, grad = read_only, weight = read_only, lr = 1, t = 3, product = a.mu);
    CHECK(&loops->last[0].tensor() == &read_only);
    const AnyTensor untyped = a.p;
    kernel(param = untyped, grad = AnyMasked(a.g), weight = a.w, lr = 1, t = 3, product = a.mu);
    CHECK(&loops->last[2].tensor() == &untyped);
}

TEST_CASE("an untyped tensor of another dtype is refused by the call", "[dsl]") {
    const Kernel<AllKinds> kernel{CompiledKernel(std::make_shared<Recorder>(shuffled()))};
    Arguments a;
    const AnyTensor doubles(DType::float64, Shape{0, 3});
    CHECK_THROWS_AS(kernel(param = doubles, grad = a.g, weight = a.w, lr = 1, t = 3, product = a.mu),
                    DTypeError);
}

TEST_CASE("warm_up prepares the loops of the layouts it is given", "[dsl]") {
    const auto loops = std::make_shared<Recorder>(shuffled());
    const Kernel<AllKinds> kernel{CompiledKernel(loops)};
    kernel.warm_up({Layout::coo});
    CHECK(loops->prepared == std::vector{Strategy::gather});
    CHECK(kernel.untyped().signature() == shuffled());
}

TEST_CASE("a kernel of another step is refused", "[dsl]") {
    const auto kernel_of = [](const Signature& signature) {
        return Kernel<AllKinds>{CompiledKernel(std::make_shared<Recorder>(signature))};
    };
    Signature wrong = shuffled();
    wrong.parameters[0].name = "width";
    CHECK_THROWS_MATCHES(
        kernel_of(wrong), BindingError,
        Catch::Matchers::Message("frisket: all_kinds: weight is no parameter of the kernel: make "
                                 "the kernel from this step"));
    wrong = shuffled();
    wrong.parameters[4].dtype = DType::float64;
    CHECK_THROWS_AS(kernel_of(wrong), BindingError);
    wrong = shuffled();
    wrong.parameters.push_back({"more", SymbolKind::in, DType::float32});
    CHECK_THROWS_AS(kernel_of(wrong), BindingError);
}

}  // namespace kernel_calls_test

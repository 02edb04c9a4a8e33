// SPDX-License-Identifier: MIT
/// Calls of kernels whose allocations fail one by one.
#include "bytes.hpp"

#include "../../ir/interpreter/interpret.hpp"

#include <frisket/frisket.hpp>

#include <array>
#include <optional>

namespace calls_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr InOut<"param"> param;
constexpr InOut<"state_sum"> state_sum;
constexpr Masked<"grad"> grad;
constexpr Masked<"other"> other;
constexpr Scalar<"lr"> lr;
constexpr ScalarState<"calls"> calls;

constexpr auto adagrad = step<"adagrad">(state_sum += grad * grad, calls = calls + 1.0,
                                         param -= lr * grad / (sqrt(state_sum) + 0.5));
constexpr auto two_masks = step<"two_masks">(param -= lr * grad, state_sum += other * other);
constexpr auto rowwise = step<"rowwise">(state_sum += mean(grad * grad, {1}, keepdim),
                                         param -= lr * grad / (sqrt(state_sum) + 0.5));
constexpr auto clipped =
    step<"clipped">(state_sum += grad, param -= lr * grad / (to_dense(norm(grad), 0) + 1));

/// Targets of a step with two of them.
struct Targets {
    Tensor<float> p, s;
    double number = 3;
    explicit Targets(const Shape& shape) : Targets(shape, shape) {}
    Targets(const Shape& shape, const Shape& state) : p(random_tensor(shape, 1)), s(random_tensor(state, 2)) {
        for (std::int64_t i = 0; i < s.size(); ++i) s.data()[i] = std::abs(s.data()[i]);
    }
    std::string bytes() const { return bytes_in({p, s}) + std::to_string(number); }
};

/// A step of new targets with a new gradient: a list that was sorted for a former call is not sorted again.
template <class Run>
std::function<Operation()> on_targets(Shape shape, Shape state, Layout layout, double density, Run run) {
    return [=] {
        const Listed listed =
            layout == Layout::coo || layout == Layout::rows ? Listed::with_duplicates : Listed::ascending;
        auto targets = std::make_shared<Targets>(shape, state);
        const auto g = random_masked<float>(shape, specified(density), layout, 5, listed);
        return Operation{.run = [=] { run(*targets, g); }, .bytes = [=] { return targets->bytes(); }};
    };
}

std::string text(Layout layout, const Shape& shape) {
    return std::string(name_of(layout)) + " of " + to_string(shape);
}

}  // namespace

TEST_CASE("a call whose memory runs out writes nothing and the next is right, in every layout",
          "[allocations]") {
    const auto kernel = jit(adagrad);
    for (const Layout layout : all_layouts())
        for (const Shape& shape : {Shape{4, 8}, Shape{300, 200}})
            check_every_allocation(
                text(layout, shape),
                on_targets(shape, shape, layout, 0.2, [kernel](Targets& to, const MaskedTensor<float>& g) {
                    kernel(param = to.p, state_sum = to.s, calls = to.number, grad = g, lr = 0.1);
                }));
}

TEST_CASE("a call whose memory runs out writes nothing, in every strategy", "[allocations][deep]") {
    const Shape shape{301, 203};  // several parts, and a last word that is cut
    for (const Strategy strategy : {Strategy::blend, Strategy::skip, Strategy::predicate, Strategy::bytes,
                                    Strategy::gather, Strategy::lines, Strategy::segments}) {
        const auto kernel = jit(adagrad, Schedule{.strategy = strategy});
        for (const Layout layout : {Layout::strided, Layout::bitmask}) {
            if (strategy == Strategy::bytes && layout == Layout::bitmask) continue;
            for (const bool is_prepared : {false, true})
                check_every_allocation(
                    std::string(name_of(strategy)) + ", " + text(layout, shape),
                    on_targets(shape, shape, layout, 0.05, [=](Targets& to, const MaskedTensor<float>& g) {
                        const auto given = is_prepared && strategy != Strategy::bytes ? kernel.prepare(g) : g;
                        kernel(param = to.p, state_sum = to.s, calls = to.number, grad = given, lr = 0.1);
                    }));
        }
    }
}

TEST_CASE("a call of tensors with gaps whose memory runs out writes nothing", "[allocations]") {
    const auto kernel = jit(adagrad);
    for (const Layout layout : all_layouts())
        for (const bool is_turned : {false, true})
            check_every_allocation(
                text(layout, {40, 24}) + (is_turned ? ", turned" : ", cut out"),
                on_targets({is_turned ? 24 : 80, is_turned ? 40 : 24}, {40, 24}, layout, 0.2,
                           [=](Targets& to, const MaskedTensor<float>&) {
                               const auto p = is_turned ? to.p.transpose(0, 1) : to.p.slice(0, 0, 80, 2);
                               const auto g = random_masked<float>({40, 24}, specified(0.3), layout, 5);
                               kernel(param = p, state_sum = to.s, calls = to.number, grad = g, lr = 0.1);
                           }));
}

TEST_CASE("a step of several masks whose memory runs out writes nothing", "[allocations][deep]") {
    const auto kernel = jit(two_masks);
    for (const Layout layout : {Layout::strided, Layout::coo, Layout::rows, Layout::csr})
        for (const Shape& shape : {Shape{4, 8}, Shape{300, 200}})
            check_every_allocation(
                text(layout, shape),
                on_targets(shape, shape, layout, 0.2, [=](Targets& to, const MaskedTensor<float>& g) {
                    const auto h = random_masked<float>(to.p.shape(), specified(0.3), Layout::strided, 7);
                    kernel(param = to.p, state_sum = to.s, grad = g, other = h, lr = 0.1);
                }));
}

TEST_CASE("a step with reductions whose memory runs out writes nothing", "[allocations]") {
    const auto by_row = jit(rowwise);
    const auto whole = jit(clipped);
    for (const Layout layout : {Layout::dense, Layout::strided, Layout::coo, Layout::rows, Layout::csr})
        for (const Shape& shape : {Shape{6, 8}, Shape{1100, 64}}) {
            if (shape[0] > 6 && layout != Layout::rows) continue;
            check_every_allocation(
                "rowwise, " + text(layout, shape),
                on_targets(shape, {shape[0], 1}, layout, 0.9, [=](Targets& to, const MaskedTensor<float>& g) {
                    by_row(param = to.p, state_sum = to.s, grad = g, lr = 0.1);
                }));
            check_every_allocation(
                "clipped, " + text(layout, shape),
                on_targets(shape, shape, layout, 0.9, [=](Targets& to, const MaskedTensor<float>& g) {
                    whole(param = to.p, state_sum = to.s, grad = g, lr = 0.1);
                }));
        }
}

TEST_CASE("an interpreted step whose memory runs out writes nothing", "[allocations]") {
    const Graph graph = describe(adagrad);
    for (const Layout layout : {Layout::strided, Layout::coo})
        check_every_allocation(
            text(layout, {2, 4}),
            on_targets({2, 4}, {2, 4}, layout, 0.5, [=](Targets& to, const MaskedTensor<float>& g) {
                interpret(graph, {{"param", to.p},
                                  {"state_sum", to.s},
                                  {"calls", Argument::state(to.number)},
                                  {"grad", g},
                                  {"lr", 0.1}});
            }));
}

TEST_CASE("calls made together whose memory runs out write nothing, none of them", "[allocations][deep]") {
    const auto kernel = jit(adagrad).untyped();
    const Signature& signature = kernel.signature();
    for (const Layout layout : all_layouts())
        check_every_allocation(text(layout, {4, 8}) + " and others", [&] {
            struct Several {
                std::vector<Targets> targets;
                std::vector<AnyMasked> gradients;
            };
            auto several = std::make_shared<Several>();
            for (const Shape& shape : {Shape{4, 8}, Shape{300, 200}, Shape{2, 4}}) {
                several->targets.emplace_back(shape);
                several->gradients.push_back(random_masked<float>(shape, specified(0.3), layout, 5));
            }
            return Operation{.run =
                                 [=] {
                                     std::vector<std::vector<Argument>> together;
                                     for (std::size_t i = 0; i < several->targets.size(); ++i) {
                                         auto& arguments = together.emplace_back(signature.parameters.size());
                                         const auto place = [&](const char* name) -> Argument& {
                                             return arguments[static_cast<std::size_t>(signature.find(name))];
                                         };
                                         place("param") = several->targets[i].p;
                                         place("state_sum") = several->targets[i].s;
                                         place("calls") = Argument::state(several->targets[i].number);
                                         place("grad") = several->gradients[i];
                                         place("lr") = 0.1;
                                     }
                                     kernel.call_each(together);
                                 },
                             .bytes =
                                 [=] {
                                     std::string bytes;
                                     for (const Targets& targets : several->targets) bytes += targets.bytes();
                                     return bytes;
                                 }};
        });
}

TEST_CASE("an expression whose memory runs out gives nothing and the next is right", "[allocations]") {
    for (const Jit way : {Jit::always, Jit::never})
        for (const Layout layout : {Layout::dense, Layout::strided, Layout::coo, Layout::csr, Layout::rows}) {
            const auto m = random_masked<float>({6, 8}, specified(0.4), layout, 3);
            const Tensor<float> d = random_tensor({8}, 4), e = random_tensor({8, 5}, 6);
            const std::string where =
                text(layout, {6, 8}) + (way == Jit::always ? ", compiled" : ", interpreted");
            const EvalOptions options{.jit = way};
            check_every_allocation(where + ", elements", [=] {
                return giving([=] { return bytes_in(eval(m * m + d, options)); });
            });
            check_every_allocation(where + ", sums", [=] {
                return giving([=] { return bytes_in(eval(sum(m * d, {1}), options)); });
            });
            check_every_allocation(where + ", product", [=] {
                return giving([=] { return bytes_in(eval(matmul(m, e), options)); });
            });
        }
}

}  // namespace calls_test

// SPDX-License-Identifier: MIT
#pragma once
#include "../../../ir/interpreter/interpret.hpp"
#include "../../support/matchers.hpp"

#include <frisket/frisket.hpp>

#include <typeinfo>

/// Calls that must be refused with one sentence, by the loops and by the interpreter, and leave every
/// byte as it was.
namespace frisket::testing {

struct Made {
    Graph graph;
    CompiledKernel kernel;
    explicit Made(Graph made) : graph(std::move(made)), kernel(jit(graph)) {}
};

/// Adagrad over param, state_sum and grad, and good arguments for it.
struct Adagrad {
    static const Made& step() {
        static constexpr InOut<"param"> param{};
        static constexpr InOut<"state_sum"> state_sum{};
        static constexpr Masked<"grad"> grad{};
        static constexpr Scalar<"lr"> lr{};
        static constexpr Scalar<"eps"> eps{};
        static const Made made(describe(frisket::step<"adagrad">(
            state_sum += grad * grad, param -= lr * grad / (sqrt(state_sum) + eps))));
        return made;
    }

    Tensor<float> p = random_tensor({2, 4}, 1), s = random_tensor({2, 4}, 2);
    AnyMasked g = random_masked({2, 4}, specified(0.5), Layout::strided, 3);
    std::vector<NamedArgument> arguments{
        {"param", p}, {"state_sum", s}, {"grad", g}, {"lr", 0.1}, {"eps", 1e-10}};

    /// The arguments with another for one name.
    std::vector<NamedArgument> with(std::string_view name, const Argument& other) const {
        auto changed = arguments;
        for (NamedArgument& argument : changed)
            if (argument.name == name) argument.value = other;
        return changed;
    }
    std::vector<NamedArgument> without(std::string_view name) const {
        auto changed = arguments;
        std::erase_if(changed, [&](const NamedArgument& argument) { return argument.name == name; });
        return changed;
    }
    std::vector<NamedArgument> and_also(std::string_view name, const Argument& other) const {
        auto changed = arguments;
        changed.push_back({name, other});
        return changed;
    }
};

/// Copies of everything that arguments refer to.
class Snapshot {
public:
    explicit Snapshot(const std::vector<NamedArgument>& arguments) {
        for (const auto& [name, value] : arguments) {
            if (value.kind() == Argument::Kind::tensor) add(value.tensor());
            if (value.kind() == Argument::Kind::masked) {
                add(value.masked().values());
                add(value.masked().mask());
            }
            if (value.kind() == Argument::Kind::state)
                states_.emplace_back(value.state_slot(), *value.state_slot());
        }
    }
    bool is_unchanged() const {
        for (const auto& [tensor, before] : tensors_)
            if (!same(tensor, before)) return false;
        for (const auto& [slot, before] : states_)
            if (*slot != before) return false;
        return true;
    }

private:
    void add(const AnyTensor& tensor) { tensors_.emplace_back(tensor, tensor.clone()); }

    std::vector<std::pair<AnyTensor, AnyTensor>> tensors_;
    std::vector<std::pair<double*, double>> states_;
};

/// Requires that a call throws exactly an E with the sentence, by either way, and changes nothing.
template <class E>
void refuses(const Made& step, const std::vector<NamedArgument>& arguments, const std::string& sentence) {
    const Snapshot before(arguments);
    INFO(sentence);
    CHECK_THROWS_MATCHES(step.kernel(std::span<const NamedArgument>(arguments)), E, Says(sentence));
    CHECK_THROWS_MATCHES(interpret(step.graph, std::span<const NamedArgument>(arguments)), E, Says(sentence));
    try {
        step.kernel(std::span<const NamedArgument>(arguments));
    } catch (const Error& error) { CHECK(typeid(error) == typeid(E)); }
    CHECK(before.is_unchanged());
}

}  // namespace frisket::testing

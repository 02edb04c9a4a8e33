// SPDX-License-Identifier: MIT
#include "observe.hpp"

#include "target.hpp"

#include <memory>

using namespace frisket;

namespace conformance {

namespace {

using Targets = std::vector<std::unique_ptr<Target>>;

Argument argument_of(const Input& value) {
    switch (value.kind) {
        case ValueKind::dense: return value.tensor;
        case ValueKind::masked: return value.masked;
        case ValueKind::scalar: break;
    }
    if (value.dtype == DType::int64) return value.integer;
    return value.number;
}

Targets run_once(const Step& step, std::vector<Input> inputs, const Backend& backend, Poison poison) {
    Targets targets;
    for (std::size_t i = 0; i < step.shapes.size(); ++i) {
        targets.push_back(std::make_unique<Target>(step.dtypes[i], step.shapes[i], poison));
    }
    // The case's own poison is one of the two that unspecified inputs hold.
    for (Input& input : inputs) {
        if (input.kind != ValueKind::masked || poison == Poison::quiet) continue;
        input.masked = testing::poison(input.masked.clone(), poison);
    }
    std::vector<Argument> arguments;
    for (const Symbol& symbol : step.graph.symbols) {
        const bool is_target = symbol.name.starts_with("out");
        const std::size_t index = std::stoul(symbol.name.substr(is_target ? 3 : 1));
        arguments.push_back(is_target ? Argument(targets[index]->tensor()) : argument_of(inputs[index]));
    }
    backend.step(step.graph, arguments);
    return targets;
}

/// Combines two runs over different poisons; refuses a value that depends on the poison.
Result combine(const Target& a, const Target& b, bool is_masked) {
    const Shape& shape = a.tensor().shape();
    const Tensor<bool> written(shape);
    for (std::int64_t i = 0; i < written.size(); ++i) {
        written.data()[i] = a.is_written(i) || b.is_written(i);
        if (!is_masked && !written.data()[i]) throw Fault("left out element " + to_string(unravel(i, shape)));
        if (written.data()[i] && !a.has_same(b, i))
            throw Fault("element " + to_string(unravel(i, shape)) +
                        " depends on bytes that nothing specifies");
    }
    if (!a.zones_are_intact() || !b.zones_are_intact()) throw Fault("wrote outside its target");
    Result result{.values = a.tensor().clone()};
    if (is_masked) result.mask = written;
    return result;
}

}  // namespace

std::vector<Got> observe(const Step& step, const std::vector<Input>& inputs, const Backend& backend) {
    const Targets a = run_once(step, inputs, backend, Poison::quiet);
    const Targets b = run_once(step, inputs, backend, Poison::signalling);
    std::vector<Got> seen;
    for (std::size_t i = 0; i < a.size(); ++i) seen.emplace_back(combine(*a[i], *b[i], step.masked[i]));
    return seen;
}

}  // namespace conformance

// SPDX-License-Identifier: MIT
#include "observe.hpp"

#include "target.hpp"

#include <memory>

using namespace frisket;

namespace conformance {

namespace {

using Targets = std::vector<std::unique_ptr<Target>>;

Argument argument_of(const Value& value) {
    switch (value.kind) {
        case ValueKind::dense: return value.tensor;
        case ValueKind::masked: return value.masked;
        case ValueKind::scalar: break;
    }
    if (value.dtype == DType::int64) return value.integer;
    return value.number;
}

Targets run_once(const Step& step, std::vector<Value> inputs, const Backend& backend, Poison poison) {
    Targets targets;
    for (std::size_t i = 0; i < step.shapes.size(); ++i) {
        targets.push_back(std::make_unique<Target>(step.dtypes[i], step.shapes[i], poison));
    }
    // The case's own poison is one of the two that unspecified inputs hold.
    for (Value& input : inputs) {
        if (input.kind != ValueKind::masked || poison == Poison::quiet) continue;
        input.masked = testing::poison(input.masked.clone(), poison);
    }
    std::vector<Argument> arguments;
    for (const Symbol& symbol : step.graph.symbols) {
        const bool is_target = symbol.name.starts_with("out");
        const std::size_t index = std::stoul(symbol.name.substr(is_target ? 3 : 1));
        arguments.push_back(is_target ? Argument(targets[index]->tensor()) : argument_of(inputs[index]));
    }
    backend(step.graph, arguments);
    return targets;
}

bool agree(double a, double b) { return a == b || (a != a && b != b); }

/// What two runs of different poisons say together.
Observed combine(const Target& a, const Target& b, DType dtype, const Shape& shape) {
    Observed seen;
    seen.dtype = dtype;
    seen.shape = shape;
    const std::int64_t count = element_count(shape);
    for (std::int64_t i = 0; i < count; ++i) {
        const bool written = a.is_written(i) || b.is_written(i);
        const double value = written ? a.number(i) : 0;
        seen.written.push_back(written);
        seen.values.push_back(value);
        if (written && !agree(value, b.number(i))) {
            seen.fault = "element " + std::to_string(i) + " depends on bytes that nothing specifies";
        }
    }
    if (!a.zones_are_intact() || !b.zones_are_intact()) seen.fault = "wrote outside its target";
    return seen;
}

}  // namespace

std::vector<Observed> observe(const Step& step, const std::vector<Value>& inputs, const Backend& backend) {
    const Targets a = run_once(step, inputs, backend, Poison::quiet);
    const Targets b = run_once(step, inputs, backend, Poison::signalling);
    std::vector<Observed> seen;
    for (std::size_t i = 0; i < a.size(); ++i) {
        seen.push_back(combine(*a[i], *b[i], step.dtypes[i], step.shapes[i]));
        seen.back().is_masked = step.masked[i];
    }
    return seen;
}

}  // namespace conformance

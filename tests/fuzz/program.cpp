// SPDX-License-Identifier: MIT
#include "program.hpp"

#include "../support/guarded.hpp"

#include <algorithm>

namespace fuzz {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Memory of its own, between red zones, that a tensor of this shape is a part of.
AnyTensor guarded(DType dtype, const Shape& shape, Strides strides, std::int64_t elements, std::int64_t first,
                  testing::Place place) {
    const auto bytes = static_cast<std::size_t>(elements * bytes_of(dtype));
    const auto buffer = std::make_shared<testing::GuardedBuffer>(bytes, place);
    auto* data = static_cast<std::byte*>(buffer->data()) + first * bytes_of(dtype);
    return {dtype, data, shape, std::move(strides), true, buffer};
}

/// An empty tensor of the same shape that lies so.
AnyTensor lying(const AnyTensor& like, Lies lies) {
    const Shape& shape = like.shape();
    const DType dtype = like.dtype();
    Strides strides = contiguous_strides(shape);
    const std::int64_t size = like.size();
    switch (lies) {
        case Lies::transposed: {
            if (shape.size() < 2) break;
            Shape swapped = shape;
            std::swap(swapped.back(), swapped[shape.size() - 2]);
            strides = contiguous_strides(swapped);
            std::swap(strides.back(), strides[shape.size() - 2]);
            return guarded(dtype, shape, strides, size, 0, {});
        }
        case Lies::sliced:
            for (auto& stride : strides) stride *= 2;
            return guarded(dtype, shape, strides, 2 * size, 0, {});
        case Lies::reversed:
            if (shape.empty() || size == 0) break;
            strides.back() = -1;
            return guarded(dtype, shape, strides, size, shape.back() - 1, {});
        case Lies::repeated:
            if (shape.empty() || size == 0) break;
            strides[0] = 0;
            return guarded(dtype, shape, strides, size, 0, {});
        case Lies::shifted: return guarded(dtype, shape, strides, size, 0, {.misalignment = bytes_of(dtype)});
        case Lies::page_end: return guarded(dtype, shape, strides, size, 0, {.at_page_end = true});
        default: break;
    }
    return guarded(dtype, shape, strides, size, 0, {});
}

AnyTensor laid(const AnyTensor& tensor, Lies lies) {
    const AnyTensor made = lying(tensor, lies);
    copy(tensor, made);
    return made;
}

AnyMasked in_layout(const AnyMasked& masked, Layout layout, const Storing& storing) {
    const auto all = all_layouts();
    const auto first = static_cast<std::size_t>(layout);
    for (std::size_t i = storing.other_layouts ? 1 : 0; i < all.size(); ++i) {
        const Layout wanted = all[(first + i) % all.size()];
        // A dense one has no mask: other loops, which is another test.
        if (wanted == Layout::strided || (wanted == Layout::dense && storing.other_layouts)) continue;
        try {
            return masked.to(wanted);
        } catch (const LayoutError&) {
            if (!storing.other_layouts) break;
        }
    }
    return masked;
}

Bound stored(const Input& input, const Storing& storing) {
    if (!input.mask) return laid(input.values, input.lies);
    AnyTensor values = input.values.clone();
    const AnyTensor mask = laid(*input.mask, input.lies == Lies::repeated ? Lies::rows : input.lies);
    testing::poison(AnyMasked::strided(values, mask), storing.poison);
    values = laid(values, input.lies == Lies::repeated ? Lies::rows : input.lies);
    const AnyMasked strided = AnyMasked::strided(values, mask);
    // Another layout has its elements in rows: for others that would be other loops.
    const bool is_rows = values.rank() == 0 || values.strides().back() == 1;
    if (storing.other_layouts ? !is_rows : input.layout == Layout::strided) return strided;
    return testing::poison(in_layout(strided, input.layout, storing), storing.poison);
}

std::vector<Expr> build_all(const Program& program, build::Session* session,
                            const std::vector<Expr>& inputs) {
    std::vector<Expr> made;
    for (const Instruction& one : program.instructions) made.push_back(build_one(one, session, inputs, made));
    return made;
}

void run_expression(const Program& program, const std::deque<Bound>& tensors, const Engine& engine,
                    Outcome& outcome) {
    build::Session session("fuzz", engine.evaluate);
    std::vector<Expr> inputs, results;
    for (const Bound& bound : tensors) {
        const auto* masked = std::get_if<AnyMasked>(&bound);
        inputs.push_back(masked ? session.masked(*masked) : session.tensor(std::get<AnyTensor>(bound)));
    }
    const std::vector<Expr> made = build_all(program, &session, inputs);
    for (const int result : program.results) results.push_back(value_of(result, inputs, made));
    outcome.results = session.run(results);
}

bool is_target(const Program& program, int input) {
    return std::ranges::find(program.targets, input, &Target::input) != program.targets.end();
}

Graph step_of(const Program& program, const std::deque<Bound>& tensors) {
    GraphBuilder builder("fuzz");
    std::vector<Expr> inputs;
    for (int i = 0; i < static_cast<int>(tensors.size()); ++i) {
        const Input& input = program.inputs[at(i)];
        const bool is_masked = std::holds_alternative<AnyMasked>(tensors[at(i)]);
        const SymbolKind kind = is_masked               ? SymbolKind::masked
                                : is_target(program, i) ? SymbolKind::in_out
                                                        : SymbolKind::in;
        inputs.push_back({&builder, builder.symbol("x" + std::to_string(i), kind, input.values.dtype(),
                                                   input.values.shape())});
    }
    const std::vector<Expr> made = build_all(program, nullptr, inputs);
    for (const Target& target : program.targets)
        builder.update("x" + std::to_string(target.input), value_of(target.value, inputs, made).id,
                       target.is_everywhere ? Scope::everywhere : Scope::inferred);
    return builder.finish();
}

void run_as_step(const Program& program, const std::deque<Bound>& tensors, const Engine& engine,
                 Outcome& outcome) {
    std::vector<Argument> arguments;
    std::vector<AnyTensor> targets;
    for (const Bound& bound : tensors) {
        if (const auto* masked = std::get_if<AnyMasked>(&bound))
            arguments.emplace_back(*masked);
        else
            arguments.emplace_back(std::get<AnyTensor>(bound));
    }
    for (int i = 0; i < static_cast<int>(tensors.size()); ++i)
        if (is_target(program, i)) {
            targets.push_back(std::get<AnyTensor>(tensors[at(i)]));
            outcome.before.push_back(targets.back().clone());
        }
    engine.run(step_of(program, tensors), arguments);
    for (const AnyTensor& target : targets) {
        outcome.results.push_back({target});
        const auto* buffer = static_cast<const testing::GuardedBuffer*>(target.owner().get());
        if (!buffer->is_intact()) throw Bug("the red zone of a target was written");
    }
}

}  // namespace

Expr value_of(int operand, const std::vector<Expr>& inputs, const std::vector<Expr>& made) {
    return operand < 0 ? inputs.at(at(-1 - operand)) : made.at(at(operand));
}

Expr build_one(const Instruction& instruction, build::Session* session, const std::vector<Expr>& inputs,
               const std::vector<Expr>& made) {
    std::vector<Expr> operands;
    for (const int operand : instruction.operands) operands.push_back(value_of(operand, inputs, made));
    return forms()[at(instruction.form)].apply(session, operands, instruction);
}

std::deque<Bound> store(const Program& program, const Storing& storing) {
    std::deque<Bound> tensors;
    for (int i = 0; i < static_cast<int>(program.inputs.size()); ++i) {
        const Input& input = program.inputs[at(i)];
        // Targets always lie between red zones, and no two of their elements are one.
        const bool moves =
            is_target(program, i) && (input.lies == Lies::rows || input.lies == Lies::repeated);
        if (!moves) {
            tensors.push_back(stored(input, storing));
            continue;
        }
        Input guarded = input;
        guarded.lies = storing.other_layouts ? Lies::page_end : Lies::shifted;
        tensors.push_back(stored(guarded, storing));
    }
    return tensors;
}

Outcome run(const Program& program, const Storing& storing, const Engine& engine) {
    Outcome outcome;
    try {
        const std::deque<Bound> tensors = store(program, storing);
        if (program.is_step())
            run_as_step(program, tensors, engine, outcome);
        else
            run_expression(program, tensors, engine, outcome);
    } catch (const Error& error) {
        outcome.error = error.code();
        outcome.text = error.what();
        outcome.results.clear();
    }
    return outcome;
}

}  // namespace fuzz

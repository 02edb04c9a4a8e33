// SPDX-License-Identifier: MIT
// Internal: what Optimizer keeps.
#pragma once
#include "../dsl/graph.hpp"
#include "../runtime/compiled_kernel.hpp"
#include "optimizer.hpp"

#include <deque>
#include <limits>
#include <optional>

namespace frisket::optim {

/// A piece of state of one parameter.
struct Kept {
    std::string name;
    AnyTensor tensor;  // of rank 0 and float64 for a number
    bool is_number = false;
};

/// A step of a rule, ready to run.
struct Program {
    std::string variant;  // of the rule
    bool is_scaled = false;
    Graph graph;
    Signature signature;
    std::optional<CompiledKernel> kernel;  // of a step without shapes

    /// On each list of arguments.
    void run(std::span<const std::vector<Argument>> calls, const Optimizer::Settings& settings) const;
};

/// Where an argument of a step comes from.
struct Source {
    enum class Kind : std::uint8_t { param, grad, t, factor, limit, number, state } kind;
    std::size_t index = 0;  // of the numbers, or of the state
};

/// What a step does to gradients, as the numbers of scaled_gradient.
struct Scaling {
    double factor = 1;
    double limit = std::numeric_limits<double>::infinity();
    bool is_needed() const { return factor != 1 || limit != std::numeric_limits<double>::infinity(); }
};

struct Optimizer::Slot {
    std::string name;
    AnyTensor param;
    std::int64_t steps = 0;
    std::vector<Kept> state;
    std::shared_ptr<const Program> program;
    std::vector<Source> sources;  // of the program's parameters

    Kept* find(std::string_view wanted) {
        const auto found = std::ranges::find(state, wanted, &Kept::name);
        return found == state.end() ? nullptr : &*found;
    }
};

struct Optimizer::Group {
    AnyRule rule;
    std::vector<Slot> slots;
    std::vector<std::shared_ptr<const Program>> programs;
};

struct Optimizer::Implementation {
    Settings settings;
    std::deque<Group> groups;

    Slot* find(std::string_view name) {
        for (Group& group : groups)
            for (Slot& slot : group.slots)
                if (slot.name == name) return &slot;
        return nullptr;
    }
    std::size_t parameter_count() const {
        std::size_t count = 0;
        for (const Group& group : groups) count += group.slots.size();
        return count;
    }

    void add(AnyRule rule, std::vector<NamedParameter> parameters);
    std::shared_ptr<const Program> make(const Group& group, const Slot& slot, bool is_scaled) const;
    void prepare(Group& group, Slot& slot, bool is_scaled);
    Source source_of(const Group& group, Slot& slot, const Parameter& parameter,
                     std::span<const Number> numbers);
    void check_gradient(const Group& group, const Slot& slot, const Argument& gradient) const;
    std::vector<Argument> arguments(const Group& group, Slot& slot, const Argument& gradient,
                                    const Scaling& scaling) const;
    std::vector<std::string> names() const;
};

}  // namespace frisket::optim

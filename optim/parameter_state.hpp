// SPDX-License-Identifier: MIT
// Internal: the state of an Optimizer.
#pragma once
#include "../ir/planner/shaped_graph.hpp"
#include "../runtime/io/tensor_files.hpp"
#include "../runtime/kernel/compiled_kernel.hpp"
#include "../runtime/kernel/ready.hpp"
#include "optimizer.hpp"
#include "parameter_memory.hpp"
#include "step_graphs.hpp"
#include "touched.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <list>
#include <map>
#include <optional>

namespace frisket::optim {

/// The place of the parameter of a name.  Errors: BindingError of a gradient's name that no parameter has.
std::size_t place_of_gradient(std::span<const std::string> names, const std::string& name);
/// Errors: BindingError.
[[noreturn]] void refuse_second_gradient(const std::string& name);

/// The state of Untouched::caught_up: the last step that each row has seen.
inline constexpr std::string_view last_step = "last_step";

/// A piece of state of one parameter.
struct StateTensor {
    std::string name;
    AnyTensor tensor;  // a number has rank 0 and float64
    bool is_number = false;
};

/// A step of a rule, ready to run.
struct CompiledRule {
    std::string variant;  // variant of the rule
    bool is_scaled = false;
    std::shared_ptr<const planning::PreparedGraph> step;
    std::optional<CompiledKernel> kernel;  // kernel of a step without shapes

    /// Makes calls ready with each list of arguments, which are referred to; to be run in order.
    std::vector<kernel_calls::Ready> ready(std::span<const std::vector<Argument>> calls,
                                           const Optimizer::Settings& settings) const;
};

/// Source of an argument of a step.
struct Source {
    enum class Kind : std::uint8_t {
        param,
        grad,
        t,
        factor,
        limit,
        number,
        state,
        missed,
        seed,
        first,      // tiles of a larger parameter before this one
        step,       // t as an integer
        last_step,  // the one before
    } kind;
    std::size_t index = 0;  // index among the numbers, or among the state
};

/// Changes of gradients before the rule, as the numbers of scaled_gradient.
struct Scaling {
    double factor = 1;
    double limit = std::numeric_limits<double>::infinity();
    bool is_needed() const { return factor != 1 || limit != std::numeric_limits<double>::infinity(); }
};

/// The closed form of steps that rows missed, and the options that these steps had.
struct LazyUpdate {
    AnyTensor counts = {};     // float64, one for each row: what a call binds to `missed`
    std::string variant = {};  // variant of the rule and its closed form
    std::vector<Number> numbers = {};
    std::shared_ptr<const CompiledRule> program = {};  // null: missed steps change nothing
    std::vector<Source> sources = {};
};

struct Optimizer::ParameterState {
    std::string name;
    AnyTensor param;
    std::int64_t steps = 0;
    std::int64_t first_tile = 0;  // for random bits, of a part of a parameter
    std::vector<StateTensor> state;
    std::shared_ptr<const CompiledRule> program;
    std::vector<Source> sources;  // sources of the program's parameters
    LazyUpdate missed;            // state of Untouched::caught_up

    /// True if a row has missed steps.
    bool is_behind();
    StateTensor* find(std::string_view wanted) {
        const auto found = std::ranges::find(state, wanted, &StateTensor::name);
        return found == state.end() ? nullptr : &*found;
    }
};

/// Parameters with one program, which are one call of it.
struct Optimizer::Batch {
    const CompiledRule* program;  // program of all slots
    std::vector<std::vector<Argument>> calls = {};
    std::vector<ParameterState*> slots = {};
    std::vector<const TouchedRows*> rows = {};  // rows touched by each call, for Untouched::caught_up
    std::vector<kernel_calls::Ready> ready = {};
};

/// Call that lets the rows of a parameter see the steps that they missed, with all the memory that it takes.
struct Optimizer::CatchUp {
    ParameterState* slot;
    LazyUpdate next;                       // options that coming steps depend on
    AnyTensor zeros = {};                  // the gradient
    std::vector<Argument> arguments = {};  // arguments of the closed form
    std::vector<kernel_calls::Ready> ready = {};
};

/// Slots as they were before what they keep is changed: they become so again unless it is kept.
class Optimizer::Undo {
public:
    Undo() = default;
    Undo(const Undo&) = delete;
    Undo& operator=(const Undo&) = delete;
    ~Undo();
    void note(ParameterState& slot);
    /// The bytes of its tensors as well.
    void note_bytes(ParameterState& slot);
    void keep() noexcept { is_kept_ = true; }

private:
    struct Bytes { AnyTensor tensor, before; };
    bool is_kept_ = false;
    std::vector<std::pair<ParameterState*, ParameterState>> slots_;
    std::vector<Bytes> bytes_;
};

struct Optimizer::Group {
    AnyRule rule;
    std::vector<ParameterState> slots;
    std::vector<std::shared_ptr<const CompiledRule>> programs;
};

/// Options and state that take the place of all that an optimizer keeps.
struct Optimizer::Replacement {
    std::unique_ptr<Implementation> all;
    std::vector<std::pair<AnyTensor, AnyTensor>> shared;  // the elements to write, and those to read
};

struct Optimizer::Implementation {
    explicit Implementation(const Settings& given) : settings(given) {}

    Settings settings;
    std::deque<Group> groups;
    ParameterMemory memory;  // memory of all groups

    ParameterState* find(std::string_view name) {
        for (Group& group : groups)
            for (ParameterState& slot : group.slots)
                if (slot.name == name) return &slot;
        return nullptr;
    }
    std::size_t parameter_count() const {
        std::size_t count = 0;
        for (const Group& group : groups) count += group.slots.size();
        return count;
    }

    /// A group of parameters; `programs`, if any, are those of a group that it replaces.
    void add(AnyRule rule, std::vector<NamedParameter> parameters,
             std::vector<std::shared_ptr<const CompiledRule>> programs = {});
    void set_parameter(std::string_view name, AnyTensor tensor);
    void set_step(std::string_view name, std::int64_t step);
    /// Errors: ValueError if it is absent.
    ParameterState& parameter(std::string_view name);
    std::vector<StateEntry> state() const;
    /// Errors: ValueError, as Optimizer::set_state; some of the state is changed then.
    void take_state(std::span<const StateEntry> entries);
    /// Keeps state that steps with the present options do not read: it counts when they are changed back.
    void keep_unread(const Group& group, ParameterState& slot, std::string_view name,
                     const AnyTensor& value) const;
    /// All that other options of the rules and another state make anew.  Errors: as take_state.
    Replacement replacement(std::span<const AnyRule> rules, std::span<const StateEntry> entries) const;
    /// The replacement by what was saved.  Errors: as Optimizer::load.
    Replacement saved(const Safetensors& file) const;
    /// Takes it over; cannot fail.
    void take(Replacement made);
    /// Options as the metadata of a file.  Errors: as Optimizer::save.
    std::map<std::string, std::string> saved_options();
    void check_parameter(std::string_view rule, const std::string& name, const AnyTensor& tensor) const;
    /// The options of every rule are in their ranges: users change them in place.
    void check_options() const;
    void check_rounding(std::string_view rule, std::span<const NamedParameter> parameters) const;
    /// True if a parameter is rounded stochastically.
    bool is_random(const ParameterState& slot) const {
        return settings.stochastic_rounding && has_16_bits(slot.param.dtype());
    }
    std::shared_ptr<const CompiledRule> make(const Group& group, const ParameterState& slot,
                                             bool is_scaled) const;
    void prepare(Group& group, ParameterState& slot, bool is_scaled, Undo& undo);
    Source source_of(const Group& group, ParameterState& slot, const Parameter& parameter,
                     std::span<const Number> numbers) const;
    /// Options and derived numbers, in the order that sources count in.
    std::vector<Number> numbers(const Group& group, const ParameterState& slot) const;
    void check_gradient(const Group& group, const ParameterState& slot, const Argument& gradient) const;
    void check_gradients(std::span<const Argument> gradients) const;
    /// Arguments that refer to the slot's tensors, and to the gradient's.
    std::vector<Argument> arguments(std::span<const Source> sources, std::span<const Number> numbers,
                                    ParameterState& slot, const Argument& gradient,
                                    const Scaling& scaling) const;
    std::vector<std::string> names() const;
    std::vector<NamedParameter> parameters() const;
    /// Adds the call of a parameter to the batch of its program; returns the batch.
    Batch& add_call(std::vector<Batch>& batches, Group& group, ParameterState& slot, const Argument& gradient,
                    Scaling scaling, Undo& undo);
    /// Makes everything ready that runs the batches; returns whether some of it has read tensors.
    bool make_ready(std::vector<Batch>& batches) const;
    void run(std::vector<Batch>& batches) const;

    // Untouched::caught_up: lazy_update.cpp.
    bool is_lazy() const { return settings.untouched == Untouched::caught_up; }
    std::string variant(const Group& group, const ParameterState& slot) const;
    /// Notes the options on which the steps that rows will miss depend; makes state that does not exist yet.
    LazyUpdate noted_options(const Group& group, ParameterState& slot) const;
    bool options_changed(const Group& group, const ParameterState& slot) const;
    void add_catch_up(std::list<CatchUp>& all, const Group& group, ParameterState& slot, Undo& undo) const;
    /// Before a step: rows see what they missed with the options that it had, where these have changed.
    std::list<CatchUp> catch_ups_of_changed(std::span<const Argument> gradients, Undo& undo);
    void run(std::list<CatchUp>& all) const;
    /// Before the step: how many steps each touched row missed.
    void count_missed(ParameterState& slot, const TouchedRows& rows) const;
    /// After the step: touched rows are at the present one.
    void mark_present(ParameterState& slot, const TouchedRows& rows) const;
};

/// A step in two parts: all that can fail comes before the first byte is written.
class Optimizer::PreparedStep {
public:
    /// Precondition: options and gradients are checked; gradients outlive it.
    /// Errors: those of a step.  Until run() is called, only what goes with it is changed.
    PreparedStep(Implementation& all, std::span<const Argument> gradients, const Scaling& scaling);
    void run();

private:
    /// Calls made ready from values of tensors are void once rows have caught up.
    bool is_made_ready_twice() const { return has_read_ && !catch_ups_.empty(); }
    Implementation& all_;
    Undo undo_;
    std::vector<Batch> batches_;
    std::list<WholeRows> whole_;  // one for each gradient of Untouched::caught_up
    std::list<CatchUp> catch_ups_;
    bool has_read_ = false;
};

/// A call of catch_up() in two parts, as a step.
class Optimizer::PreparedCatchUp {
public:
    /// Errors: those of catch_up(); nothing is changed then.
    explicit PreparedCatchUp(Implementation& all);
    void run();

private:
    Implementation& all_;
    Undo undo_;
    std::list<CatchUp> catch_ups_;
};

/// Parts of an optimizer, for those who take its step in two.
struct detail::OptimizerParts {
    using Implementation = Optimizer::Implementation;
    using PreparedStep = Optimizer::PreparedStep;
    using PreparedCatchUp = Optimizer::PreparedCatchUp;
    using Replacement = Optimizer::Replacement;
    static Implementation& of(const Optimizer& optimizer) { return optimizer.all(); }
};

}  // namespace frisket::optim

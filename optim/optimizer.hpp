// SPDX-License-Identifier: MIT
// Keeps parameters and their state, and makes steps.
#pragma once
#include "../codegen/jit/jit.hpp"
#include "../codegen/loops/schedule.hpp"
#include "../runtime/io/tensor_files.hpp"
#include "../runtime/kernel/argument.hpp"
#include "rule.hpp"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// Learning rates as functions of the step: `optimizer.options<Adam>().lr = cosine(step, 1000, 3e-4)`.  Steps
/// count from 0.
namespace frisket::optim {

/// `lr * gamma^(step / every)`, in stairs: torch.optim.lr_scheduler.StepLR.
double step_decay(std::int64_t step, std::int64_t every, double lr, double gamma = 0.1);
/// `lr * gamma^step`: ExponentialLR.
double exponential(std::int64_t step, double lr, double gamma);
/// Straight from `lr` to `last` over `steps`: LinearLR.
double linear(std::int64_t step, std::int64_t steps, double lr, double last = 0);
/// `lr * (1 - step / steps)^power`: PolynomialLR.
double polynomial(std::int64_t step, std::int64_t steps, double lr, double power = 1);
/// Half a cosine from `lr` to `last` over `steps`: CosineAnnealingLR.
/// Source: Loshchilov and Hutter, "SGDR", ICLR 2017, eq. 5.
double cosine(std::int64_t step, std::int64_t steps, double lr, double last = 0);
/// Straight from 0 to `lr` over the first `warmup` steps, then lr * sqrt(warmup / step).
/// Source: Vaswani et al., "Attention is all you need", NeurIPS 2017, eq. 3, scaled to its maximum.
double inverse_sqrt(std::int64_t step, std::int64_t warmup, double lr);
/// `schedule` after a straight way from 0 to its first value over `warmup` steps; it sees steps from 0 on.
template <class Schedule>
double warmed_up(std::int64_t step, std::int64_t warmup, const Schedule& schedule) {
    if (step >= warmup) return schedule(step - warmup);
    return schedule(std::int64_t{0}) * (static_cast<double>(step) / static_cast<double>(warmup));
}

/// Meanings of a gradient's unspecified elements.
enum class Untouched : std::uint8_t {
    masked,            ///< no information: parameter and state stay as they are, to the bit
    dense_equivalent,  ///< zero: the dense rule, for every element
    /// zero, as dense_equivalent, but a row (all that is under one index of the first dimension) sees the
    /// steps that it missed when a gradient next specifies one of its elements, or at catch_up()
    caught_up,
};

/// A parameter: float32, float64, float16 or bfloat16, updated in place.
struct NamedParameter {
    std::string name;  ///< prefix of the names of its state, and its name in messages; empty: its number
    AnyTensor tensor;
    /// Tiles of 64 elements before a part of a larger parameter, for the bits of stochastic rounding.
    std::int64_t first_tile = 0;
};

/// An optimizer whose steps are compiled ahead of time: what OPTIMIZERS of frisket_add_kernels names.
/// `inline const OptimizerKernels adam{.rule = Adam{.amsgrad = true}};`
struct OptimizerKernels {
    AnyRule rule;  ///< a rule, with the options that are part of its step; all other options are free
    Untouched untouched = Untouched::masked;
    bool stochastic_rounding = false;
    std::vector<DType> dtypes = {DType::float32};  ///< dtypes of the parameters
};

/// The graphs that such an optimizer runs for a parameter of a shape, each with the layouts of its gradient;
/// without any: all.
/// Errors: DTypeError for dtypes that no parameter has; ValueError as Optimizer, for an option outside its
/// range and Untouched::caught_up of a rule without a closed form.
std::vector<std::pair<Graph, std::vector<Layout>>> graphs_of(const OptimizerKernels& optimizer,
                                                             const Shape& param);

/// Changes that a step makes to gradients before the rule sees them.
struct GradientOptions {
    double scale = 1;  ///< gradients were multiplied by this: they are divided by it; above 0
    double clip_norm =
        std::numeric_limits<double>::infinity();  ///< bound of the norm of all gradients, scaled; 0 or more
    double clip_value =
        std::numeric_limits<double>::infinity();  ///< bound of elements, after that; 0 or more
    bool skip_nonfinite = false;                  ///< with an inf or NaN in a gradient, the step does nothing
};

/// The result of a step.
struct StepOutcome {
    /// The norm of all specified elements of all gradients, unscaled; NaN if nobody asked for it (clip_norm,
    /// skip_nonfinite).
    double norm = std::numeric_limits<double>::quiet_NaN();
    bool is_skipped = false;
    /// The loss before the step, of minimize(); NaN if it is unspecified, or there was none.
    double loss = std::numeric_limits<double>::quiet_NaN();
};

namespace detail {
/// Arguments of minimize() that follow the loss: inputs by name, and options.
struct MinimizeInputs {
    std::vector<NamedArgument> named = {};
    GradientOptions options = {};

    void take(const GradientOptions& given) { options = given; }
    template <class Input>
        requires(frisket::is_binding<Input>)
    void take(const Input& input) {
        named.emplace_back(Input::Symbol::name, frisket::detail::argument(input.value));
    }
};
/// True for what may follow a loss in a minimize() that collects it so.
template <class All, class Input>
concept IsOfMinimize = requires(All all, const Input& input) { all.take(input); };
struct OptimizerParts;
}  // namespace detail

/// A piece of state: a tensor, or a number as one of rank 0.
struct StateEntry {
    std::string parameter;
    std::string name;
    AnyTensor value;
};

/// Parameters in groups, each with a rule and its options, and the state of each parameter.
/// One that was moved from can be assigned to and destroyed; any other use is a ValueError.
/// Threads: one call at a time.
class Optimizer {
public:
    /// Settings of all groups.
    struct Settings {
        Untouched untouched = Untouched::masked;
        TargetName target = {};
        bool interpret = false;  ///< by the interpreter instead of compiled loops: slow, to compare with
        /// Parameters of 16 bits are rounded up or down at random, so that they move on average as float32
        /// would, however small a step is; else to nearest.  The same bytes for any number of threads.
        bool stochastic_rounding = false;
        std::uint64_t seed = 0;  ///< seed of stochastic rounding
        /// Loops of the steps: compiled just in time, or `NAME::kernels` of a library that
        /// frisket_add_kernels makes with OPTIMIZERS: libHalide is not linked then.
        KernelProvider kernels = just_in_time;
    };

    /// Errors: DTypeError, ValueError (a parameter without data, read-only, a name given twice, memory shared
    /// by two parameters; an option outside its range; Untouched::caught_up of a rule whose missed steps have
    /// no closed form; stochastic_rounding of parameters none of which has 16 bits).
    Optimizer(AnyRule rule, std::vector<NamedParameter> parameters)
        : Optimizer({}, rule, std::move(parameters)) {}
    /// An optimizer with settings.
    /// Errors: as above; TargetError if the target is unknown or absent, or if kernels are those of a library
    /// that lacks the rule's step.
    Optimizer(const Settings& settings, AnyRule rule, std::vector<NamedParameter> parameters);
    ~Optimizer();
    Optimizer(Optimizer&&) noexcept;
    Optimizer& operator=(Optimizer&&) noexcept;

    /// More parameters, with a rule and options of their own; returns the number of the group.
    int add_group(AnyRule rule, std::vector<NamedParameter> parameters);
    /// The options of a group, to read and to change: `options<Adam>().lr = 1e-4`.  Their ranges are checked
    /// by the next step(), catch_up() or save().
    /// Errors: IndexError; ValueError if the group's rule is another.
    template <OptimizerRule Rule>
    Rule& options(int group = 0) {
        return rule(group).get<Rule>();
    }
    /// The rule of a group.  Errors: IndexError.
    AnyRule& rule(int group = 0);
    /// The rule of a group, to read.  Errors: IndexError.
    const AnyRule& rule(int group = 0) const;
    /// Number of groups.
    int group_count() const;
    /// Sets an option of a group: a bool by 0 or 1, an enum by its position.
    /// Errors: IndexError; ValueError naming the option, the value and the allowed values.
    void set_option(int group, std::string_view option, double value);
    /// Replaces the memory of a parameter, from which the next step continues.  State moves to its device.
    /// Shape: that of the parameter.
    /// Errors: ValueError if there is no such parameter, and as the constructor; DTypeError and ShapeError if
    /// the dtype or the shape changes.  Nothing is changed then.
    void set_parameter(std::string_view name, AnyTensor tensor);
    /// Sets the number of steps that a parameter has seen, from which the next step counts on.
    /// Errors: ValueError if there is no such parameter, if the number is negative or above 2^53, or below
    /// the last step of a row of Untouched::caught_up.
    void set_step(std::string_view name, std::int64_t step);

    /// Updates all parameters, each by its gradient, a tensor or a masked tensor in any layout, in the order
    /// in which parameters were added; `{}` leaves one out.  An Argument keeps its tensor alive.
    /// Errors: those of a kernel's call, naming the parameter, before anything is written; ValueError for an
    /// option outside its range, or a gradient that shares memory with a parameter.
    StepOutcome step(std::span<const Argument> gradients, const GradientOptions& options = {});
    /// Updates all parameters by a list of gradients in braces.
    StepOutcome step(std::initializer_list<Argument> gradients, const GradientOptions& options = {}) {
        return step(std::span(gradients.begin(), gradients.size()), options);
    }
    /// Updates parameters by named gradients; parameters that are not named are left out.
    StepOutcome step(std::initializer_list<NamedArgument> gradients, const GradientOptions& options = {});

    /// Evaluates a loss and its gradients, and updates by them all parameters that the loss reads; the others
    /// are left out.  The loss is an expression over the tensors of the parameters, or over symbols of their
    /// names; inputs are bound to its other symbols:
    /// `minimize(mean(square(matmul(x, w) - y)))`, `minimize(loss, x = inputs, y = wanted)`.  GradientOptions
    /// may stand last.  Gradients are as sparse as eval makes them.
    /// Shape: a loss has one element.
    /// Errors: those of eval and step; BindingError for a symbol without an input, an input without a symbol,
    /// or of another dtype or kind; ShapeError if the loss has several elements; ValueError if it reads no
    /// parameter.  Nothing is changed then.
    template <class Loss, class... Inputs>
        requires(AnyOperand<Loss> && (detail::IsOfMinimize<detail::MinimizeInputs, Inputs> && ...))
    StepOutcome minimize(const Loss& loss, const Inputs&... inputs) {
        if constexpr (!is_refused<Loss>) {
            detail::MinimizeInputs all;
            (all.take(inputs), ...);
            const auto emit = [&](GraphEmitter& emitter) { return frisket::detail::lowered(emitter, loss); };
            return minimize_loss(emit, all.named, all.options);
        } else {
            return {};
        }
    }

    /// Applies to every row the steps that it missed, so that parameters and state can be read as those of
    /// the dense rule; does nothing except for Untouched::caught_up.  A step does it first where options that
    /// missed steps depend on have changed since the last one.
    void catch_up();

    /// All state: of each parameter `step`, how many it has seen (int64), `rounding_seed` if it is rounded
    /// stochastically (int64), and what the rule keeps.  Tensors share memory with the optimizer's.
    std::vector<StateEntry> state() const;
    /// Errors: ValueError listing the names of the state.
    AnyTensor state(std::string_view parameter, std::string_view name) const;
    /// Restores state that was saved by an optimizer of the same rules and parameters.
    /// Errors: ValueError naming what is missing or has another shape or dtype; nothing is changed then.
    void set_state(std::span<const StateEntry> entries);

    /// Writes state and options as .safetensors: a tensor PARAMETER.STATE each, options as metadata.
    /// Parameters are the user's own to keep.
    /// Errors: IoError; ValueError if options that missed steps depend on have changed since the last step:
    /// call catch_up() before parameters are kept.
    void save(const std::string& path) const;
    /// Takes back what `save` wrote, or the folder that ranks saved: the steps that follow give the same
    /// bytes as those of the optimizer that was saved.
    /// Errors: IoError; ValueError as set_state, and if the groups have other rules; nothing is changed then.
    void load(const std::string& path);

private:
    struct ParameterState;
    struct Batch;
    struct CatchUp;
    class Undo;
    struct Group;
    struct Implementation;
    class PreparedStep;
    class PreparedCatchUp;
    struct Replacement;
    friend struct detail::OptimizerParts;
    Implementation& all() const;
    StepOutcome minimize_loss(const std::function<ir::Value(GraphEmitter&)>& loss,
                              std::span<const NamedArgument> inputs, const GradientOptions& options);
    std::unique_ptr<Implementation> implementation_;
};

/// The whole of a checkpoint, parameters and state, on one machine without MPI: tensors as one rank would
/// have written them, and the metadata of the manifest.
/// Errors: IoError if the folder has no manifest, or files that do not belong together: a row is missing, or
/// there twice.
Safetensors load_sharded(const std::string& folder);

}  // namespace frisket::optim

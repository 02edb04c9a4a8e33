// SPDX-License-Identifier: MIT
#pragma once
#include "../runtime/argument.hpp"
#include "../runtime/compiled_kernel.hpp"
#include "../runtime/error.hpp"
#include "shaped_step.hpp"
#include "step.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace frisket {

namespace detail {

/// What the type checker finds of a call: where each argument belongs, or what is wrong.
template <std::size_t Count>
struct CallReport {
    Fault fault = Fault::none;
    std::string_view culprit{};
    std::array<std::size_t, Count> places{};  ///< of each argument: its parameter's index in the step

    constexpr void note(Fault found, std::string_view name) {
        if (fault == Fault::none) {
            fault = found;
            culprit = name;
        }
    }
};

template <class T>
inline constexpr bool is_assignment = false;
template <class Target, class Value>
inline constexpr bool is_assignment<Assignment<Target, Value>> = true;

inline Argument argument(const AnyTensor* tensor) { return Argument::borrow(*tensor); }
inline Argument argument(const AnyMasked* masked) { return Argument::borrow(*masked); }
inline Argument argument(double number) { return number; }
inline Argument argument(std::int64_t number) { return number; }
inline Argument argument(double* number) { return Argument::state(*number); }

/// What is wrong with an argument by itself.
template <class Argument>
consteval Fault argument_fault() {
    if constexpr (is_refused<Argument>) {
        return Fault::said;
    } else if constexpr (is_binding<Argument>) {
        return Fault::none;
    } else if constexpr (is_assignment<Argument>) {
        return Argument::Symbol::symbol_kind == SymbolKind::scalar_state ? Fault::state_bound_to_value
                                                                         : Fault::update_in_call;
    } else {
        return Fault::not_a_binding;
    }
}

/// Finds the argument's place among the parameters.
template <class S, class Parameters, std::size_t Count>
consteval void place(CallReport<Count>& report, const Parameters& parameters, auto& is_bound,
                     std::size_t argument) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (parameters[i].name != S::name) continue;
        if (parameters[i].kind != S::symbol_kind || parameters[i].dtype != S::dtype)
            report.note(Fault::other_symbol, S::name);
        if (is_bound[i]) report.note(Fault::bound_twice, S::name);
        is_bound[i] = true;
        report.places[argument] = i;
        return;
    }
    report.note(Fault::unknown_name, S::name);
}

template <class Step, class... Arguments>
consteval auto judge_call() {
    CallReport<sizeof...(Arguments)> report;
    report.fault = Step::report.fault == Fault::none ? Fault::none : Fault::said;
    (report.note(argument_fault<Arguments>(), Step::name), ...);
    if constexpr ((is_binding<Arguments> && ...)) {
        std::array<bool, Step::parameter_count> is_bound{};
        std::size_t argument = 0;
        (place<typename Arguments::Symbol>(report, Step::parameters, is_bound, argument++), ...);
        for (std::size_t i = 0; i < is_bound.size(); ++i) {
            if (!is_bound[i]) report.note(Fault::unbound, Step::parameters[i].name);
        }
    }
    return report;
}

/// Calls `run` with the arguments, each at `places[its parameter]`; one that is wrong is refused.
template <class Step, class Run, class... Arguments>
void call_ordered(const std::array<std::size_t, Step::parameter_count>& places, const Run& run,
                  const Arguments&... arguments) {
    constexpr auto report = judge_call<Step, Arguments...>();
    if constexpr (report.fault == Fault::none) {
        std::array<Argument, Step::parameter_count> ordered;
        std::size_t i = 0;
        ((ordered[places[report.places[i++]]] = argument(arguments.value)), ...);
        run(ordered);
    } else {
        refuse<report.fault, Called<Name<report.culprit.size() + 1>(report.culprit)>>();
    }
}

}  // namespace detail

/// A compiled step, called with named arguments in any order: `kernel(param = p, grad = g, lr = 0.1f)`.
/// A handle; copies share the compiled loops.
/// Threads: may be called from any number of threads on different data.
template <class Step>
class Kernel {
public:
    /// Errors: BindingError if the kernel was not made from a step with these symbols.
    explicit Kernel(CompiledKernel kernel) : kernel_(std::move(kernel)) {
        const Signature& signature = kernel_.signature();
        for (std::size_t i = 0; i < Step::parameter_count; ++i) {
            const StepSymbol& wanted = Step::parameters[i];
            const int found = signature.find(wanted.name);
            if (found < 0) fail(wanted.name, "is no parameter of the kernel");
            const Parameter& parameter = signature.parameters[static_cast<std::size_t>(found)];
            if (parameter.kind != wanted.kind || parameter.dtype != wanted.dtype)
                fail(wanted.name, "has another kind or type in the kernel");
            places_[i] = static_cast<std::size_t>(found);
        }
        if (signature.parameters.size() != Step::parameter_count)
            fail(signature.name, "is a kernel of another step");
    }

    /// Runs the step.  Every symbol is bound once; tensors must outlive the call.
    /// Errors: CompiledKernel::call's, each before anything is written.
    template <class... Arguments>
    void operator()(const Arguments&... arguments) const {
        detail::call_ordered<Step>(
            places_, [&](const auto& ordered) { kernel_.call(ordered); }, arguments...);
    }

    /// Makes the loops for these layouts (of every masked operand) now instead of at the first call.
    /// Errors: LayoutError if the kernel was compiled ahead of time without one of them.
    void warm_up(std::span<const Layout> layouts) const { kernel_.warm_up(layouts); }
    void warm_up(std::initializer_list<Layout> layouts) const { kernel_.warm_up(layouts); }

    /// The same masked tensor for many calls while what it specifies stays: CompiledKernel::prepare says how.
    template <class T>
    MaskedTensor<T> prepare(const MaskedTensor<T>& masked) const {
        return MaskedTensor<T>(kernel_.prepare(masked));
    }

    /// The same kernel, to be called by run-time names.
    const CompiledKernel& untyped() const noexcept { return kernel_; }

private:
    [[noreturn]] static void fail(std::string_view name, const char* what) {
        throw BindingError(std::string(Step::name) + ": " + std::string(name) + " " + what +
                           ": make the kernel from this step");
    }

    CompiledKernel kernel_;
    std::array<std::size_t, Step::parameter_count>
        places_{};  // of each parameter: its index in the signature
};

/// The same of a step with operations on whole tensors, whose loops are made for the shapes of a call.
template <class Step>
    requires Step::has_structure
class Kernel<Step> {
public:
    explicit Kernel(std::shared_ptr<ShapedStep> step) : step_(std::move(step)) {
        for (std::size_t i = 0; i < places_.size(); ++i) places_[i] = i;
    }

    /// Runs the step.  Every symbol is bound once; tensors must outlive the call.
    /// Errors: ShapedStep::call's, each before anything is written.
    template <class... Arguments>
    void operator()(const Arguments&... arguments) const {
        if (!step_) detail::refuse_moved_from(Step::name, "kernel");
        detail::call_ordered<Step>(places_, [&](const auto& ordered) { step_->call(ordered); }, arguments...);
    }

private:
    std::shared_ptr<ShapedStep> step_;
    std::array<std::size_t, Step::parameter_count> places_{};
};

}  // namespace frisket

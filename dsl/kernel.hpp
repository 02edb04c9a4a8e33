// SPDX-License-Identifier: MIT
// Binds tensors to symbols by name and calls compiled steps.
#pragma once
#include "../runtime/kernel/argument.hpp"
#include "../runtime/kernel/compiled_kernel.hpp"
#include "../runtime/tensor/error.hpp"
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

namespace planning {
class ShapedStep;
}

namespace detail {

/// Runs a step with operations on whole tensors, as ShapedStep::call.
void call_shaped(planning::ShapedStep& step, std::span<const Argument> arguments);

/// Result of type-checking a call: the place of each argument, or the fault.
template <std::size_t Count>
struct CallReport {
    DiagnosticId fault = DiagnosticId::none;
    std::string_view culprit{};
    std::array<std::size_t, Count> places{};  ///< for each argument, its parameter's index in the step

    constexpr void note(DiagnosticId found, std::string_view name) {
        if (fault == DiagnosticId::none) {
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

/// Fault of an argument by itself, or none.
template <class Argument>
consteval DiagnosticId argument_fault() {
    if constexpr (is_refused<Argument>) {
        return DiagnosticId::already_reported;
    } else if constexpr (is_binding<Argument>) {
        return DiagnosticId::none;
    } else if constexpr (is_assignment<Argument>) {
        return Argument::Symbol::symbol_kind == SymbolKind::scalar_state ? DiagnosticId::state_bound_to_value
                                                                         : DiagnosticId::update_in_call;
    } else {
        return DiagnosticId::not_a_binding;
    }
}

/// Finds the argument's position among the parameters.
template <class S, class Parameters, std::size_t Count>
consteval void place(CallReport<Count>& report, const Parameters& parameters, auto& is_bound,
                     std::size_t argument) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (parameters[i].name != S::name) continue;
        if (parameters[i].kind != S::symbol_kind || parameters[i].dtype != S::dtype)
            report.note(DiagnosticId::other_symbol, S::name);
        if (is_bound[i]) report.note(DiagnosticId::bound_twice, S::name);
        is_bound[i] = true;
        report.places[argument] = i;
        return;
    }
    report.note(DiagnosticId::unknown_name, S::name);
}

template <class Step, class... Arguments>
consteval auto check_call() {
    CallReport<sizeof...(Arguments)> report;
    report.fault =
        Step::report.fault == DiagnosticId::none ? DiagnosticId::none : DiagnosticId::already_reported;
    (report.note(argument_fault<Arguments>(), Step::name), ...);
    if constexpr ((is_binding<Arguments> && ...)) {
        std::array<bool, Step::parameter_count> is_bound{};
        std::size_t argument = 0;
        (place<typename Arguments::Symbol>(report, Step::parameters, is_bound, argument++), ...);
        for (std::size_t i = 0; i < is_bound.size(); ++i) {
            if (!is_bound[i]) report.note(DiagnosticId::unbound, Step::parameters[i].name);
        }
    }
    return report;
}

/// The result of a call: void, or what says that it is wrong.
template <class Step, class... Arguments>
consteval auto call_result() {
    constexpr auto report = check_call<Step, Arguments...>();
    if constexpr (report.fault == DiagnosticId::none || report.fault == DiagnosticId::already_reported) {
        return std::type_identity<void>{};
    } else {
        using At = Called<Name<report.culprit.size() + 1>(report.culprit)>;
        return std::type_identity<Refused<report.fault, At>>{};
    }
}
template <class Step, class... Arguments>
using CallResult = typename decltype(call_result<Step, Arguments...>())::type;

/// Calls `run` with the arguments, each at `places[its parameter]`.
template <class Step, class Run, class... Arguments>
auto call_ordered(const std::array<std::size_t, Step::parameter_count>& places, const Run& run,
                  const Arguments&... arguments) {
    constexpr auto report = check_call<Step, Arguments...>();
    if constexpr (report.fault == DiagnosticId::none) {
        std::array<Argument, Step::parameter_count> ordered;
        std::size_t i = 0;
        ((ordered[places[report.places[i++]]] = argument(arguments.value)), ...);
        run(ordered);
    } else if constexpr (report.fault != DiagnosticId::already_reported) {
        return ErrorExpr{};
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
    detail::CallResult<Step, Arguments...> operator()(const Arguments&... arguments) const {
        return detail::call_ordered<Step>(
            places_, [&](const auto& ordered) { kernel_.call(ordered); }, arguments...);
    }

    /// Makes the loops for these layouts (of every masked operand) now instead of at the first call.
    /// Errors: LayoutError if the kernel was compiled ahead of time without one of them.
    void warm_up(std::span<const Layout> layouts) const { kernel_.warm_up(layouts); }
    /// Makes the loops for a list of layouts in braces.
    void warm_up(std::initializer_list<Layout> layouts) const { kernel_.warm_up(layouts); }

    /// Prepares a masked tensor for many calls with an unchanged mask: CompiledKernel::prepare says how.
    template <class T>
    MaskedTensor<T> prepare(const MaskedTensor<T>& masked) const {
        return MaskedTensor<T>(kernel_.prepare(masked));
    }

    /// This kernel, to be called by run-time names.
    const CompiledKernel& untyped() const noexcept { return kernel_; }

private:
    [[noreturn]] static void fail(std::string_view name, const char* what) {
        throw BindingError(std::string(Step::name) + ": " + std::string(name) + " " + what +
                           ": make the kernel from this step");
    }

    CompiledKernel kernel_;
    std::array<std::size_t, Step::parameter_count>
        places_{};  // for each parameter, its index in the signature
};

/// A kernel of a step with operations on whole tensors, whose loops are made for the shapes of a call.
template <class Step>
    requires Step::has_structure
class Kernel<Step> {
public:
    /// A kernel of the step; made by jit().
    explicit Kernel(std::shared_ptr<planning::ShapedStep> step) : step_(std::move(step)) {
        for (std::size_t i = 0; i < places_.size(); ++i) places_[i] = i;
    }

    /// Runs the step.  Every symbol is bound once; tensors must outlive the call.
    /// Errors: ShapedStep::call's, each before anything is written.
    template <class... Arguments>
    detail::CallResult<Step, Arguments...> operator()(const Arguments&... arguments) const {
        if (!step_) detail::refuse_moved_from(Step::name, "kernel");
        return detail::call_ordered<Step>(
            places_, [&](const auto& ordered) { detail::call_shaped(*step_, ordered); }, arguments...);
    }

private:
    std::shared_ptr<planning::ShapedStep> step_;
    std::array<std::size_t, Step::parameter_count> places_{};
};

}  // namespace frisket

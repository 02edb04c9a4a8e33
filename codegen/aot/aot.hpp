// SPDX-License-Identifier: MIT
#pragma once
#include <initializer_list>
#include <span>
#include <string_view>
#include <type_traits>

#include "../../dsl/dsl.hpp"
#include "../eval.hpp"

/// Ahead-of-time compilation: what the compiler program made by frisket_add_kernels calls.
namespace frisket::aot {

/// A step or a function to compile: its name in C++ ("::adagrad") and what describes it.
struct NamedStep {
    const char* name;
    Graph (*describe)() = nullptr;  ///< an elementwise step
    /// A step with operations on whole tensors, for the shapes of its parameters.
    Graph (*describe_for)(std::span<const Shape> shapes) = nullptr;
    std::string_view step_name{};  ///< name of such a step
    std::span<const StepSymbol> parameters{};
    std::size_t result_count = 0;  ///< number of results of a function
};

/// The step that a function gives, under its name in C++.
template <auto Get>
NamedStep named_step(const char* name) {
    using Made = std::remove_cvref_t<decltype(Get())>;
    if constexpr (SomeFunction<Made>)
        return {.name = name,
                .describe_for = [](std::span<const Shape> shapes) { return describe(Get(), shapes); },
                .step_name = Made::name,
                .parameters = Made::parameters,
                .result_count = std::tuple_size_v<typename Made::Values>};
    else if constexpr (Made::has_structure)
        return {.name = name,
                .describe_for = [](std::span<const Shape> shapes) { return describe(Get(), shapes); },
                .step_name = Made::name,
                .parameters = Made::parameters};
    else
        return {.name = name, .describe = [] { return describe(Get()); }};
}

/// An expression of symbols that is tuned: its name in C++, and what makes its instructions.
struct NamedExpression {
    const char* name;
    build::Expr (*emit)(GraphEmitter& emitter);
};

/// Compiles steps into what a kernel library is built from, in folder DIR:
///     include/NAME.hpp, include/NAME.h    for callers in C++ and C
///     NAME_library.cpp                    C functions that it has one of
///     NAME_STEP.cpp                       signature, numbers of the host, table of loops, the C function
///     NAME_STEP_0.o, NAME_STEP_1.o, …     the loops, for each target in the order given
///     NAME_runtime.o                      the part of Halide's runtime that loops need
/// Arguments: --name NAME --header FILE --out DIR --layouts LAYOUT… --targets TARGET…
///     [--shapes FORM…] [--schedules FILE]
/// Gives the program's exit status: 0, or 1 after a sentence on stderr that names the step.
int compile(int argc, const char* const* argv, std::initializer_list<NamedStep> steps) noexcept;

/// The program NAME_tune, for a library of this name: `frisket tune` for its steps, and for expressions that
/// programs evaluate; --help says how it is used.  In frisket::tuner.  Gives the program's exit status: 0, or
/// 2 after a sentence on stderr.
int tune(const char* library, int argc, const char* const* argv, std::initializer_list<NamedStep> steps,
         std::initializer_list<NamedExpression> expressions = {});

}  // namespace frisket::aot

// SPDX-License-Identifier: MIT
#pragma once
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

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

/// The last part of a name in C++: the name of a step within its library.
inline std::string last_part(std::string_view name) { return std::string(name.substr(name.rfind(':') + 1)); }

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

/// An optimizer to compile: its name in C++, and the graphs that it runs for a parameter of a shape, each
/// with the layouts in which its Masked symbol comes; without any: those of the library, dense and strided.
struct NamedOptimizer {
    const char* name;
    std::vector<std::pair<Graph, std::vector<Layout>>> (*graphs)(const Shape& param);
};

/// An expression of symbols that is tuned: its name in C++, and what makes its instructions.
struct NamedExpression {
    const char* name;
    build::Expr (*emit)(GraphEmitter& emitter);
};

/// A step or a function of the lists below, by its name in C++.
#define FRISKET_STEP(step) frisket::aot::named_step<[]() -> const auto& { return step; }>(#step)
/// An optimizer of the lists below, by its name in C++.
#define FRISKET_OPTIMIZER(optimizer)                                                                         \
    frisket::aot::NamedOptimizer {                                                                           \
        #optimizer, [](const frisket::Shape& param) { return frisket::optim::graphs_of(optimizer, param); }  \
    }
/// An expression of the lists below, by its name in C++.
#define FRISKET_EXPRESSION(expression)                                                                       \
    frisket::aot::NamedExpression {                                                                          \
        #expression,                                                                                         \
            [](frisket::GraphEmitter& emitter) { return frisket::detail::lowered(emitter, expression); }     \
    }

/// Compiles steps and optimizers into what a kernel library is built from, in folder DIR:
///     include/NAME.hpp, include/NAME.h    for callers in C++ and C
///     NAME_library.cpp                    functions that it has one of
///     NAME_STEP.cpp                       signature, numbers of the host, table of loops, the C function
///     NAME_STEP_0.o, NAME_STEP_1.o, …     the loops, for each target in the order given
///     NAME.map                            symbols that a shared library exports
///     NAME.pc                             for pkg-config, for an include/ and a lib/ beside each other
/// Arguments: --name NAME --header FILE --out DIR --layouts LAYOUT… --targets TARGET…
///     [--shapes FORM…] [--schedules FILE] [--shared VERSION] [--family TARGET]
/// --family: a target of the processors that the library is linked for; this one's unless it is said.
/// Gives the program's exit status: 0, or 1 after a sentence on stderr that names the step.
int compile(int argc, const char* const* argv, std::initializer_list<NamedStep> steps,
            std::initializer_list<NamedOptimizer> optimizers = {}) noexcept;

/// The program NAME_tune, for a library of this name: `frisket tune` for its steps, and for expressions that
/// programs evaluate; --help says how it is used.  In frisket::tuner.  Gives the program's exit status: 0, or
/// 2 after a sentence on stderr.
int tune(const char* library, int argc, const char* const* argv, std::initializer_list<NamedStep> steps,
         std::initializer_list<NamedExpression> expressions = {});

}  // namespace frisket::aot

// SPDX-License-Identifier: MIT
// Compiles steps, functions, optimizers and expressions of a user's header into libraries of kernels.
#pragma once
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../dsl/dsl.hpp"
#include "../../runtime/kernel/aot_tables.hpp"

/// Steps, functions, optimizers and expressions of a user's header, for the programs and libraries that
/// frisket_add_kernels makes.
namespace frisket::aot {

/// The last part of a name in C++: the name of a step within its library.
inline std::string last_part(std::string_view name) { return std::string(name.substr(name.rfind(':') + 1)); }

/// The step that a function returns, under its name in C++.
template <auto Get>
constexpr NamedStep named_step(const char* name) {
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

/// An expression of symbols that is tuned: its name in C++, and the function that makes its instructions.
struct NamedExpression {
    const char* name;
    ir::Value (*emit)(GraphEmitter& emitter);
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

/// The program NAME_tune, for a library of this name: `frisket tune` for its steps, and for expressions that
/// programs evaluate; --help describes its use.  In frisket::tuner.  `page_script`: path of the installed
/// report.py, which draws the page of --report.  Returns the program's exit status: 0, or 2 after a sentence
/// on stderr.
int tune(const char* library, int argc, const char* const* argv, std::initializer_list<NamedStep> steps,
         std::initializer_list<NamedExpression> expressions, const char* page_script);

}  // namespace frisket::aot

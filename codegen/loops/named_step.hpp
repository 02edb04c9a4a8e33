// SPDX-License-Identifier: MIT
#pragma once
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "../../dsl/statement.hpp"
#include "../../ir/graph.hpp"
#include "../../runtime/kernel/aot_tables.hpp"

namespace frisket::aot {

/// A step or a function of the user's header: its name in C++ ("::adagrad"), and its description.
struct NamedStep {
    const char* name;
    Graph (*describe)() = nullptr;  ///< an elementwise step
    /// A step with operations on whole tensors, for the shapes of its parameters.
    Graph (*describe_for)(std::span<const Shape> shapes) = nullptr;
    std::string_view step_name{};  ///< name of such a step
    std::span<const StepSymbol> parameters{};
    std::size_t result_count = 0;  ///< number of results of a function
};

/// An optimizer to compile: its name in C++, and the graphs that it runs for a parameter of a shape, each
/// with the layouts in which its Masked symbol comes; without any: those of the library, dense and strided.
struct NamedOptimizer {
    const char* name;
    std::vector<std::pair<Graph, std::vector<Layout>>> (*graphs)(const Shape& param);
};

struct NamedParts {
    Rows<const NamedStep*> steps = {};
    Rows<NamedOptimizer> optimizers = {};
};

}  // namespace frisket::aot

// SPDX-License-Identifier: MIT
#pragma once
#include "../runtime/argument.hpp"
#include "graph.hpp"

#include <initializer_list>
#include <span>

namespace frisket {

/// Runs a step element by element, each instruction in its own dtype, as the graph is written: what every
/// compiled kernel is compared with.  Arguments stand in the order of the graph's symbols; masked ones may
/// have any layout.
/// Shape: the targets of the step have one shape, and what they take broadcasts to it.
/// Unspecified: values that are read where nothing is specified change no result.
/// Cost: some hundred nanoseconds an element.
/// Errors: those of a kernel's call, before anything is written.
void interpret(const Graph& graph, std::span<const Argument> arguments);

/// The same by run-time names, in any order.
void interpret(const Graph& graph, std::span<const NamedArgument> arguments);
void interpret(const Graph& graph, std::initializer_list<NamedArgument> arguments);

}  // namespace frisket

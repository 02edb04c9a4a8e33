// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "../../ir/graph.hpp"
#include "../../runtime/kernel/strategy.hpp"

namespace frisket::codegen {

/// "all elements, in tiles of 64": the elements that a strategy's loops walk.
std::string walked(const Signature& signature, Strategy strategy);
/// True if a strategy reads a parameter by the list that it walks.
bool reads_by_list(const Signature& signature, Strategy strategy, int parameter);

/// Describes one loop nest of a step: which index set it walks, what is read and written there, in one pass.
/// Text, as FRISKET_SHOW=plan prints it.
std::string plan_text(const Graph& graph, const Signature& signature, Strategy strategy);

}  // namespace frisket::codegen

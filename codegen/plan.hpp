// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "../dsl/graph.hpp"
#include "../runtime/call/strategy.hpp"

namespace frisket {

/// What one loop nest of a step does: which index set it walks, what is read and written there, in one pass.
/// Text, as FRISKET_SHOW=plan prints it.
std::string plan_text(const Graph& graph, const Signature& signature, Strategy strategy);

}  // namespace frisket

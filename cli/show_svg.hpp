// SPDX-License-Identifier: MIT
/// Draws the graph of a step, and the text of its plans, as an SVG picture.
#pragma once
#include "../ir/graph.hpp"

#include <span>
#include <string>

namespace frisket::cli {

/// A picture of the tensors of a graph, a box for each instruction: operands are above their readers.
/// Masked values, dense values and updates have colours of their own, and host scalars are written in
/// the boxes that read them.  Below are `lines` of text.
std::string graph_svg(const Graph& graph, std::span<const std::string> lines);

}  // namespace frisket::cli

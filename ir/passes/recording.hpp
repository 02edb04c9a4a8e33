// SPDX-License-Identifier: MIT
// Calls of operations as text, from which a graph is made again for tensors of other shapes.
#pragma once
#include "../tensor_ops/operations.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace frisket::ir {

/// Writes the calls that make a graph, one a line.  Names of symbols and attributes have no spaces.
class Recording {
public:
    using Ids = std::span<const NodeId>;
    /// Extents of a symbol: a name matches any extent, a number only itself.
    using Extents = std::vector<std::string>;

    /// A symbol; no extents: a symbol of an elementwise step.
    void symbol(NodeId made, const Symbol& symbol, const std::optional<Extents>& extents);
    /// The value of a symbol after the updates so far.
    void current(NodeId made, std::string_view name);
    void number(NodeId made, const Attribute& value);
    void apply(Ids made, std::string_view operation, Ids operands, const Attributes& attributes);
    /// `upstream`: no_node means 1.
    void gradient(Ids made, NodeId output, Ids wrt, NodeId upstream, bool allow_unused);
    void update(std::string_view name, NodeId value, bool everywhere);
    void over(NodeId masked);
    /// The results of a function, as its last call.
    void results(Ids results);
    const std::string& text() const noexcept { return text_; }

private:
    void add_line(std::initializer_list<std::string_view> words, Ids made = {});

    std::string text_;
};

/// The graph that recorded calls make for these shapes, one for each symbol.  No shapes: an elementwise step.
/// Errors: ShapeError if a shape does not have the recorded extents; errors of the operations.
Graph recorded_graph(std::string_view name, std::string_view recording, std::span<const Shape> shapes = {});

/// The graph of the first of several recordings, each for tensors of other extents, that has these shapes.
/// Errors: as above, of the last recording.
Graph recorded_graph(std::string_view name, std::span<const std::string_view> recordings,
                     std::span<const Shape> shapes);

}  // namespace frisket::ir

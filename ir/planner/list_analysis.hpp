// SPDX-License-Identifier: MIT
// Analyses which nodes of a graph read lists, and which tensors are small enough to be dense.
#pragma once
#include "../../runtime/list_kernels/list_gather.hpp"
#include "iteration_space.hpp"
#include "list_products.hpp"
#include "planner.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace frisket::planning {

/// True for each node that reads an argument which is a list.
const std::vector<bool>& reading_lists(const PlanRequest& request);

/// True if a node is computed from another.
bool is_made_of(const Graph& graph, NodeId id, NodeId part);

/// Number of elements, at most 2^63 - 1.
std::int64_t capped_count(const Shape& shape);

/// Tells which tensors may be stored as they are: tensors with about the size of a dense tensor of the call,
/// or of an extent of a list.  Refers to the request.
class TensorSizes {
public:
    explicit TensorSizes(const PlanRequest& request);

    bool holds(const Shape& shape) const;
    /// True for an argument that may be made a tensor: a tensor, a list of a line, or a stage's result: a
    /// product with a dense factor, or a reduction of lists.
    bool holds_argument(int symbol) const;
    /// True for a view that may repeat a list: memory holds the elements that it shows of one line.
    bool holds_repeated(const Node& view) const;
    /// True for a view that may repeat a list along its dimensions.
    bool may_repeat_list(const Node& view) const;
    /// True for one that has too many elements for a tensor.
    bool repeats_list(const Node& view) const;

private:
    static std::ptrdiff_t rank_of(const Shape& shape);
    static std::int64_t lines_of(Shape shape);
    bool is_line(const Shape& shape) const;
    bool is_tensor(int symbol) const;

    const PlanRequest& request_;
    static constexpr std::int64_t longest_line = std::int64_t{1} << 24;
    static constexpr std::int64_t longest_of_list = std::int64_t{1} << 28;
    std::int64_t longest_ = longest_line;  // extent that a line may have
    std::int64_t largest_ = 0;             // elements of the largest tensor
    std::ptrdiff_t rank_ = 0;              // dimensions of the lists
    std::int64_t largest_list_ = 0;        // elements of the largest list
};

/// True for each node that may be made whole: it has, with the elements stored for it, about the size of a
/// dense tensor of the call, or of the extents of a list.
const std::vector<bool>& may_be_whole(const PlanRequest& request);
/// True for each node that has about as few elements, with all its direct and indirect operands, lists among
/// them.
const std::vector<bool>& made_of_few_elements(const PlanRequest& request);
/// Adds this for the nodes of a graph that come after the nodes for which it is known.
void add_made_of_few(const Graph& graph, const TensorSizes& sizes, std::vector<bool>& are);
/// True for nodes that products read in the dimensions of their terms (list_products.hpp).
const std::vector<bool>& read_as_terms(const PlanRequest& request);
/// The product of lists that a node is (list_products.hpp); null if it is none.
const ListProduct* list_product(const PlanRequest& request, NodeId id);
/// The iteration spaces of lists (list_spaces.hpp).
const std::vector<IterationSpace>& spaces_of_lists(const PlanRequest& request);

/// A bit for each dimension in which the mask of a symbol differs.  Refers to the request.
std::function<std::uint64_t(int)> dims_of_masks(const PlanRequest& request);

/// The views of masks of lists that stages make as lists: products see these, as the masked values.
const std::vector<bool>& moved_masks(const PlanRequest& request);

/// The nodes of a graph that read lists, over the space of the largest lists.
class ListAnalysis {
public:
    /// Refers to the referents of the request, its analyses, and the space.
    ListAnalysis(const PlanRequest& request, const IterationSpace& space);

    const Graph& graph() const noexcept { return graph_; }
    const IterationSpaceAnalysis& nodes() const noexcept { return nodes_; }

    /// True for a masked argument that is a list, and of the mask of one.
    bool is_list(NodeId id) const;
    /// True for a list that is specified where it stores something.  A list that a stage moved may list more
    /// than is specified: then its mask is another list's.
    bool is_list_with_its_mask(NodeId id) const;
    /// True for a node that reads no list.
    bool reads_no_list(NodeId id) const { return !reads_list_[static_cast<std::size_t>(id)]; }
    /// True for a tensor without a mask that reads no list.
    bool is_dense(NodeId id) const { return reads_no_list(id) && graph_[id].mask == no_node; }

private:
    const Graph& graph_;
    const PlanFacts& facts_;
    IterationSpaceAnalysis nodes_;
    const std::vector<bool>& reads_list_;
};

/// The analysis over one of spaces_of_lists().
const ListAnalysis& lists_over(const PlanRequest& request, const IterationSpace& space);

/// Analyses of the graph of a request, each made when it is first asked for and reused by all rules.
struct PlanAnalyses {
    std::optional<std::vector<bool>> reading_lists, may_be_whole, made_of_few_elements, read_as_terms,
        moved_masks;
    std::optional<std::map<NodeId, ListProduct>> list_products;
    std::optional<std::vector<IterationSpace>> spaces;
    std::map<const IterationSpace*, ListAnalysis> lists;
};

/// A view as kernels of lists read it.  Refers to the node.
inline list_kernels::ElementView element_view(const Node& view) {
    return {.shape = view.shape, .coefficients = view.attributes, .offsets = view.offsets};
}

/// A gather as kernels of lists read it.  Refers to the node and to the shape of its operand.
inline list_kernels::ElementGather gather_of(const Node& gather, const Shape& from,
                                             std::vector<Shape> indices) {
    return {
        .from = from, .shape = gather.shape, .attributes = gather.attributes, .indices = std::move(indices)};
}

std::vector<Shape> shapes_of(const Graph& graph, std::span<const NodeId> ids);

/// True if a gather reads a list, if its operand is one, by dense indices that a kernel of lists follows.
bool is_list_gather(const ListAnalysis& lists, const Node& gather);

/// The layout of a list that a node moves, of lists in a layout that all have: csr and csc stay as they are
/// if rows stay rows; else coo.
Layout moved_layout(const Node& move, Layout layout);

}  // namespace frisket::planning

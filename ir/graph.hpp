// SPDX-License-Identifier: MIT
// Defines graphs: steps and expressions as plain data.
#pragma once
#include "../runtime/kernel/signature.hpp"
#include "../runtime/tensor/dtype.hpp"
#include "../runtime/tensor/error.hpp"
#include "../runtime/tensor/shape.hpp"
#include "ops/op_info.hpp"
#include "ops/ops.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// A step as plain data: `describe` makes it from the types, and everything below reads it.
namespace frisket {

/// Index of a node in its graph.
using NodeId = std::int32_t;
inline constexpr NodeId no_node = -1;

/// Kinds of node, by how an element of the result is made.
enum class NodeKind : std::uint8_t {
    constant,  ///< a number of the source
    symbol,    ///< the value of a symbol; InOut and ScalarState: before the step
    op,        ///< an operation of the table
    mask_of,   ///< bool: which elements of a Masked symbol are specified
    to_dense,  ///< operand 0 where its mask is true, operand 1 (a host number) elsewhere; dense
    on,        ///< operand 0 restricted to mask operand 1; a host scalar if operand 0 is
    updated,   ///< the value of an InOut or ScalarState after one more update (update_operand); dense
    cast,      ///< operand 0 in the node's dtype
    // Kinds that move elements or put several into one; only graphs whose symbols have shapes hold them.
    // Below, i is an index of the result, and `where` is operand 1: a bool node, or no_node for "all".
    size,        ///< offsets[0], an int64 of rank 0: a number per call, no part of the loops
    coordinate,  ///< i[attributes[0]], an int64
    reduce,      ///< operand 0 over the dims attributes (ascending, they are dropped) where `where` is true;
                 ///< argmin, argmax: the row-major position within these dims; contract: the sum of operand 0
                 ///< times operand 2, which broadcast
    scan,        ///< the running reduction of operand 0 along attributes[0] where `where` is true; contract:
                 ///< operand 0 plus operand 2 times the element before, everywhere, of one shape and dtype
    view,        ///< operand 0 at index_d = offsets[d] + sum over j of attributes[d * rank + j] * i[j]; no
                 ///< offsets: they are 0, and so where every dimension that is seen is seen whole
    reshape,     ///< operand 0 in row-major order
    cat,         ///< the operands one after the other along attributes[0]
    gather,   ///< operand 0 at index_d = i[attributes[d]], or operand 1 + k at i for attributes[d] = -1 - k
    scatter,  ///< 0, and each element of operand 0 where `where` is true added (any: or) at index_d =
              ///< i[attributes[d]], or operand 2 + k for attributes[d] = -1 - k; i is an index of operand 0
    scatter_view,  ///< as scatter, at the index that a view with these attributes and offsets reads
};

/// Names by which texts call a node.
enum class NamedBy : std::uint8_t { kind, op, dtype, reduction };

/// Facts of a kind of node.
struct NodeKindInfo {
    std::string_view name;
    NamedBy named_by = NamedBy::kind;
    /// Makes each element from elements of its operands at the same position.
    bool is_elementwise = false;
    /// Each element is an element of operand 0, in the node's dtype, at a position that depends on no value.
    bool keeps_elements = false;
    /// Puts several elements of operand 0 together where `where` is true, in loops of its own before its
    /// readers' loops.
    bool accumulates = false;
    bool attributes_are_dims = false;  ///< dims of operand 0 if it accumulates, else of the result
};

/// THE table of node kinds, in the order of NodeKind.
inline constexpr NodeKindInfo node_kinds[] = {
    {.name = "constant", .is_elementwise = true},
    {.name = "symbol", .is_elementwise = true},
    {.name = "op", .named_by = NamedBy::op, .is_elementwise = true},
    {.name = "mask_of", .is_elementwise = true},
    {.name = "to_dense", .is_elementwise = true},
    {.name = "on", .is_elementwise = true, .keeps_elements = true},
    {.name = "updated", .is_elementwise = true},
    {.name = "cast", .named_by = NamedBy::dtype, .is_elementwise = true, .keeps_elements = true},
    {.name = "size"},
    {.name = "coordinate", .attributes_are_dims = true},
    {.name = "reduce", .named_by = NamedBy::reduction, .accumulates = true, .attributes_are_dims = true},
    {.name = "scan", .named_by = NamedBy::reduction, .accumulates = true, .attributes_are_dims = true},
    {.name = "view", .keeps_elements = true},
    {.name = "reshape", .keeps_elements = true},
    {.name = "cat", .attributes_are_dims = true},
    {.name = "gather"},
    {.name = "scatter", .accumulates = true},
    {.name = "scatter_view", .accumulates = true}};
static_assert(std::size(node_kinds) == static_cast<std::size_t>(NodeKind::scatter_view) + 1);

/// The row of a kind.
constexpr const NodeKindInfo& info_of(NodeKind kind) { return node_kinds[static_cast<std::size_t>(kind)]; }

/// True if an instruction makes each element from elements of its operands at the same position.
constexpr bool is_elementwise(NodeKind kind) { return info_of(kind).is_elementwise; }
/// True if an instruction moves elements and computes none: a view or a reshape.
constexpr bool is_move(NodeKind kind) { return info_of(kind).keeps_elements && !is_elementwise(kind); }
/// True if an instruction reduces along dimensions, or keeps a running reduction.
constexpr bool is_along_dims(NodeKind kind) {
    return info_of(kind).accumulates && info_of(kind).attributes_are_dims;
}
/// True if an instruction adds elements at indices.
constexpr bool is_scatter(NodeKind kind) {
    return info_of(kind).accumulates && !info_of(kind).attributes_are_dims;
}

/// Positions of the operands of kind updated.  The symbol takes `value`, rounded to its dtype, where the bool
/// node `where` is true (no_node: everywhere), and keeps its value `before`, a node of kind symbol or
/// updated, elsewhere.  `seed`, `step` and `first` are host scalars, for a target of 16 bits that is rounded
/// up or down at random (stochastic_rounding.hpp); no_node: to nearest.
namespace update_operand {
inline constexpr std::size_t value = 0, before = 1, where = 2, seed = 3, step = 4, first = 5;
}  // namespace update_operand

/// "sum", "prod", … as graphs print it.  Errors: ValueError if a number that is no reduction was cast to one.
std::string_view name_of(Reduction reduction);

/// Part of the result's gradient that operand 0 of a cast or to_dense gets.
enum class GradientPath : std::uint8_t {
    specified,   ///< the gradient where the operand is specified
    everywhere,  ///< all of it: unspecified elements have the value of the fill
    none,        ///< nothing
};

/// One instruction.  Operands precede it.
struct Node {
    NodeKind kind = NodeKind::constant;
    OpId op{};
    DType dtype = DType::float32;  ///< host scalars: float64, int64 or bool; kind cast: also a storage dtype
    /// Computed only from host scalars (constants, scalars): evaluated once a call, in double, and converted
    /// to the dtype of the other operand.
    bool is_host_scalar = false;
    SmallVector<NodeId, 4> operands = {};
    /// A bool node: which elements are specified; no_node: all (dense).  Either of kind mask_of, or computed
    /// from such nodes by where and logical_and, and then it may depend on values.  Mask nodes have no mask
    /// themselves, and where they read a value that is unspecified, it does not matter.
    NodeId mask = no_node;
    int symbol = -1;  ///< kinds symbol, updated, mask_of
    double constant = 0;
    /// Kind constant of int64: the number itself; kind updated: which rounding at random of the symbol it is.
    std::int64_t integer = 0;
    Reduction reduction = Reduction::sum;
    SmallVector<std::int64_t, 4> attributes = {};
    SmallVector<std::int64_t, 4> offsets = {};  ///< numbers of a call, no part of the loops
    Shape shape = {};                           ///< known in graphs whose symbols have shapes; numbers: []
    GradientPath path = GradientPath::specified;

    /// The type of its values where something is computed of them.
    ElementType type() const { return {.dtype = compute_dtype(dtype), .is_host_scalar = is_host_scalar}; }
    /// The dtype of its elements where it is a result.
    DType result_dtype() const { return is_host_scalar ? strong(type()).dtype : dtype; }
    /// True for an update of a tensor.
    bool is_tensor_update() const noexcept { return kind == NodeKind::updated && !is_host_scalar; }
    /// Constants compare by their bits: 0 and -0 differ, NaN equals itself.
    bool operator==(const Node& other) const;
};

/// A named tensor or number of a graph.
struct Symbol {
    std::string name;
    SymbolKind kind = SymbolKind::in;
    DType dtype = DType::float32;
    Shape shape = {};  ///< known in graphs with shapes
    /// Elements may share one address, to which all of them store the same value if they are written.
    bool is_repeated = false;
    bool operator==(const Symbol&) const = default;
};

/// Something about values that is an error: where `bad`, a bool of rank 0, is true.
struct Check {
    ErrorCode code = ErrorCode::value;
    NodeId bad = no_node;
    NodeId elements = no_node;  ///< bool: which elements are bad
    NodeId value = no_node;     ///< integers of the shape of `elements` that the sentence names
    std::string text;  ///< the sentence, `{}` for the index of the first bad element, `{value}` its value
    bool operator==(const Check&) const = default;
};

/// A step or an expression: symbols, instructions, then updates or results.  Equal graphs mean equal steps;
/// constants are part of it.
struct Graph {
    std::string name;
    std::vector<Symbol> symbols;  ///< in order of first appearance; Let does not occur
    std::vector<Node> nodes;
    /// The last node of kind updated of each symbol that is written, in the order of their first updates.
    std::vector<NodeId> updates;
    /// Pairs of mask nodes that must be equal at run time (masked operands of different symbols that meet).
    std::vector<std::array<NodeId, 2>> equal_masks;
    std::vector<NodeId> results;  ///< results of an expression
    std::vector<Check> checks;    ///< in the order of the source
    std::vector<NodeId> skips;    ///< bools of rank 0: a step changes nothing where one of them is true
    bool shaped = false;          ///< true if nodes have shapes
    bool operator==(const Graph&) const = default;

    /// A node; `id` must be one of the graph's.
    const Node& operator[](NodeId id) const { return nodes[static_cast<std::size_t>(id)]; }
};

/// Calls `visit` with each node that an instruction which accumulates and moves nothing reads at its own
/// position: its operands, but of `on` only the values, and of `to_dense` also the mask.
void for_each_aligned(const Graph& graph, const Node& node, const auto& visit) {
    if (node.kind == NodeKind::to_dense) visit(graph[node.operands[0]].mask);
    for (const NodeId operand :
         std::span(node.operands).first(node.kind == NodeKind::on ? 1 : node.operands.size()))
        visit(operand);
}

/// The dtype in which `node` reads operand `i`: the operand is rounded to it first.
DType operand_dtype(const Graph& graph, const Node& node, int i);
/// The shape that a reduction or a scan reduces: for kind contract, the broadcast shape of both factors.
Shape reduced_shape(const Graph& graph, const Node& node);
/// True for a sum of products.
inline bool is_product(const Node& node) {
    return node.kind == NodeKind::reduce && node.reduction == Reduction::contract;
}
/// Tells if a scan is a linear recurrence.
inline bool is_recurrence(const Node& node) {
    return node.kind == NodeKind::scan && node.reduction == Reduction::contract;
}
/// Number of elements that are computed only for a node: a reduction's reduced elements, a product's terms.
std::int64_t work_of(const Graph& graph, const Node& node);
/// Sum of work_of() over all nodes that are no host scalars: the elements that interpreted bodies compute at
/// most.
std::int64_t work_of(const Graph& graph);
/// True for a product of floats that takes longer than the calls of a few loops (limits::staged_product).
bool is_large_product(const Graph& graph, const Node& node);
/// True for a sum of products whose terms are more than a panel (limits::product_panel).
bool has_panels(const Graph& graph, const Node& node);
/// True for a sum of products whose result has limits::narrow_columns columns at most, and several.
bool is_narrow(const Node& node);
/// True for a sum of products in panels whose result has limits::few_sums elements at most.
bool has_few_sums(const Graph& graph, const Node& node);
/// The dtype in which a value is read where it is stored as `memory`, so that it is rounded once: float64 for
/// 16-bit floats, unless it is a float32.
DType rounded_from(const Graph& graph, NodeId value, DType memory);

/// Text of a graph, one instruction a line, as FRISKET_SHOW=graph prints it.
std::string to_string(const Graph& graph);
/// A hash of everything that == compares.
std::size_t hash(const Graph& graph);
/// A hash of everything that == compares.
std::size_t hash(const Node& node);
/// The parameters of a kernel of this graph, and the checks of its calls.  Updates of ScalarState are no
/// UpdateRules: they have no shape.
Signature signature_of(const Graph& graph);

/// A call of a function that adds several instructions, of which one is the result.
struct WrittenCall {
    std::string_view name;
    std::vector<NodeId> operands;
};

/// Rules for masked operands that meet.
enum class MaskMode : std::uint8_t {
    equal,         ///< they must specify the same elements
    intersection,  ///< where all do
    unite,         ///< where any does; a single specified operand passes through
};

/// Meaning of an update without a mask of its own.
enum class Scope : std::uint8_t {
    inferred,    ///< dense in a step with a masked update is refused
    everywhere,  ///< all elements, as stated explicitly
};

/// Makes a graph with run-time names; equal instructions are made once.
/// Errors: BindingError (a name used for two kinds or dtypes, an update of a symbol that is not writable),
/// DTypeError, MaskMismatch (masks that cannot be checked before the loop), ValueError; the text names the
/// step.
class GraphBuilder {
public:
    /// An empty graph; messages name the step.
    explicit GraphBuilder(std::string step_name);

    /// The current value of a symbol: after the updates made so far.  A Let has the value of its definition.
    NodeId symbol(std::string_view name, SymbolKind kind, DType dtype);
    /// The current value of a symbol in a graph whose symbols have shapes: all have, or none.
    NodeId symbol(std::string_view name, SymbolKind kind, DType dtype, const Shape& shape);
    NodeId constant(double value);        ///< a host scalar
    NodeId constant(std::int64_t value);  ///< a host scalar
    /// A host scalar, an int64.
    NodeId constant(int value) { return constant(std::int64_t{value}); }
    NodeId constant(bool value);  ///< a host scalar
    /// An operation of the table.  Errors: DTypeError, ShapeError, MaskMismatch, IdentityError (a union by an
    /// operation without identity), ValueError.
    NodeId apply(OpId op, std::span<const NodeId> operands, MaskMode mode = MaskMode::equal);
    /// An operation of a list of operands.
    NodeId apply(OpId op, std::initializer_list<NodeId> operands) {
        return apply(op, std::span(operands.begin(), operands.size()));
    }
    /// An operation by its type.
    template <class Op>
    NodeId apply(std::initializer_list<NodeId> operands) {
        return apply(op_id<Op>, operands);
    }
    /// `dense` restricted to the mask of `masked`; a value that is already masked must have the same mask.
    NodeId on(NodeId masked, NodeId dense);
    /// `masked` with `fill` (a host number) where it is unspecified.
    NodeId to_dense(NodeId masked, NodeId fill, GradientPath path = GradientPath::specified);
    /// The mask of a value, as a dense bool: true where it is specified.
    NodeId mask_of(NodeId masked);
    /// Every later update is restricted to the specified elements of a Masked symbol (`step<…>(over(grad),
    /// …)`).
    void over(NodeId masked_symbol);
    /// The step changes nothing if a specified element of the value is infinite or NaN.  Only in graphs with
    /// shapes.  Errors: DTypeError if the elements are no floats.
    void skip_nonfinite(NodeId value);
    /// Begins statements that are judged by themselves, as for an optimizer's rule in a training step: over()
    /// holds only for them, and a step may have dense updates in them and masked updates in other statements.
    void begin_inlined();
    void end_inlined();  ///< statements are the step's own again
    /// InOut or ScalarState takes a value.
    void update(std::string_view name, NodeId value, Scope scope = Scope::inferred);
    /// Defines a Let.
    void let(std::string_view name, NodeId value);

    /// True if a mask is true wherever another is because of how both were made: it is that mask, or computed
    /// from it by `any` over dimensions that are broadcast back (contained_masks.hpp).
    bool contains(NodeId mask, NodeId part) const;
    /// Masks that are true where both are, and where either is: one of the two if one implies the other
    /// (absorbing()).
    NodeId both(NodeId a, NodeId b);
    NodeId either(NodeId a, NodeId b);  ///< as both()

    /// Notes, for messages, the function of these operands that added an instruction; the name is not copied.
    void note_call(NodeId result, std::string_view name, std::vector<NodeId> operands);
    /// Gives names, for messages, to symbols whose own names are not the user's.
    void call_symbols(std::function<std::string(const Symbol&)> title) { title_ = std::move(title); }
    /// An instruction as it was written, "mean(grad)".
    std::string written(NodeId id) const;

    /// Any instruction, with its shape; the same one is made once.
    NodeId add(Node node);
    /// An error where an element is bad: `bad` is a bool node; `value` has its shape, see Check.
    void check(ErrorCode code, NodeId bad, NodeId where, std::string text, NodeId value = no_node);
    /// The graph of only these values, with the symbols that they and the checks read.
    Graph expression(std::span<const NodeId> results) const;
    /// True if symbols have shapes.
    bool is_shaped() const noexcept { return graph_.shaped; }
    /// Throws an error whose text names the step.
    [[noreturn]] void fail(ErrorCode code, const std::string& text) const;

    /// A node that was made before.
    const Node& operator[](NodeId id) const { return graph_[id]; }
    /// The graph as far as it is made.
    const Graph& graph() const noexcept { return graph_; }
    /// The finished graph.  Errors: as above, where only the finished graph decides.
    Graph finish();

protected:
    Graph graph_;

private:
    NodeId any_of(NodeId elements);
    NodeId joined(OpId op, NodeId a, NodeId b);
    NodeId& slot_of(const Node& node);
    void grow_slots();
    NodeId symbol_of_shape(std::string_view name, SymbolKind kind, DType dtype, const Shape& shape);
    NodeId symbol_node(int symbol);
    int find(std::string_view name) const;
    void check_kind(std::string_view name, SymbolKind kind, DType dtype) const;
    void check_operands(OpId op, std::span<const NodeId> operands) const;
    Shape common_shape(OpId op, std::span<const NodeId> operands) const;
    NodeId operand_mask(OpId op, std::span<const NodeId> operands, const Shape& shape);
    NodeId branch_mask(std::span<const NodeId> operands);
    /// `operands` names the two that the masks belong to, for messages.
    NodeId meet(NodeId mask_a, NodeId mask_b, const Shape& shape,
                const std::function<std::string()>& operands);
    std::string written_pair(std::string_view function, NodeId a, NodeId b) const;
    NodeId apply_meeting(Node node, MaskMode mode);
    void check_values(NodeId result);
    NodeId update_mask(const Symbol& target, NodeId value, Scope scope);
    void check_update(const Symbol& target, NodeId value) const;
    void check_scopes() const;
    void check_masks() const;

    std::vector<NodeId> current_;  // value of each symbol after the updates so far
    std::vector<NodeId> slots_;    // a hash table of the nodes, at most half full
    std::map<std::string, NodeId, std::less<>> lets_;
    /// An update as it was written.
    struct SaidUpdate {
        NodeId update;
        Scope scope;
        int part;  // its group of statements
    };
    std::vector<SaidUpdate> said_;
    int part_ = 0, parts_ = 0;  // 0: statements of the step itself
    std::map<NodeId, WrittenCall> calls_;
    std::function<std::string(const Symbol&)> title_;
    NodeId over_ = no_node;
};

}  // namespace frisket

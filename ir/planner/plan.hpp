// SPDX-License-Identifier: MIT
// Defines plans as data: stages that read and write numbered values.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "../../runtime/tensor/masked_tensor.hpp"
#include "../graph.hpp"
#include "iteration_space.hpp"
#include "plan_facts.hpp"
#include "rules/rule.hpp"

/// Plans as data: stages in the order in which they run, each of which reads values of the call by number and
/// makes new values.
namespace frisket::planning {

/// Number of a value of a call: its arguments come first, then results of stages.
using ValueId = int;
inline constexpr ValueId no_value = -1;

/// The extent of a dimension that has one element, or row, for each coordinate: known when they are.
inline constexpr std::int64_t coordinate_extent = -1;

/// Coordinates of several lists.
enum class MergeKind : std::uint8_t {
    union_of,         ///< coordinates of any list
    intersection_of,  ///< coordinates of all lists
    same_pattern,     ///< the lists are one list
};

/// The coordinates of a space that the lists of the operands store.
struct CoordinatesStage {
    IterationSpace space;
    MergeKind kind = MergeKind::union_of;
    std::vector<ValueId> operands;  ///< value of each symbol of the space
    ValueId made = no_value;
    bool operator==(const CoordinatesStage&) const = default;
};

/// Reads an operand of a body: a value as it is, or the elements of it at the coordinates.
struct BodyOperand {
    static constexpr int whole = -1;
    ValueId value = no_value;
    int symbol = whole;  ///< its number among the symbols of the space
    bool operator==(const BodyOperand&) const = default;
};

/// The form in which a result of a body is stored.
enum class ResultForm : std::uint8_t {
    as_made,  ///< values, and a mask
    placed,   ///< a masked tensor with the elements at their coordinates
    in_line,  ///< only the values, in one dimension
    tensor,   ///< only the values
    masked,   ///< a masked tensor that stages read
};

struct BodyResult {
    ValueId made = no_value;
    ResultForm form = ResultForm::as_made;
    Shape shape = {};  ///< placed: the masked tensor's
    bool operator==(const BodyResult&) const = default;
};

/// A graph that loops or the interpreter evaluate: over whole tensors, or over coordinates.
struct BodyStage {
    Graph graph = {};                        ///< extents may be `coordinate_extent`
    std::vector<BodyOperand> operands = {};  ///< operand of each symbol
    ValueId coordinates = no_value;          ///< none: the body is evaluated over whole tensors
    std::vector<BodyResult> results = {};
    bool operator==(const BodyStage&) const = default;
};

/// A graph that is evaluated for some indices of dimension 0 at a time, each time by a plan of its own.
struct SlicedStage {
    Graph graph;                    ///< for `items` indices
    std::int64_t items = 1;         ///< indices of a slice
    std::int64_t count = 1;         ///< slices
    std::vector<ValueId> operands;  ///< value of each symbol
    std::vector<bool> is_sliced;    ///< for each symbol: a slice of it is read, not all
    std::vector<ValueId> made;      ///< the results
    bool operator==(const SlicedStage&) const = default;
};

/// The values of an argument at coordinates, or where it is specified there.
struct LocateStage {
    BodyOperand operand;
    ValueId coordinates = no_value;
    bool is_mask = false;
    ValueId made = no_value;
    bool operator==(const LocateStage&) const = default;
};

/// A list that a list kernel reads: indices, and a value for each.
struct ListOperand {
    enum class Kind : std::uint8_t {
        list,            ///< a masked tensor, converted to `dtype`
        pattern,         ///< where a masked tensor is specified: true
        at_coordinates,  ///< values in line, over coordinates
        true_at,         ///< bools in line, over coordinates: those that are true
        dense,           ///< a tensor, no list
    };
    Kind kind = Kind::list;
    ValueId value = no_value;
    ValueId coordinates = no_value;
    DType dtype = DType::float32;
    bool is_list() const { return kind != Kind::dense; }
    bool operator==(const ListOperand&) const = default;
};

inline ListOperand dense_tensor(ValueId value) { return {.kind = ListOperand::Kind::dense, .value = value}; }

/// A reduction, or a running one, of values at coordinates along some dimensions, for the slices that have
/// one.
struct ReduceStage {
    ValueId coordinates = no_value;
    ValueId x = no_value, where = no_value;  ///< values in line
    ValueId y = no_value;                    ///< the other factor of Reduction::contract, in line
    ValueId mask = no_value;                 ///< a list to which the slices are restricted
    Shape shape;                             ///< shape of the operand
    std::vector<std::int64_t> dims;
    Reduction reduction = Reduction::sum;
    DType operand_dtype = DType::float32, dtype = DType::float32;
    bool is_pattern = false;  ///< slices that are false are left out
    bool is_running = false;  ///< the running reduction along the one dimension, at the coordinates
    ValueId made = no_value;
    bool operator==(const ReduceStage&) const = default;
};

/// A view of a list, elements of it at indices, lists joined along a dimension, or elements of a list, where
/// another one is true, added up at indices or at the positions of a view: `node` determines it.
struct PermuteStage {
    Node node;
    std::vector<ListOperand> operands;
    std::vector<Shape> shapes;             ///< shapes of the operands
    std::vector<ValueId> indices = {};     ///< for a gather: dense tensors
    std::vector<Shape> index_shapes = {};  ///< their shapes
    ValueId mask = no_value;               ///< a list to which the result is restricted
    Layout layout = Layout::coo;           ///< coo, csr or csc
    ValueId made = no_value;
    bool operator==(const PermuteStage&) const = default;
};

/// A list in another shape whose elements have the same order, or a view of a dense tensor.
struct ViewStage {
    Node node;
    ListOperand operand = {.kind = ListOperand::Kind::dense};
    ValueId mask = no_value;  ///< a list to which a list is restricted
    ValueId like = no_value;  ///< a list whose indices a list has: it has its layout, else coo
    ValueId made = no_value;
    bool operator==(const ViewStage&) const = default;
};

/// A factor of a product, restricted to a list if there is one.
struct Factor {
    ListOperand matrix = {};
    std::optional<ListOperand> mask = {};
    bool is_transposed = false;  ///< it is read as the transposed matrix
    bool is_batched = false;     ///< there is a matrix for each batch, one after the other
    bool operator==(const Factor&) const = default;
};

/// A product of matrices of which at least one is a list; for several batches, all matrices, one after the
/// other as rows of one matrix.
struct MultiplyStage {
    Factor left, right;
    Shape terms;  ///< rows, inner, columns of a batch
    std::int64_t batches = 1;
    DType dtype = DType::float32;
    bool is_pattern = false;    ///< bools are made: true where a term is
    ValueId places = no_value;  ///< a masked tensor outside of which nothing is read; for two lists
    ValueId made = no_value;
    bool operator==(const MultiplyStage&) const = default;
};
/// The shape of its result.
inline Shape made_shape(const MultiplyStage& stage) {
    return {stage.batches * stage.terms[0], stage.terms[2]};
}

/// The elements of a product of dense matrices where a masked tensor is specified, as values of its list.
struct SampledProductStage {
    ValueId domain = no_value;
    ValueId left = no_value, right = no_value;  ///< left(row, k) and right(column, k), of each batch
    std::int64_t inner = 0;                     ///< number of k
    /// Each has a matrix for each index of the dimensions before the last two, or one for all.
    bool is_left_batched = false, is_right_batched = false;
    DType dtype = DType::float32;
    ValueId made = no_value;
    bool operator==(const SampledProductStage&) const = default;
};

/// The positions that a masked tensor specifies, and their indices along each dimension.
struct SampleStage {
    struct Index {
        int dim = 0;
        ValueId made = no_value;
        bool operator==(const Index&) const = default;
    };
    ValueId domain = no_value;
    ValueId made = no_value;
    std::vector<Index> indices;
    bool operator==(const SampleStage&) const = default;
};

/// The values of a masked tensor in a layout: at its own positions in line, or as values and mask.
struct ConvertStage {
    ValueId operand = no_value;
    bool in_line = false;
    ValueId made = no_value;
    bool operator==(const ConvertStage&) const = default;
};

/// The sums of rows of a dense tensor that are read at indices.
struct GatheredSumStage {
    ValueId table = no_value;
    ValueId indices =
        no_value;             ///< int64, of a shape that broadcasts to `space`, and perhaps extents of 1 more
    Shape space;              ///< shape of the indices
    std::int64_t length = 1;  ///< indices of each sum: those along the last dimensions of the space
    Shape shape;              ///< shape of the result
    DType dtype = DType::float32;  ///< the table's dtype, or float64
    ValueId made = no_value;
    bool operator==(const GatheredSumStage&) const = default;
};

using StageAction =
    std::variant<CoordinatesStage, BodyStage, SlicedStage, LocateStage, ReduceStage, PermuteStage, ViewStage,
                 MultiplyStage, SampledProductStage, SampleStage, ConvertStage, GatheredSumStage>;

struct PlanStage {
    const RuleInfo* rule = &rules::whole;
    StageAction action;
    NodeId node = no_node;  ///< node of the planned graph that a list kernel makes
    std::string name = {};  ///< symbol by which the rest reads the list
    bool operator==(const PlanStage&) const = default;
};

/// The results of a graph over the sampled positions of a masked tensor, put into its layout.
struct SampledResults {
    ValueId domain = no_value;
    Shape shape;                     ///< shape of the domain
    ValueId positions = no_value;    ///< none: the graph is evaluated for whole tensors
    std::vector<bool> has_own_mask;  ///< true for results that are specified at some of the positions
    bool operator==(const SampledResults&) const = default;
};

/// The elements that a scatter adds up, as a list: the rest of the plan makes its operands.
struct ListedScatter {
    static constexpr int none = -1;
    Node node;                      ///< the scatter
    std::int64_t count = 0;         ///< elements that it scatters
    Layout layout = Layout::coo;    ///< rows, or coo
    int values = 0, where = none;   ///< numbers of operands 0 and 1 among the results of the rest
    std::vector<Node> views = {};   ///< nodes that repeat the values before they are scattered, in order
    std::vector<int> indices = {};  ///< numbers of the further operands among them
    bool operator==(const ListedScatter&) const = default;
};

/// Results some of which are scatters as lists.
struct ScatteredResults {
    /// Scatters into one tensor, united by addition one after the other.
    using Scatters = std::vector<ListedScatter>;
    /// Number of each result among the results of the rest, or its scatters.
    std::vector<std::variant<int, Scatters>> results;
    bool operator==(const ScatteredResults&) const = default;
};

struct Plan;

/// Facts that plans know of the lists that stages of a call have made.
struct MadeLists {
    std::map<ValueId, ValueId> same_indices =
        {};                        ///< lists, and a list whose indices, in a layout, they have
    std::set<ValueId> lines = {};  ///< products with a dense factor: all elements of some columns
    std::map<ValueId, std::int64_t> shown = {};  ///< tensors that repeat elements: those that they show
    int restrictions = 0;  ///< plans so far that restricted factors of products (restricted_factors.hpp)
    bool operator==(const MadeLists&) const = default;
};

/// A graph that is evaluated when the stages before it have run.
struct RestOfPlan {
    /// Facts that plans of a graph depend on and that only stages before it give.
    enum class Needs : std::uint8_t {
        nothing,
        answer,   ///< the answer to `test`
        extents,  ///< that coordinates decide
    };
    Graph graph;
    std::vector<ValueId> operands;      ///< value of each symbol
    bool is_in_form = false;            ///< it is a graph that list_form would give again
    bool has_new_views = false;         ///< views show tensors that were lists: it has no form yet
    MadeLists made = {};                ///< lists of the call so far
    Needs needs = Needs::extents;       ///< nothing: it is planned
    std::optional<PlanTest> test = {};  ///< asked of values of its symbols, if plans are enumerated
    std::vector<Plan> plan = {};        ///< planned: one, or none: one body over whole tensors
    /// It where the answer is yes, and where it is no, if plans are enumerated.
    std::vector<RestOfPlan> branches = {};
    bool operator==(const RestOfPlan& other) const;
};

struct Plan {
    /// The graph that was planned, of which the nodes of stages are; nothing: as it was given.
    std::optional<Graph> form = {};
    std::vector<PlanStage> stages = {};
    std::vector<ValueId> results = {};           ///< values that stages have made, else no_value; empty: none
    std::optional<RestOfPlan> rest = {};         ///< computes the other results, in their order
    std::optional<SampledResults> sampled = {};  ///< layout of the results of the rest
    std::optional<ScatteredResults> scattered = {};  ///< the results, computed from the rest's
    ValueId value_count = 0;                         ///< with the values of the call before it
    bool operator==(const Plan&) const = default;
};

inline bool RestOfPlan::operator==(const RestOfPlan& other) const = default;

}  // namespace frisket::planning

// SPDX-License-Identifier: MIT
// Builds the instructions of operations on whole tensors.
#pragma once
#include "../graph.hpp"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Operations on whole tensors as instructions of a graph whose symbols have shapes: the parts of reductions,
/// views, indexing and products, with their mask rules.  Errors name the graph.
namespace frisket::ir {

/// An instruction of a graph that is being made.
struct Value {
    GraphBuilder* graph = nullptr;
    NodeId id = no_node;

    /// Valid until an instruction is added.
    const Node& node() const { return (*graph)[id]; }
    Shape shape() const { return node().shape; }
    int rank() const { return static_cast<int>(node().shape.size()); }
    DType dtype() const { return node().type().dtype; }
    bool is_masked() const { return node().mask != no_node; }
};

/// Evaluates operands while a graph is made, for operations whose positions depend on values.
struct ValueReader {
    /// x where a condition is true, and specified if it is masked, in row-major order.
    std::function<Value(Value x, Value condition)> index_bool;
    /// The lower median of the specified elements of each slice.
    std::function<Value(Value x, std::optional<int> dim, bool keepdim)> median;
};

/// Dimensions to reduce: all of them without a list.  Negative dimensions count from the end.
using Dims = std::optional<std::vector<int>>;

/// An operation of the table.
Value apply(OpId op, std::initializer_list<Value> operands, MaskMode mode = MaskMode::equal);
template <class Op>
Value apply(std::initializer_list<Value> operands, MaskMode mode = MaskMode::equal) {
    return apply(op_id<Op>, operands, mode);
}
template <class Number>
Value number(GraphBuilder& graph, Number value) {
    return {&graph, graph.constant(value)};
}
inline Value operator+(Value a, Value b) { return apply<op::Add>({a, b}); }
inline Value operator-(Value a, Value b) { return apply<op::Sub>({a, b}); }
inline Value operator*(Value a, Value b) { return apply<op::Mul>({a, b}); }
inline Value operator/(Value a, Value b) { return apply<op::Div>({a, b}); }
inline Value operator-(Value a) { return apply<op::Neg>({a}); }
inline Value where(Value condition, Value x, Value y) { return apply<op::Where>({condition, x, y}); }
/// Computes where(condition, x, y) as a formula, not as a choice of the operand that is read: the branch not
/// taken has gradient 0.
Value choose(Value condition, Value x, Value y);

/// The elements in another dtype; floats are cut to integers, bool is whether they differ from 0.
Value cast(Value x, DType dtype);
/// Limits; an absent one is no limit.  NaN stays NaN; where the limits cross, the upper one wins.
Value clamp(Value x, std::optional<Value> low, std::optional<Value> high);
/// NaN, inf and -inf replaced by numbers.
Value nan_to_num(Value x, Value nan, Value positive_infinity, Value negative_infinity);

// Masks.

/// The mask of x: a dense bool of the shape of x, true where x is specified.
Value mask_of(Value x);
/// `fill`, a number of rank 0, where x is not specified; dense.  Gradients reach the specified elements of x,
/// or all of them.
Value to_dense(Value x, Value fill, GradientPath path = GradientPath::specified);
/// x, through which no gradient passes.
Value detach(Value x);
/// x restricted to the mask of `masked`; one that x has already must be the same.
Value on(Value masked, Value x);
/// x specified where a dense bool is true, and where it was specified itself.
/// Errors: ShapeError if the mask does not broadcast to x; DTypeError.
Value restrict(Value x, Value mask);
/// A masked expression without its mask, of which unspecified elements hold anything: for those who look at
/// the mask themselves.
Value bare(Value x);
/// x given a mask that is a dense bool node of its shape, whatever it had.
Value with_mask(Value x, std::optional<Value> mask);
/// The mask, or nothing if x is dense.
std::optional<Value> mask_or_none(Value x);
/// An error of this code unless `bad`, a bool, is false wherever it is specified; `value`, of its shape, has
/// the number that the sentence names.
void require_none(Value bad, ErrorCode code, const std::string& text, Value value);

// Reductions: a result is specified where an element of its slice is.

Value sum(Value x, const Dims& dims = {}, bool keepdim = false);
Value prod(Value x, const Dims& dims = {}, bool keepdim = false);
Value mean(Value x, const Dims& dims = {}, bool keepdim = false);
Value amin(Value x, const Dims& dims = {}, bool keepdim = false);
Value amax(Value x, const Dims& dims = {}, bool keepdim = false);
Value any(Value x, const Dims& dims = {}, bool keepdim = false);
Value all(Value x, const Dims& dims = {}, bool keepdim = false);
/// Position of the first smallest element along one dimension, or row-major in the whole tensor; NaN is
/// smallest and largest.
Value argmin(Value x, std::optional<int> dim = {}, bool keepdim = false);
Value argmax(Value x, std::optional<int> dim = {}, bool keepdim = false);
/// Mean squared distance from the mean, with divisor max(count - correction, 0).
Value var(Value x, const Dims& dims = {}, double correction = 1, bool keepdim = false);
Value std(Value x, const Dims& dims = {}, double correction = 1, bool keepdim = false);
/// (sum |x|^ord)^(1/ord); infinity: the largest |x|, -infinity: the smallest, 0: how many are not 0.
Value norm(Value x, double ord = 2, const Dims& dims = {}, bool keepdim = false);
Value logsumexp(Value x, const Dims& dims = {}, bool keepdim = false);
/// Number of specified elements, dense int64.
Value count(Value x, const Dims& dims = {}, bool keepdim = false);

// Results with the shape and mask of x.

Value softmax(Value x, int dim);
Value softmin(Value x, int dim);
Value log_softmax(Value x, int dim);
Value cumsum(Value x, int dim);
Value cumprod(Value x, int dim);
/// x / max(norm(x), eps).
Value normalize(Value x, double ord, int dim, double eps);

// Views: the same selection of the mask.

Value select(Value x, int dim, std::int64_t index);
/// Python's rules for absent and negative bounds; step >= 1.
Value slice(Value x, int dim, std::optional<std::int64_t> start, std::optional<std::int64_t> end,
            std::int64_t step = 1);
Value narrow(Value x, int dim, std::int64_t start, std::int64_t length);
Value permute(Value x, const std::vector<int>& dims);
Value transpose(Value x, int dim0, int dim1);
Value movedim(Value x, int source, int destination);
Value reshape(Value x, Shape shape);
Value flatten(Value x, int start_dim = 0, int end_dim = -1);
Value squeeze(Value x, std::optional<int> dim = {});
Value unsqueeze(Value x, int dim);
/// -1 keeps an extent.
Value expand(Value x, Shape shape);
Value flip(Value x, const std::vector<int>& dims);
Value roll(Value x, std::int64_t shift, int dim);
Value repeat(Value x, const std::vector<std::int64_t>& repeats);
Value diagonal(Value x, std::int64_t offset = 0, int dim0 = 0, int dim1 = 1);
/// A view with this matrix of coefficients, see NodeKind::view.
Value view(Value x, std::vector<std::int64_t> coefficients, std::vector<std::int64_t> offsets, Shape shape);
/// x summed over the dimensions that broadcasting repeated, so that it has this shape.
Value sum_to(Value x, Shape shape);

// Indexing and joining.

Value index_select(Value x, int dim, Value index);
/// NumPy's advanced indexing of the leading dimensions.
Value index(Value x, const std::vector<Value>& indices);
Value gather(Value x, int dim, Value index);
/// Elements at `where`, the row-major positions (int64, rank 1) within the leading `dims` dimensions.
Value at_positions(Value x, Value positions, int dims);
Value cat(const std::vector<Value>& parts, int dim);
Value stack(const std::vector<Value>& parts, int dim);
std::vector<Value> split(Value x, std::int64_t size, int dim);

// Products: a term is there where both factors are specified; a sum of none is masked.

Value matmul(Value a, Value b);
/// Products of two matrices, two lists of matrices, a matrix and a vector, or two vectors.
/// Errors: ShapeError for other ranks.
Value mm(Value a, Value b);
Value bmm(Value a, Value b);
Value mv(Value a, Value b);
Value dot(Value a, Value b);
/// x W^T + b.
Value linear(Value x, Value weights, std::optional<Value> bias);

/// Notes, for messages, the function of these operands that added an instruction.
void note_call(NodeId result, std::string_view name, const std::vector<Value>& operands);

// Shared by the files of this folder.

/// 0 <= dim < rank, counted from the end if negative.  Errors: DimError naming the operation.
int checked_dim(GraphBuilder& graph, int dim, int rank, std::string_view operation);
/// Ascending; all without a list.  Errors: DimError if one is out of range or repeated.
std::vector<int> checked_dims(GraphBuilder& graph, const Dims& dims, int rank, std::string_view operation);
/// Refuses a dense x without elements along `dims`.  Errors: IdentityError naming the operation.
void require_elements(Value x, const Dims& dims, std::string_view operation);
/// x broadcast to a shape that it broadcasts to.
Value broadcast_to(Value x, Shape shape);
Value reduce(Reduction reduction, Value x, const std::vector<int>& dims, bool keepdim, DType dtype);
/// Reduction::contract of two factors, where both are specified; the dims are dropped.
Value contract(Value a, Value b, const std::vector<int>& dims);
/// Reduction::contract of two factors of one dtype, whatever their masks, of the terms where a bool is true.
Value contract(Value a, Value b, std::optional<Value> where, const std::vector<int>& dims);

}  // namespace frisket::ir

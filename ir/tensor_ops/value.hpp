// SPDX-License-Identifier: MIT
#pragma once
#include "../graph.hpp"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Operations on whole tensors as instructions of a graph whose symbols have shapes: what reductions, views,
/// indexing and products are made of, with their mask rules.  Errors name the graph.
namespace frisket::building {

/// An instruction of a graph that is being made.
struct Expr {
    GraphBuilder* graph = nullptr;
    NodeId id = no_node;

    /// Valid until an instruction is added.
    const Node& node() const { return (*graph)[id]; }
    Shape shape() const { return node().shape; }
    int rank() const { return static_cast<int>(shape().size()); }
    DType dtype() const { return node().type().dtype; }
    bool is_masked() const { return node().mask != no_node; }
};

/// Dimensions to reduce: all of them if there is no list.  Negative ones count from the end.
using Dims = std::optional<std::vector<int>>;

/// An operation of the table.
Expr apply(OpId op, std::initializer_list<Expr> operands, MaskMode mode = MaskMode::equal);
template <class Op>
Expr apply(std::initializer_list<Expr> operands, MaskMode mode = MaskMode::equal) {
    return apply(op_id<Op>, operands, mode);
}
template <class Number>
Expr number(GraphBuilder& graph, Number value) {
    return {&graph, graph.constant(value)};
}
inline Expr operator+(Expr a, Expr b) { return apply<op::Add>({a, b}); }
inline Expr operator-(Expr a, Expr b) { return apply<op::Sub>({a, b}); }
inline Expr operator*(Expr a, Expr b) { return apply<op::Mul>({a, b}); }
inline Expr operator/(Expr a, Expr b) { return apply<op::Div>({a, b}); }
inline Expr operator-(Expr a) { return apply<op::Neg>({a}); }
inline Expr where(Expr condition, Expr x, Expr y) { return apply<op::Where>({condition, x, y}); }
/// Computes where(condition, x, y) as a formula, not as a choice of what is looked at: the branch not taken
/// has gradient 0.
Expr choose(Expr condition, Expr x, Expr y);

/// The elements in another dtype; floats are cut to whole numbers, bool is whether they differ from 0.
Expr cast(Expr x, DType dtype);
/// Limits; an absent one is no limit.  NaN stays NaN; where the limits cross, the upper one wins.
Expr clamp(Expr x, std::optional<Expr> low, std::optional<Expr> high);
/// NaN, inf and -inf replaced by numbers.
Expr nan_to_num(Expr x, Expr nan, Expr positive_infinity, Expr negative_infinity);

// Masks.

/// The mask of x: a dense bool of the shape of x, true where x is specified.
Expr mask_of(Expr x);
/// `fill`, a number of rank 0, where x is not specified; dense.  Gradients reach the specified elements of x,
/// or all of them.
Expr to_dense(Expr x, Expr fill, GradientPath path = GradientPath::specified);
/// x, through which no gradient passes.
Expr detach(Expr x);
/// x restricted to the mask of `masked`; one that x has already must be the same.
Expr on(Expr masked, Expr x);
/// x specified where a dense bool is true, and where it was specified itself.
/// Errors: ShapeError if the mask does not broadcast to x; DTypeError.
Expr restrict(Expr x, Expr mask);
/// A masked expression without its mask, of which unspecified elements hold anything: for those who look at
/// the mask themselves.
Expr bare(Expr x);
/// x given a mask that is a dense bool node of its shape, whatever it had.
Expr with_mask(Expr x, std::optional<Expr> mask);
/// The mask, or nothing if x is dense.
std::optional<Expr> mask_or_none(Expr x);
/// An error of this code unless `bad`, a bool, is false wherever it is specified; `value`, of its shape, has
/// the number that the sentence names.
void require_none(Expr bad, ErrorCode code, const std::string& text, Expr value);

// Reductions: a result is specified where an element of its slice is.

Expr sum(Expr x, const Dims& dims = {}, bool keepdim = false);
Expr prod(Expr x, const Dims& dims = {}, bool keepdim = false);
Expr mean(Expr x, const Dims& dims = {}, bool keepdim = false);
Expr amin(Expr x, const Dims& dims = {}, bool keepdim = false);
Expr amax(Expr x, const Dims& dims = {}, bool keepdim = false);
Expr any(Expr x, const Dims& dims = {}, bool keepdim = false);
Expr all(Expr x, const Dims& dims = {}, bool keepdim = false);
/// Position of the first smallest element along one dimension, or row-major in the whole tensor; NaN is
/// smallest and largest.
Expr argmin(Expr x, std::optional<int> dim = {}, bool keepdim = false);
Expr argmax(Expr x, std::optional<int> dim = {}, bool keepdim = false);
/// Mean squared distance from the mean, with divisor max(count - correction, 0).
Expr var(Expr x, const Dims& dims = {}, double correction = 1, bool keepdim = false);
Expr std(Expr x, const Dims& dims = {}, double correction = 1, bool keepdim = false);
/// (sum |x|^ord)^(1/ord); infinity: the largest |x|, -infinity: the smallest, 0: how many are not 0.
Expr norm(Expr x, double ord = 2, const Dims& dims = {}, bool keepdim = false);
Expr logsumexp(Expr x, const Dims& dims = {}, bool keepdim = false);
/// Number of specified elements, dense int64.
Expr count(Expr x, const Dims& dims = {}, bool keepdim = false);

// Results with the shape and mask of x.

Expr softmax(Expr x, int dim);
Expr softmin(Expr x, int dim);
Expr log_softmax(Expr x, int dim);
Expr cumsum(Expr x, int dim);
Expr cumprod(Expr x, int dim);
/// x / max(norm(x), eps).
Expr normalize(Expr x, double ord, int dim, double eps);

// Views: the same selection of the mask.

Expr select(Expr x, int dim, std::int64_t index);
/// Python's rules for absent and negative bounds; step >= 1.
Expr slice(Expr x, int dim, std::optional<std::int64_t> start, std::optional<std::int64_t> end,
           std::int64_t step = 1);
Expr narrow(Expr x, int dim, std::int64_t start, std::int64_t length);
Expr permute(Expr x, const std::vector<int>& dims);
Expr transpose(Expr x, int dim0, int dim1);
Expr movedim(Expr x, int source, int destination);
Expr reshape(Expr x, Shape shape);
Expr flatten(Expr x, int start_dim = 0, int end_dim = -1);
Expr squeeze(Expr x, std::optional<int> dim = {});
Expr unsqueeze(Expr x, int dim);
/// -1 keeps an extent.
Expr expand(Expr x, Shape shape);
Expr flip(Expr x, const std::vector<int>& dims);
Expr roll(Expr x, std::int64_t shift, int dim);
Expr repeat(Expr x, const std::vector<std::int64_t>& repeats);
Expr diagonal(Expr x, std::int64_t offset = 0, int dim0 = 0, int dim1 = 1);
/// A view with this matrix of coefficients, see NodeKind::view.
Expr view(Expr x, std::vector<std::int64_t> coefficients, std::vector<std::int64_t> offsets, Shape shape);
/// x summed over what broadcasting repeated, so that it has this shape.
Expr sum_to(Expr x, Shape shape);

// Indexing and joining.

Expr index_select(Expr x, int dim, Expr index);
/// NumPy's advanced indexing of the leading dimensions.
Expr index(Expr x, const std::vector<Expr>& indices);
Expr gather(Expr x, int dim, Expr index);
/// Elements at `where`, the row-major positions (int64, rank 1) within the leading `dims` dimensions.
Expr at_positions(Expr x, Expr positions, int dims);
Expr cat(const std::vector<Expr>& parts, int dim);
Expr stack(const std::vector<Expr>& parts, int dim);
std::vector<Expr> split(Expr x, std::int64_t size, int dim);

// Products: a term is there where both factors are specified; a sum of none is masked.

Expr matmul(Expr a, Expr b);
/// Products of two matrices; of two lists of matrices; of a matrix and a vector; of two vectors.
/// Errors: ShapeError for other ranks.
Expr mm(Expr a, Expr b);
Expr bmm(Expr a, Expr b);
Expr mv(Expr a, Expr b);
Expr dot(Expr a, Expr b);
/// x W^T + b.
Expr linear(Expr x, Expr weights, std::optional<Expr> bias);

/// Notes, for messages, the function of these operands that gave an instruction.
void note_call(NodeId result, std::string_view name, const std::vector<Expr>& operands);

// Shared by the files of this folder.

/// 0 <= dim < rank, counted from the end if negative.  Errors: DimError naming the operation.
int checked_dim(GraphBuilder& graph, int dim, int rank, std::string_view operation);
/// Ascending; all if there is no list.  Errors: DimError if one is out of range or repeated.
std::vector<int> checked_dims(GraphBuilder& graph, const Dims& dims, int rank, std::string_view operation);
/// Refuses a dense x without elements along `dims`.  Errors: IdentityError naming the operation.
void require_elements(Expr x, const Dims& dims, std::string_view operation);
/// x broadcast to a shape that it broadcasts to.
Expr broadcast_to(Expr x, Shape shape);
Expr reduce(Reduction reduction, Expr x, const std::vector<int>& dims, bool keepdim, DType dtype);
/// Reduction::contract of two factors, where both are specified; the dims are dropped.
Expr contract(Expr a, Expr b, const std::vector<int>& dims);
/// Reduction::contract of two factors of one dtype, whatever their masks, of the terms where a bool is true.
Expr contract(Expr a, Expr b, std::optional<Expr> where, const std::vector<int>& dims);

}  // namespace frisket::building

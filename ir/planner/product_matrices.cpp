// SPDX-License-Identifier: MIT
// The matrices that a sum of products multiplies.
#include "../shown_elements.hpp"
#include "list_products.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace frisket::planning {

namespace {

/// True for a view of matrices whose last two dimensions it shows the other way round, with a dimension more
/// of extent 1 among its last three; dimensions before them are the same.
bool shows_transposed(const Graph& graph, const Node& view, std::size_t added) {
    if (view.shape.size() < 3) return false;
    const std::size_t rank = view.shape.size(), first = rank - 3 + (added == 0 ? 1 : 0),
                      second = rank - 3 + (added == 2 ? 1 : 2);
    Shape shape(view.shape.begin(), view.shape.end() - 3);
    const std::size_t batches = graph[view.operands[0]].shape.size() == 2 ? 0 : shape.size();
    if (batches == 0 && element_count(shape) == 1) shape.clear();
    shape.push_back(view.shape[second]);
    shape.push_back(view.shape[first]);
    if (!view.offsets.empty() || graph[view.operands[0]].shape != shape) return false;
    std::vector<std::int64_t> transposed(shape.size() * rank, 0);
    for (std::size_t d = 0; d < batches; ++d) transposed[d * rank + d] = 1;
    transposed[batches * rank + second] = transposed[(batches + 1) * rank + first] = 1;
    return view.attributes == transposed;
}

/// The matrices that terms see: their last three dimensions but one, which has extent 1, are a matrix's
/// dimensions, and dimensions before them are batches.  The operand of a view, or the instruction itself,
/// whose elements have the same order.  no_node without such matrices.
SeenMatrix matrix_of(const Graph& graph, NodeId id, std::size_t added,
                     std::span<const std::int64_t> batches) {
    const Node& node = graph[id];
    const std::size_t rank = node.shape.size();
    if (rank < 3 || rank - 3 > batches.size() || node.shape[rank - 3 + added] != 1) return {};
    const auto own = std::span(node.shape).first(rank - 3);
    const bool is_batched = element_count(own) != 1;
    if (is_batched && !std::ranges::equal(own, batches)) return {};
    const SeenMatrix itself{.id = id, .is_batched = is_batched, .of_terms = id};
    if (is_bare(graph, node)) {
        SeenMatrix masked = matrix_of(graph, node.operands[0], added, batches);
        if (!masked.is_transposed) return itself;
        masked.of_terms = id;
        return masked;
    }
    const auto shown = [&](bool is_transposed) {
        SeenMatrix seen = itself;
        seen.id = node.operands[0];
        seen.is_transposed = is_transposed;
        return seen;
    };
    if (keeps_order(graph, node)) return shown(false);
    if (node.kind != NodeKind::view) return itself;
    return shows_transposed(graph, node, added) ? shown(true) : node.mask == no_node ? itself : SeenMatrix{};
}

}  // namespace

bool shows_transposed_matrix(const Graph& graph, const Node& view) {
    const std::size_t batches = view.shape.size() - std::min<std::size_t>(view.shape.size(), 3);
    for (std::size_t added = 0; batches + added < view.shape.size(); ++added)
        if (view.shape[batches + added] == 1 && shows_transposed(graph, view, added)) return true;
    return false;
}

namespace {

/// The matrices of a product that adds up batches and their rows: the matrices of all batches, one after the
/// other as rows of one matrix.
std::optional<ProductMatrices> matrices_of_batch_sums(const Graph& graph, const Node& product,
                                                      const Shape& shape) {
    const auto matrix = [&](NodeId id, std::size_t added, bool is_transposed) {
        const Node& node = graph[id];
        const bool is_whole = node.shape.size() == 4 && node.shape[0] == shape[0] &&
                              node.shape[1] == shape[1] && node.shape[added] == 1;
        if (!is_whole) return SeenMatrix{};
        return SeenMatrix{.id = keeps_order(graph, node) ? node.operands[0] : id,
                          .is_transposed = is_transposed,
                          .of_terms = id};
    };
    for (const auto& [one, other] : {std::pair(product.operands[0], product.operands[2]),
                                     std::pair(product.operands[2], product.operands[0])}) {
        const SeenMatrix left = matrix(one, 3, true), right = matrix(other, 2, false);
        if (left.id != no_node && right.id != no_node)
            return ProductMatrices{
                .left = left, .right = right, .terms = {shape[2], shape[0] * shape[1], shape[3]}};
    }
    return {};
}

/// The factors of a product of matrices and a line.  The dimensions of the matrices are the terms'
/// dimensions; there is one matrix for each batch.
std::optional<ProductMatrices> matrix_and_line(const Graph& graph, const Node& product, const Shape& shape) {
    const std::size_t rank = shape.size(), last = rank - 1, row = rank - 2;
    const auto reduced = static_cast<std::size_t>(product.attributes[0]);
    if (reduced < row) return {};
    const std::size_t kept = row + last - reduced;
    Shape line_shape(rank, 1);
    line_shape[reduced] = shape[reduced];
    const std::int64_t batches = element_count(std::span(shape).first(row));
    for (const auto& [matrix, line] : {std::pair(product.operands[0], product.operands[2]),
                                       std::pair(product.operands[2], product.operands[0])}) {
        const Node &left = graph[matrix], &right = graph[line];
        if (left.shape != shape || left.mask == no_node || right.shape != line_shape) continue;
        return ProductMatrices{
            .left = {.id = matrix,
                     .is_transposed = reduced == row,
                     .is_batched = batches != 1,
                     .of_terms = matrix},
            .right = {.id = keeps_order(graph, right) ? right.operands[0] : line, .of_terms = line},
            .terms = {shape[kept], shape[reduced], 1},
            .batches = batches};
    }
    return {};
}

}  // namespace

std::optional<ProductMatrices> product_matrices(const Graph& graph, const Node& product) {
    if (!is_product(product)) return {};
    const Shape shape = reduced_shape(graph, product);
    if (product.attributes == std::vector<std::int64_t>{0, 1} && shape.size() == 4)
        return matrices_of_batch_sums(graph, product, shape);
    if (product.attributes.size() != 1) return {};
    if (shape.size() < 2) return {};
    if (shape.size() == 2) return matrix_and_line(graph, product, shape);
    const std::size_t batch_rank = shape.size() - 3;
    const auto batches = std::span(shape).first(batch_rank);
    if (product.attributes[0] < std::ssize(batches)) return {};
    const auto reduced = static_cast<std::size_t>(product.attributes[0]) - batch_rank;
    const std::size_t row = reduced == 0 ? 1 : 0, column = reduced == 2 ? 1 : 2;
    for (const auto& [one, other] : {std::pair(product.operands[0], product.operands[2]),
                                     std::pair(product.operands[2], product.operands[0])}) {
        SeenMatrix left = matrix_of(graph, one, column, batches),
                   right = matrix_of(graph, other, row, batches);
        if (left.id == no_node || right.id == no_node) continue;
        const std::int64_t count = element_count(batches);
        if (count != 1 && !left.is_batched && !right.is_batched) continue;
        if (reduced < row) left.is_transposed = !left.is_transposed;
        if (column < reduced) right.is_transposed = !right.is_transposed;
        const Shape terms{shape[batch_rank + row], shape[batch_rank + reduced], shape[batch_rank + column]};
        return ProductMatrices{.left = left, .right = right, .terms = terms, .batches = count};
    }
    return matrix_and_line(graph, product, shape);
}

ProductMatrices without_single_rows(ProductMatrices product) {
    if (product.batches == 1 || product.left.is_batched == product.right.is_batched) return product;
    const bool is_row = product.left.is_batched;
    if (product.terms[is_row ? 0 : 2] != 1) return product;
    if (!is_row) {  // the transposed product, which has the elements in the order of these
        std::swap(product.left, product.right);
        std::swap(product.terms[0], product.terms[2]);
        product.right.is_transposed = !product.right.is_transposed;
    }
    product.left.is_batched = product.left.is_transposed = false;
    product.terms[0] = std::exchange(product.batches, 1);
    return product;
}

}  // namespace frisket::planning

// SPDX-License-Identifier: MIT
#include "value.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "../at.hpp"

namespace frisket::ir {

using ir::at;

namespace {

/// An instruction that moves the elements of x, for both its values and its mask.
Value move(Value x, Node node, std::vector<Value> indices = {}) {
    const auto with = [&](NodeId moved, DType dtype) {
        Node copy = node;
        copy.operands = {moved};
        for (const Value& index : indices) copy.operands.push_back(index.id);
        copy.dtype = dtype;
        return copy;
    };
    const auto mask = mask_or_none(x);
    Node values = with(x.id, x.node().result_dtype());
    if (mask) values.mask = x.graph->add(with(mask->id, DType::boolean));
    return {x.graph, x.graph->add(values)};
}

/// A view that keeps, drops or makes dimensions: `source[d]` is the dimension of the result that runs along
/// dimension d of x, or -1 for none, that is, index `start[d]`.
Value pick(Value x, const std::vector<int>& source, const std::vector<std::int64_t>& start, Shape shape,
           const std::vector<std::int64_t>& step) {
    std::vector<std::int64_t> coefficients(source.size() * shape.size(), 0);
    for (std::size_t d = 0; d < source.size(); ++d)
        if (source[d] >= 0) coefficients[d * shape.size() + at(source[d])] = step[d];
    return view(x, std::move(coefficients), start, std::move(shape));
}

/// pick with all steps 1 from 0: for any tensor of this rank, not only with the numbers of this call.
Value rearrange(Value x, const std::vector<int>& source, Shape shape) {
    return pick(x, source, {}, std::move(shape), std::vector<std::int64_t>(source.size(), 1));
}

std::vector<int> identity(int rank) {
    std::vector<int> dims(at(rank));
    std::iota(dims.begin(), dims.end(), 0);
    return dims;
}

}  // namespace

Value view(Value x, std::vector<std::int64_t> coefficients, std::vector<std::int64_t> offsets, Shape shape) {
    Node node{.kind = NodeKind::view};
    node.attributes = std::move(coefficients);
    node.offsets = std::move(offsets);
    node.shape = std::move(shape);
    return move(x, node);
}

Value broadcast_to(Value x, Shape shape) {
    if (x.shape() == shape) return x;
    const std::size_t added = shape.size() - x.shape().size();
    std::vector<int> source;
    for (std::size_t d = 0; d < x.shape().size(); ++d)
        source.push_back(x.shape()[d] == shape[d + added] ? static_cast<int>(d + added) : -1);
    return rearrange(x, source, std::move(shape));
}

Value select(Value x, int dim, std::int64_t index) {
    dim = checked_dim(*x.graph, dim, x.rank(), "select");
    if (x.rank() == 0) x.graph->fail(ErrorCode::dim, "select of a tensor of rank 0: it has no dimension");
    const std::int64_t extent = x.shape()[at(dim)];
    if (index < -extent || index >= extent)
        x.graph->fail(ErrorCode::index, "select of index " + std::to_string(index) + " along dim " +
                                            std::to_string(dim) + " of shape " + to_string(x.shape()) +
                                            ": indices are 0 to extent - 1, or -extent to -1");
    std::vector<int> source;
    std::vector<std::int64_t> start(x.shape().size(), 0);
    Shape shape;
    for (int d = 0; d < x.rank(); ++d) {
        source.push_back(d == dim ? -1 : static_cast<int>(shape.size()));
        if (d != dim) shape.push_back(x.shape()[at(d)]);
    }
    start[at(dim)] = index < 0 ? index + extent : index;
    return pick(x, source, start, shape, std::vector<std::int64_t>(source.size(), 1));
}

Value slice(Value x, int dim, std::optional<std::int64_t> start, std::optional<std::int64_t> end,
            std::int64_t step) {
    dim = checked_dim(*x.graph, dim, x.rank(), "slice");
    if (x.rank() == 0) x.graph->fail(ErrorCode::dim, "slice of a tensor of rank 0: it has no dimension");
    if (step < 1)
        x.graph->fail(ErrorCode::value, "slice with step " + std::to_string(step) +
                                            ": steps are 1 or more, write flip(x, {dim}) to go backwards");
    const std::int64_t extent = x.shape()[at(dim)];
    const auto bound = [&](std::int64_t i) {
        return std::clamp<std::int64_t>(i < 0 ? i + extent : i, 0, extent);
    };
    const std::int64_t first = bound(start.value_or(0)), last = std::max(first, bound(end.value_or(extent)));
    if (first == 0 && last == extent && step == 1) return x;
    Shape shape = x.shape();
    shape[at(dim)] = (last - first + step - 1) / step;
    std::vector<std::int64_t> starts(shape.size(), 0), steps(shape.size(), 1);
    starts[at(dim)] = first;
    steps[at(dim)] = step;
    return pick(x, identity(x.rank()), starts, shape, steps);
}

Value narrow(Value x, int dim, std::int64_t start, std::int64_t length) {
    dim = checked_dim(*x.graph, dim, x.rank(), "narrow");
    if (x.rank() == 0) x.graph->fail(ErrorCode::dim, "narrow of a tensor of rank 0: it has no dimension");
    const std::int64_t extent = x.shape()[at(dim)];
    const std::int64_t first = start < 0 ? start + extent : start;
    if (first < 0 || length < 0 || first > extent || length > extent - first)
        x.graph->fail(ErrorCode::index, "narrow to " + std::to_string(length) + " from " +
                                            std::to_string(start) + " along dim " + std::to_string(dim) +
                                            " of shape " + to_string(x.shape()) +
                                            ": start + length is at most the extent");
    return slice(x, dim, first, first + length, 1);
}

Value permute(Value x, const std::vector<int>& dims) {
    std::vector<int> checked;
    checked.reserve(dims.size());
    for (const int dim : dims) checked.push_back(checked_dim(*x.graph, dim, x.rank(), "permute"));
    checked_dims(*x.graph, dims, x.rank(), "permute");
    if (static_cast<int>(dims.size()) != x.rank())
        x.graph->fail(ErrorCode::dim, "permute names " + std::to_string(dims.size()) +
                                          " dims of a tensor of rank " + std::to_string(x.rank()) +
                                          ": name each dimension once");
    std::vector<int> source(dims.size());
    Shape shape;
    for (std::size_t j = 0; j < checked.size(); ++j) {
        source[at(checked[j])] = static_cast<int>(j);
        shape.push_back(x.shape()[at(checked[j])]);
    }
    if (checked == identity(x.rank())) return x;
    return rearrange(x, source, shape);
}

Value transpose(Value x, int dim0, int dim1) {
    std::vector<int> dims = identity(x.rank());
    dim0 = checked_dim(*x.graph, dim0, x.rank(), "transpose");
    dim1 = checked_dim(*x.graph, dim1, x.rank(), "transpose");
    if (x.rank() == 0) return x;
    std::swap(dims[at(dim0)], dims[at(dim1)]);
    return permute(x, dims);
}

Value movedim(Value x, int source, int destination) {
    source = checked_dim(*x.graph, source, x.rank(), "movedim");
    destination = checked_dim(*x.graph, destination, x.rank(), "movedim");
    if (x.rank() == 0) return x;
    std::vector<int> dims = identity(x.rank());
    dims.erase(dims.begin() + source);
    dims.insert(dims.begin() + destination, source);
    return permute(x, dims);
}

Value reshape(Value x, Shape shape) {
    const std::int64_t size = element_count(x.shape());
    const auto fail = [&](const std::string& why) {
        x.graph->fail(ErrorCode::shape, "reshape of shape " + to_string(x.shape()) + " (" +
                                            std::to_string(size) + " elements) to " + to_string(shape) +
                                            ": " + why);
    };
    const auto open = std::ranges::find(shape, -1);
    if (std::ranges::count(shape, -1) > 1) fail("at most one extent is -1");
    if (std::ranges::any_of(shape, [](std::int64_t extent) { return extent < -1; }))
        fail("extents are 0 or more, one may be -1");
    if (open != shape.end()) {
        std::int64_t others = 1;
        for (const std::int64_t extent : shape) others *= extent == -1 ? 1 : extent;
        if (others == 0 || size % others != 0) fail("the element counts must be equal");
        *open = size / others;
    }
    if (element_count(shape) != size) fail("the element counts must be equal");
    if (shape == x.shape()) return x;
    Node node{.kind = NodeKind::reshape};
    node.shape = shape;
    return move(x, node);
}

Value flatten(Value x, int start_dim, int end_dim) {
    start_dim = checked_dim(*x.graph, start_dim, x.rank(), "flatten");
    end_dim = checked_dim(*x.graph, end_dim, x.rank(), "flatten");
    if (start_dim > end_dim)
        x.graph->fail(ErrorCode::dim, "flatten from dim " + std::to_string(start_dim) + " to dim " +
                                          std::to_string(end_dim) + ": the first comes before the last");
    Shape shape;
    std::int64_t merged = 1;
    for (int dim = 0; dim < x.rank(); ++dim) {
        const bool inside = dim >= start_dim && dim <= end_dim;
        if (inside) merged *= x.shape()[at(dim)];
        if (!inside) shape.push_back(x.shape()[at(dim)]);
        if (dim == end_dim) shape.push_back(merged);
    }
    if (x.rank() == 0) shape = {1};
    return reshape(x, shape);
}

Value squeeze(Value x, std::optional<int> dim) {
    if (dim) dim = checked_dim(*x.graph, *dim, x.rank(), "squeeze");
    std::vector<int> source;
    Shape shape;
    for (int d = 0; d < x.rank(); ++d) {
        const bool dropped = x.shape()[at(d)] == 1 && (!dim || *dim == d);
        source.push_back(dropped ? -1 : static_cast<int>(shape.size()));
        if (!dropped) shape.push_back(x.shape()[at(d)]);
    }
    return shape.size() == x.shape().size() ? x : rearrange(x, source, shape);
}

Value unsqueeze(Value x, int dim) {
    dim = checked_dim(*x.graph, dim, x.rank() + 1, "unsqueeze");
    std::vector<int> source;
    source.reserve(at(x.rank()));
    Shape shape = x.shape();
    shape.insert(shape.begin() + dim, 1);
    for (int d = 0; d < x.rank(); ++d) source.push_back(d < dim ? d : d + 1);
    return rearrange(x, source, shape);
}

Value expand(Value x, Shape shape) {
    const std::size_t rank = x.shape().size();
    bool fits = shape.size() >= rank;
    for (std::size_t d = 0; fits && d < rank; ++d) {
        std::int64_t& extent = shape[shape.size() - rank + d];
        if (extent == -1) extent = x.shape()[d];
    }
    fits = fits && std::ranges::none_of(shape, [](std::int64_t extent) { return extent < 0; });
    if (!fits || !broadcasts_to(x.shape(), shape))
        x.graph->fail(ErrorCode::shape, "expand of shape " + to_string(x.shape()) + " to " +
                                            to_string(shape) +
                                            ": extents of 1 are repeated, others are equal or -1");
    return broadcast_to(x, shape);
}

Value flip(Value x, const std::vector<int>& dims) {
    std::vector<std::int64_t> start(x.shape().size(), 0), step(x.shape().size(), 1);
    for (const int dim : checked_dims(*x.graph, dims, x.rank(), "flip")) {
        start[at(dim)] = x.shape()[at(dim)] - 1;
        step[at(dim)] = -1;
    }
    return pick(x, identity(x.rank()), start, x.shape(), step);
}

Value roll(Value x, std::int64_t shift, int dim) {
    dim = checked_dim(*x.graph, dim, x.rank(), "roll");
    if (x.rank() == 0 || x.shape()[at(dim)] == 0) return x;
    const std::int64_t extent = x.shape()[at(dim)], moved = ((shift % extent) + extent) % extent;
    if (moved == 0) return x;
    return cat({slice(x, dim, extent - moved, {}), slice(x, dim, 0, extent - moved)}, dim);
}

Value repeat(Value x, const std::vector<std::int64_t>& repeats) {
    const std::size_t rank = x.shape().size();
    if (repeats.size() < rank || std::ranges::any_of(repeats, [](std::int64_t n) { return n < 0; }))
        x.graph->fail(ErrorCode::shape, "repeat of shape " + to_string(x.shape()) + " by " +
                                            to_string(repeats) +
                                            ": one number of 0 or more for each dimension");
    Shape spread, shape;
    std::vector<int> source;
    for (std::size_t d = 0; d < repeats.size(); ++d) {
        const bool is_new = d < repeats.size() - rank;
        const std::int64_t extent = is_new ? 1 : x.shape()[d - (repeats.size() - rank)];
        spread.insert(spread.end(), {repeats[d], extent});
        shape.push_back(repeats[d] * extent);
        if (!is_new) source.push_back(static_cast<int>(2 * d + 1));
    }
    return reshape(rearrange(x, source, spread), shape);
}

Value diagonal(Value x, std::int64_t offset, int dim0, int dim1) {
    dim0 = checked_dim(*x.graph, dim0, x.rank(), "diagonal");
    dim1 = checked_dim(*x.graph, dim1, x.rank(), "diagonal");
    if (dim0 == dim1)
        x.graph->fail(ErrorCode::dim,
                      "diagonal of dim " + std::to_string(dim0) + " with itself: name two dimensions");
    const std::int64_t rows = x.shape()[at(dim0)], columns = x.shape()[at(dim1)];
    const std::int64_t row = std::max<std::int64_t>(-offset, 0), column = std::max<std::int64_t>(offset, 0);
    std::vector<int> source;
    Shape shape;
    for (int d = 0; d < x.rank(); ++d) {
        const bool kept = d != dim0 && d != dim1;
        source.push_back(kept ? static_cast<int>(shape.size()) : x.rank() - 2);
        if (kept) shape.push_back(x.shape()[at(d)]);
    }
    shape.push_back(std::max<std::int64_t>(0, std::min(rows - row, columns - column)));
    std::vector<std::int64_t> start(x.shape().size(), 0);
    start[at(dim0)] = row;
    start[at(dim1)] = column;
    return pick(x, source, start, shape, std::vector<std::int64_t>(source.size(), 1));
}

Value sum_to(Value x, Shape shape) {
    if (x.shape() == shape) return x;
    const std::size_t added = x.shape().size() - shape.size();
    std::vector<int> dims;
    for (std::size_t d = 0; d < x.shape().size(); ++d)
        if (d < added || (shape[d - added] == 1 && x.shape()[d] != 1)) dims.push_back(static_cast<int>(d));
    if (dims.empty()) return reshape(x, shape);
    return reshape(reduce(Reduction::sum, x, dims, false, x.dtype()), shape);
}

}  // namespace frisket::ir

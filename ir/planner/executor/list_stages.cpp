// SPDX-License-Identifier: MIT
#include "list_stages.hpp"

#include "../../../runtime/layouts/conversion.hpp"
#include "../../../runtime/layouts/layout_traits.hpp"
#include "../../../runtime/layouts/stored.hpp"
#include "../../../runtime/list_kernels/gathered_sums.hpp"
#include "../../../runtime/list_kernels/segmented_scan.hpp"
#include "../../interpreter/tensor_kernels.hpp"
#include "../list_analysis.hpp"
#include "list_coordinates.hpp"
#include "list_scatters.hpp"

#include <algorithm>
#include <cstring>

namespace frisket::planning {

namespace {

/// The values of lists, one after the other.
AnyTensor in_one_line(std::span<const list_kernels::SparseVector> parts) {
    if (parts.size() == 1) return parts[0].values;
    std::int64_t count = 0;
    for (const list_kernels::SparseVector& part : parts) count += part.list->size();
    AnyTensor made(parts[0].values.dtype(), {count});
    auto* to = static_cast<std::byte*>(made.data());
    for (const list_kernels::SparseVector& part : parts) {
        const auto bytes = static_cast<std::size_t>(part.list->size() * bytes_of(made.dtype()));
        if (bytes != 0) std::memcpy(to, part.values.data(), bytes);
        to += bytes;
    }
    return made;
}

/// True for values at an address of their dtype.
bool is_aligned(const AnyTensor& values) {
    const auto bytes = static_cast<std::uintptr_t>(bytes_of(values.dtype()));
    return reinterpret_cast<std::uintptr_t>(values.data()) % bytes == 0;
}

/// Values in one line, at an address of their dtype.
AnyTensor aligned(const AnyTensor& values) {
    return is_aligned(values) && values.is_contiguous() ? values : values.clone();
}

}  // namespace

void ListStages::release(ValueId value) {
    positions_.erase(value);
    // Lists that only the key of a permutation holds are moved no more.
    std::erase_if(moved_, [](const auto& known) {
        const Lists& lists = known.first.first;
        return std::ranges::any_of(
            lists, [&](const auto& list) { return list.use_count() == std::ranges::count(lists, list); });
    });
}

void ListStages::keep_list(ValueId made, const Shape& shape, const list_kernels::SparseVector& list,
                           Layout layout) {
    AnyMasked coo = AnyMasked::indexed(Layout::coo, shape, list.list, list.values);
    if (layout == Layout::coo) return values_.set(made, Argument(std::move(coo)));
    positions_[made] = list.list;
    values_.set(made, Argument(runtime::seen_elements(coo, layout)));
}

/// The positions of a list that a stage has made.
std::shared_ptr<const IndexList> ListStages::positions_of(ValueId list) const {
    const auto known = positions_.find(list);
    return known == positions_.end() ? values_.argument(list).masked().index() : known->second;
}

list_kernels::SparseVector ListStages::restricted_to(list_kernels::SparseVector list, ValueId mask) const {
    return mask == no_value ? list : list_kernels::restricted(list, positions_of(mask));
}

void ListStages::run(const LocateStage& stage) {
    const list_kernels::CoordinateSet& coordinates = values_.coordinates(stage.coordinates);
    const AnyMasked found =
        coordinates.values_of(static_cast<std::size_t>(stage.operand.symbol),
                              values_.argument(stage.operand.value), {coordinates.count()});
    values_.set(stage.made, Argument(stage.is_mask ? AnyTensor(found.mask_tensor()) : found.values()));
}

void ListStages::run(const ReduceStage& stage) {
    const bool has_positions = stage.is_running || stage.y != no_value ||
                               stage.reduction == Reduction::argmin || stage.reduction == Reduction::argmax;
    const auto slices = list_kernels::slices_of(*values_.coordinates(stage.coordinates).list(), stage.shape,
                                                stage.dims, has_positions);
    const auto of_dtype = [&](ValueId id) {
        return tensor_kernels::convert(values_.dense(id), stage.operand_dtype);
    };
    std::optional<AnyTensor> y, where;
    if (stage.y != no_value) y = of_dtype(stage.y);
    if (stage.where != no_value) where = values_.dense(stage.where);
    if (stage.is_running) {
        const bool has_blocks = info_of(stage.operand_dtype).is_float &&
                                (stage.reduction == Reduction::sum || stage.reduction == Reduction::prod) &&
                                stage.dims[0] + 1 == std::ssize(stage.shape);
        AnyTensor values =
            list_kernels::segmented_scan(stage.reduction, *slices, of_dtype(stage.x), where, has_blocks);
        return keep_list(stage.made, stage.shape,
                         restricted_to({.list = values_.coordinates(stage.coordinates).list(),
                                        .values = std::move(values)},
                                       stage.mask));
    }
    list_kernels::SparseVector made =
        list_kernels::segmented_reduce(stage.reduction, *slices, of_dtype(stage.x), y, where, stage.dtype);
    if (stage.is_pattern) made = list_kernels::true_of(made);
    keep_list(stage.made, slices->shape, restricted_to(std::move(made), stage.mask));
}

list_kernels::Permutation ListStages::made_permutation(const PermuteStage& stage, const Lists& lists) const {
    const Node& node = stage.node;
    if (node.kind == NodeKind::cat)
        return list_kernels::joined(lists, stage.shapes, static_cast<int>(node.attributes[0]));
    return list_kernels::selected(*lists[0], gather_of(node, stage.shapes[0], stage.index_shapes),
                                  indices_of_stage(stage), rows_of(stage.operands[0], stage.shapes[0]));
}

/// The rows of an operand that is a matrix of csr; null for another.
const CompressedIndex* ListStages::rows_of(const ListOperand& operand, const Shape& shape) const {
    if (operand.kind != ListOperand::Kind::list && operand.kind != ListOperand::Kind::pattern) return nullptr;
    const AnyMasked& list = values_.argument(operand.value).masked();
    return list.layout() == Layout::csr && list.shape() == shape ? list.compressed_index().get() : nullptr;
}

/// Made once for stages that move the same lists in the same way, and for a view once for a list.
std::shared_ptr<const list_kernels::Permutation> ListStages::permutation(const PermuteStage& stage,
                                                                         const Lists& lists) {
    const Node& node = stage.node;
    if (node.kind == NodeKind::view)
        return list_kernels::viewed(*lists[0], stage.shapes[0], element_view(node));
    Numbers key(stage.indices.begin(), stage.indices.end());
    const auto add = [&](const auto& numbers) {
        key.push_back(-1);
        key.insert(key.end(), numbers.begin(), numbers.end());
    };
    add(node.attributes);
    add(node.shape);
    std::ranges::for_each(stage.shapes, add);
    auto [at, is_new] = moved_.try_emplace({lists, std::move(key)});
    if (is_new)
        at->second = std::make_shared<const list_kernels::Permutation>(made_permutation(stage, lists));
    return at->second;
}

/// The dense indices that a stage reads.
std::vector<AnyTensor> ListStages::indices_of_stage(const PermuteStage& stage) const {
    std::vector<AnyTensor> indices;
    for (std::size_t k = 0; k < stage.indices.size(); ++k)
        indices.push_back(matrix(stage.indices[k], DType::int64, stage.index_shapes[k]));
    return indices;
}

void ListStages::scatter(const PermuteStage& stage) {
    list_kernels::SparseVector from = values_.list(stage.operands[0]);
    if (stage.operands.size() > 1) from = list_kernels::restricted(from, values_.places(stage.operands[1]));
    list_kernels::SparseVector made =
        scattered_elements(stage.node, stage.shapes[0], from, indices_of_stage(stage));
    keep_list(stage.made, stage.node.shape, restricted_to(std::move(made), stage.mask), stage.layout);
}

/// The rows of a masked tensor that lists rows, as the list that a view shows of its mask; nothing if it
/// shows something else.
std::shared_ptr<const IndexList> ListStages::shown_rows(const PermuteStage& stage) const {
    const Node& view = stage.node;
    if (view.kind != NodeKind::view || stage.operands[0].kind != ListOperand::Kind::pattern) return nullptr;
    const AnyMasked& rows = values_.argument(stage.operands[0].value).masked();
    if (!runtime::lists_rows(rows.layout())) return nullptr;
    const std::size_t rank = view.shape.size();
    std::int64_t shown = 0, others = 1;  // extents along which the first dimension is seen, and the rest
    for (std::size_t j = 0; j < rank; ++j) {
        if (view.attributes[j] == 0) {
            others *= view.shape[j];
            continue;
        }
        if (view.attributes[j] != 1 || shown != 0) return nullptr;
        shown = view.shape[j];
    }
    const bool has_offset = !view.offsets.empty() && view.offsets[0] != 0;
    if (shown != rows.shape()[0] || others != 1 || has_offset) return nullptr;
    const auto& index = rows.index();
    return index->is_coalesced() ? index : nullptr;
}

void ListStages::run(const PermuteStage& stage) {
    if (is_scatter(stage.node.kind)) return scatter(stage);
    if (const auto rows = shown_rows(stage)) {
        constexpr bool specified = true;
        return keep_list(
            stage.made, stage.node.shape,
            restricted_to(
                {.list = rows, .values = runtime::filled_with(DType::boolean, {rows->size()}, &specified)},
                stage.mask),
            stage.layout);
    }
    const bool is_pattern = std::ranges::all_of(stage.operands, [](const ListOperand& operand) {
        return operand.kind == ListOperand::Kind::pattern;
    });
    std::vector<list_kernels::SparseVector> parts;
    Lists lists;
    for (const ListOperand& operand : stage.operands)
        lists.push_back(is_pattern ? values_.places(operand)
                                   : parts.emplace_back(values_.list(operand)).list);
    const auto permutation = this->permutation(stage, lists);
    list_kernels::SparseVector made{.list = permutation->list, .values = {}};
    constexpr bool specified = true;
    made.values = is_pattern ? runtime::filled_with(DType::boolean, {made.list->size()}, &specified)
                             : runtime::gathered(in_one_line(parts), *permutation->entries);
    keep_list(stage.made, stage.node.shape, restricted_to(std::move(made), stage.mask), stage.layout);
}

void ListStages::run(const ViewStage& stage) {
    const Node& node = stage.node;
    if (stage.like != no_value)
        return values_.set(stage.made, Argument(runtime::with_values(values_.argument(stage.like).masked(),
                                                                     values_.dense(stage.operand.value))));
    if (stage.operand.is_list())
        return keep_list(stage.made, node.shape, restricted_to(values_.list(stage.operand), stage.mask));
    if (node.kind == NodeKind::reshape)
        return values_.set(stage.made, Argument(matrix(stage.operand.value, node.dtype, node.shape)));
    values_.set(stage.made, Argument(tensor_kernels::view(values_.dense(stage.operand.value), node.attributes,
                                                          node.offsets, node.shape)));
}

/// A dense tensor in a dtype and of a shape.
AnyTensor ListStages::matrix(ValueId value, DType dtype, const Shape& shape) const {
    AnyTensor made = tensor_kernels::convert(values_.dense(value), dtype);
    if (made.shape() == shape) return made;
    return (made.is_contiguous() ? made : made.clone()).reshape(shape);
}

/// Dense matrices of a shape, one after the other.
AnyTensor ListStages::matrices(ValueId value, DType dtype, std::int64_t count, const Shape& shape) const {
    return matrix(value, dtype, count == 1 ? shape : Shape{count, shape[0], shape[1]});
}

/// `shape`: the matrix's as the product reads it.
list_kernels::FactorMatrix ListStages::factor(const Factor& factor, DType dtype, Shape shape,
                                              std::int64_t batches) const {
    if (factor.is_transposed) std::swap(shape[0], shape[1]);
    list_kernels::FactorMatrix made{.count = factor.is_batched ? batches : 1,
                                    .is_transposed = factor.is_transposed};
    const ListOperand& operand = factor.matrix;
    if (!operand.is_list()) {
        made.values = matrices(operand.value, dtype, made.count, shape);
        return made;
    }
    const bool is_argument = operand.kind == ListOperand::Kind::list;
    const bool has_own_mask = !factor.mask || (is_argument && factor.mask->value == operand.value &&
                                               factor.mask->kind == ListOperand::Kind::pattern);
    if (is_argument && has_own_mask) {
        const AnyMasked& list = values_.argument(operand.value).masked();
        if (list.compressed_index() && runtime::has_ranks(list.layout()) && list.shape() == shape) {
            made.values = aligned(tensor_kernels::convert(list.values(), dtype));
            made.compressed = list.compressed_index();
            return made;
        }
    }
    list_kernels::SparseVector list = values_.list(operand);
    if (!has_own_mask) {
        const ListOperand& mask = *factor.mask;
        const bool is_of_entries = mask.kind == ListOperand::Kind::true_at &&
                                   values_.coordinates(mask.coordinates).list() == list.list;
        if (!is_of_entries)
            list = list_kernels::restricted(list, values_.places(mask));
        else if (const AnyTensor bools = values_.dense(mask.value); !list_kernels::all_true(bools))
            made.where = bools;
    }
    made.values = aligned(tensor_kernels::convert(list.values, dtype));
    made.positions = list.list;
    return made;
}

void ListStages::run(const MultiplyStage& stage) {
    const std::int64_t rows = stage.terms[0], inner = stage.terms[1], columns = stage.terms[2];
    const DType dtype = stage.is_pattern ? DType::int32 : stage.dtype;
    list_kernels::Factors factors{.left = factor(stage.left, dtype, {rows, inner}, stage.batches),
                                  .right = factor(stage.right, dtype, {inner, columns}, stage.batches),
                                  .rows = rows,
                                  .inner = inner,
                                  .columns = columns,
                                  .batches = stage.batches};
    if (stage.places != no_value) factors.places = values_.argument(stage.places).masked().coalesce();
    AnyMasked made = list_kernels::multiplied(factors, run_);
    constexpr bool specified = true;
    if (stage.is_pattern)
        made = AnyMasked::indexed(Layout::coo, made.shape(), made.index(),
                                  runtime::filled_with(DType::boolean, made.values().shape(), &specified));
    values_.set(stage.made, Argument(std::move(made)));
}

void ListStages::run(const SampledProductStage& stage) {
    const AnyMasked domain = values_.argument(stage.domain).masked().coalesce();
    const Shape& shape = domain.shape();
    const auto rows = shape.end() - 2;
    const std::int64_t batches = element_count({shape.begin(), rows});
    const auto factor = [&](ValueId value, bool is_batched, std::int64_t lines) {
        return matrices(value, stage.dtype, is_batched ? batches : 1, {lines, stage.inner});
    };
    AnyTensor made =
        list_kernels::sampled_products(domain, factor(stage.left, stage.is_left_batched, rows[0]),
                                       factor(stage.right, stage.is_right_batched, rows[1]), run_);
    values_.set(stage.made, Argument(runtime::with_values(domain, std::move(made))));
}

void ListStages::run(const SampleStage& stage) {
    const AnyMasked& domain = values_.argument(stage.domain).masked();
    auto made = std::make_shared<SampledPositions>();
    made->list = runtime::lists_rows(domain.layout()) ? domain.to(Layout::coo) : domain;
    made->places = runtime::coordinates_of(made->list);
    const auto indices = indices_of(made->places.positions, domain.shape());
    for (const auto& [dim, id] : stage.indices)
        values_.set(id, Argument(AnyTensor(indices[static_cast<std::size_t>(dim)])));
    values_.set(stage.made, std::shared_ptr<const SampledPositions>(std::move(made)));
}

void ListStages::run(const ConvertStage& stage) {
    const AnyMasked& from = values_.argument(stage.operand).masked();
    if (stage.in_line)
        values_.set(stage.made, Argument(runtime::coordinates_of(from.to(Layout::coo)).values));
    else
        values_.set(stage.made,
                    Argument(AnyMasked::strided(runtime::dense_values(from), from.mask_tensor())));
}

void ListStages::run(const GatheredSumStage& stage) {
    const AnyTensor& table = values_.dense(stage.table);
    values_.set(
        stage.made,
        Argument(list_kernels::gathered_sums(
            {.space = stage.space, .length = stage.length, .shape = stage.shape, .dtype = stage.dtype},
            is_aligned(table) ? table : table.clone(), values_.dense(stage.indices), run_)));
}

}  // namespace frisket::planning

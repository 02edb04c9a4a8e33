// SPDX-License-Identifier: MIT
#include "coordinate_set.hpp"

#include "../../runtime/layouts/layout.hpp"
#include "../../runtime/layouts/layout_traits.hpp"
#include "../../runtime/layouts/stored.hpp"
#include "../../runtime/tensor/elements.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace frisket::plan {

namespace {

bool is_masked(const Argument& argument) {
    return argument.kind() == Argument::Kind::masked && argument.masked().layout() != Layout::dense;
}

bool is_list(const Argument& argument) {
    return argument.kind() == Argument::Kind::masked && runtime::is_listed_layout(argument.masked().layout());
}

/// True if two masked tensors are stored alike: in one layout, with equal places in equal order.
bool has_same_places(const AnyMasked& a, const AnyMasked& b) {
    if (a.layout() != b.layout() || a.shape() != b.shape()) return false;
    if (a.index()) return a.index() == b.index() || runtime::same_mask(a, b);
    const bool is_same_index =
        a.compressed_index() == b.compressed_index() || *a.compressed_index() == *b.compressed_index();
    return is_same_index && runtime::same_mask(a, b);
}

/// The rows of these numbers.
AnyTensor gathered_rows(const AnyTensor& tensor, std::span<const std::int64_t> rows) {
    Shape shape = tensor.shape();
    shape[0] = 1;
    Shape all = shape;
    all[0] = static_cast<std::int64_t>(rows.size());
    AnyTensor result(tensor.dtype(), std::move(all));
    const std::int64_t bytes = element_count(shape) * bytes_of(tensor.dtype());
    const bool lies_together =
        is_contiguous(std::span(shape).subspan(1), std::span(tensor.strides()).subspan(1));
    if (bytes == 0) return result;
    const auto* from = static_cast<const std::byte*>(tensor.data());
    const std::int64_t step = tensor.strides()[0] * bytes_of(tensor.dtype());
    auto* to = static_cast<std::byte*>(result.data());
    for (const std::int64_t row : rows) {
        const AnyTensor copy = lies_together ? AnyTensor() : tensor.slice(0, row, row + 1).clone();
        std::memcpy(to, lies_together ? from + row * step : copy.data(), static_cast<std::size_t>(bytes));
        to += bytes;
    }
    return result;
}

/// Offsets of the elements at row-major positions of `shape`, given these strides.
std::vector<std::int64_t> offsets_of(std::span<const std::int64_t> positions, const Shape& shape,
                                     const Strides& strides) {
    std::vector<std::int64_t> offsets;
    offsets.reserve(positions.size());
    for (std::int64_t position : positions) {
        std::int64_t offset = 0;
        for (std::size_t d = shape.size(); d-- > 0; position /= shape[d])
            offset += position % shape[d] * strides[d];
        offsets.push_back(offset);
    }
    return offsets;
}

/// The elements at row-major positions.
AnyTensor gathered_elements(const AnyTensor& tensor, std::span<const std::int64_t> positions) {
    if (tensor.is_contiguous()) return runtime::gathered(tensor, positions);
    return runtime::gathered(tensor, offsets_of(positions, tensor.shape(), tensor.strides()));
}

/// The entries of a list at these places of it, -1 for none: values and mask.
AnyMasked picked(const AnyTensor& values, std::span<const std::int64_t> entries) {
    const auto count = static_cast<std::int64_t>(entries.size());
    AnyTensor made(values.dtype(), {count}), mask(DType::boolean, {count});
    auto* specified = static_cast<std::uint8_t*>(mask.data());
    runtime::dispatch_width(values.dtype(), [&]<class U>() {
        const runtime::Reader<U> from(values.data());
        U* to = static_cast<U*>(made.data());
        for (std::size_t i = 0; i < entries.size(); ++i) {
            specified[i] = entries[i] >= 0 ? 1 : 0;
            if (entries[i] >= 0) to[i] = from[entries[i]];
        }
    });
    return AnyMasked::strided(made, mask);
}

/// Search for indices in an ascending list, -1 for an absent one; quick where they ascend as well.
class Finder {
public:
    explicit Finder(const IndexList& list) : list_(list) {}
    std::int64_t operator()(std::int64_t wanted) {
        if (is_at(last_, wanted)) return last_;
        if (is_at(last_ + 1, wanted)) return ++last_;
        std::int64_t low = 0, high = list_.size();
        while (low < high) {
            const std::int64_t middle = low + (high - low) / 2;
            if (list_[middle] < wanted)
                low = middle + 1;
            else
                high = middle;
        }
        last_ = low;
        return is_at(low, wanted) ? low : -1;
    }

private:
    bool is_at(std::int64_t i, std::int64_t wanted) const { return i < list_.size() && list_[i] == wanted; }
    const IndexList& list_;
    std::int64_t last_ = 0;
};

std::vector<std::int64_t> indices_of(const IndexList& list) {
    std::vector<std::int64_t> indices(static_cast<std::size_t>(list.size()));
    for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = list[static_cast<std::int64_t>(i)];
    return indices;
}

/// True unless the space is one element, or one row: a list of it cannot be told from repetition.
bool can_be_listed(const IterationSpace& space) {
    return !space.shape.empty() && element_count(space.shape) > 1 && (!space.by_rows || space.shape[0] != 1);
}

/// Shapes for which this is equal have equal row-major positions.
Shape without_ones(Shape shape) {
    std::erase(shape, 1);
    return shape;
}

AnyTensor shaped(const AnyTensor& tensor, const Shape& shape) {
    return (tensor.is_contiguous() ? tensor : tensor.clone()).reshape(shape);
}

}  // namespace

std::optional<IterationSpace> space_of_same_pattern(const Graph& graph, std::span<const Argument> arguments) {
    const auto first = std::ranges::find_if(arguments, is_list);
    if (first == arguments.end()) return {};
    IterationSpace space{.shape = first->shape(), .by_rows = first->masked().layout() == Layout::rows};
    for (std::size_t i = 0; i < graph.symbols.size(); ++i) {
        space.has_mask.push_back(is_masked(arguments[i]));
        if (space.has_mask[i] && !has_same_places(arguments[i].masked(), first->masked())) return {};
    }
    return can_be_listed(space) ? std::optional(space) : std::nullopt;
}

std::optional<IterationSpace> space_of_union(const Graph& graph, std::span<const Argument> arguments) {
    IterationSpace space;
    bool is_any = false;
    for (const Argument& argument : arguments) {
        if (!is_list(argument)) continue;
        if (!is_any || broadcasts_to(space.shape, argument.shape())) space.shape = argument.shape();
        is_any = true;
    }
    if (!is_any || !can_be_listed(space)) return {};
    for (std::size_t i = 0; i < graph.symbols.size(); ++i)
        space.has_mask.push_back(is_list(arguments[i]) &&
                                 without_ones(arguments[i].shape()) == without_ones(space.shape));
    return space;
}

CoordinateSet CoordinateSet::same_pattern(IterationSpace space, std::span<const Argument> arguments) {
    CoordinateSet made;
    made.space_ = std::move(space);
    made.first_ = std::ranges::find_if(arguments, is_list)->masked().coalesce();
    made.positions_ =
        made.space_.by_rows ? indices_of(*made.first_.index()) : runtime::stored_positions(made.first_);
    return made;
}

CoordinateSet CoordinateSet::union_of(IterationSpace space, std::span<const Argument> arguments) {
    CoordinateSet made;
    made.space_ = std::move(space);
    made.lists_.resize(arguments.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (!made.space_.has_mask[i]) continue;
        made.lists_[i] = runtime::as_list(arguments[i].masked());
        const auto& list = made.lists_[i].index();
        if (made.list_ == list) continue;
        std::vector<std::int64_t> own = indices_of(*list), both;
        if (made.list_ != nullptr) {
            std::ranges::set_union(made.positions_, own, std::back_inserter(both));
            if (both.size() == made.positions_.size()) continue;
            own = std::move(both);
        }
        made.positions_ = std::move(own);
        const bool is_all = list->size() == made.count();
        made.list_ = is_all ? list : std::make_shared<const IndexList>(made.positions_, list->bound());
    }
    return made;
}

AnyTensor CoordinateSet::gathered(const AnyTensor& tensor) const {
    if (space_.by_rows) return gathered_rows(tensor, positions_);
    return gathered_elements(tensor.broadcast_to(space_.shape), positions_);
}

/// The entries of a list at the places, which are more.
AnyMasked CoordinateSet::densify(const AnyMasked& listed) const {
    if (listed.index()->size() == count()) return AnyMasked::dense(listed.values());
    std::vector<std::int64_t> entries;
    Finder find(*listed.index());
    for (const std::int64_t position : positions_) entries.push_back(find(position));
    return picked(listed.values(), entries);
}

/// The elements of a masked tensor at the places, to which it broadcasts.
AnyMasked CoordinateSet::found_in(const AnyMasked& small) const {
    if (!runtime::is_listed_layout(small.layout()))
        return AnyMasked::strided(gathered(runtime::dense_values(small)), gathered(small.mask_tensor()));
    const AnyMasked listed = runtime::as_list(small);
    const Strides strides =
        broadcast_strides(listed.shape(), contiguous_strides(listed.shape()), space_.shape);
    std::vector<std::int64_t> entries;
    Finder find(*listed.index());
    for (const std::int64_t position : offsets_of(positions_, space_.shape, strides))
        entries.push_back(find(position));
    return picked(listed.values(), entries);
}

AnyMasked CoordinateSet::values_of(std::size_t symbol, const Argument& argument, const Shape& shape) const {
    AnyMasked made;
    if (!is_masked(argument))
        made = AnyMasked::dense(gathered(argument.as_masked().values()));
    else if (!is_together())
        made = argument.masked().coalesce();
    else
        made = space_.has_mask[symbol] ? densify(lists_[symbol]) : found_in(argument.masked());
    if (made.mask().data() == nullptr) return AnyMasked::dense(shaped(made.values(), shape));
    return AnyMasked::strided(shaped(made.values(), shape), shaped(made.mask(), shape));
}

Result CoordinateSet::placed(Result stored, const Shape& shape) const {
    AnyTensor values = std::move(stored.values);
    const bool is_alone = values.is_contiguous() && values.owner().use_count() == 1;
    if (!is_alone) values = values.clone();
    if (!is_together()) {
        if (!space_.by_rows) values = values.reshape(first_.values().shape());
        AnyMasked made = runtime::with_values(first_, std::move(values));
        if (space_.by_rows || shape == space_.shape) return {.listed = std::move(made)};
        made = made.to(Layout::coo);
        return {.listed = AnyMasked::indexed(Layout::coo, shape, made.index(), made.values())};
    }
    values = values.reshape({count()});
    const AnyTensor mask = stored.mask ? stored.mask->clone().reshape({count()}) : AnyTensor();
    const auto* specified = static_cast<const std::uint8_t*>(mask.data());
    std::vector<std::int64_t> kept, entries;
    for (std::int64_t i = 0; stored.mask && i < count(); ++i) {
        if (specified[i] == 0) continue;
        kept.push_back(positions_[static_cast<std::size_t>(i)]);
        entries.push_back(i);
    }
    if (!stored.mask || std::ssize(kept) == count())
        return {.listed = AnyMasked::indexed(Layout::coo, shape, list_, std::move(values))};
    const auto list = std::make_shared<const IndexList>(std::move(kept), list_->bound());
    return {.listed =
                AnyMasked::indexed(Layout::coo, shape, list, frisket::runtime::gathered(values, entries))};
}

}  // namespace frisket::plan

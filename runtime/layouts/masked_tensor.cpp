// SPDX-License-Identifier: MIT
#include "../tensor/masked_tensor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "../support/fork.hpp"
#include "../tensor/result_memory.hpp"
#include "layout_traits.hpp"

namespace frisket {

/// Holds computed facts about the positions of a list on a device, for all its handles.
struct AnyMasked::FoundPlaces {
    runtime::Once has_ranks;
    AnyTensor ranks;

    runtime::Mutex mutex;                 // guards the members below
    std::weak_ptr<FoundPlaces> compared;  // the list that it was last compared with
    bool is_same = false;
};

using namespace runtime;

namespace {

/// A host scalar as an element; refuses values that the dtype cannot hold.
template <class T>
T element_of(double number) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
        const double whole = std::trunc(number);
        const double past = std::ldexp(1.0, std::numeric_limits<T>::digits);
        if (!(whole < past && whole >= static_cast<double>(std::numeric_limits<T>::min())))
            throw ValueError("to_dense: fill " + std::to_string(number) + " does not fit " +
                             std::string(name_of(dtype_of<T>)) + ": give a number in its range");
    }
    return static_cast<T>(number);
}

}  // namespace

AnyMasked::AnyMasked(Layout layout, Shape shape, AnyTensor values, AnyTensor mask,
                     std::shared_ptr<const IndexList> index,
                     std::shared_ptr<const CompressedIndex> compressed)
    : layout_(layout),
      holding_(detail::Holding::memory),
      shape_(std::move(shape)),
      size_(element_count(shape_)),
      values_(std::move(values)),
      mask_(std::move(mask)),
      index_(std::move(index)),
      compressed_(std::move(compressed)) {}

AnyMasked& AnyMasked::operator=(AnyMasked&& from) noexcept {
    if (this == &from) return *this;
    layout_ = std::exchange(from.layout_, Layout::dense);
    holding_ = std::exchange(from.holding_, detail::Holding::moved);
    shape_ = std::move(from.shape_);
    size_ = std::exchange(from.size_, 0);
    values_ = std::move(from.values_);
    mask_ = std::move(from.mask_);
    places_ = std::move(from.places_);
    index_ = std::move(from.index_);
    compressed_ = std::move(from.compressed_);
    pattern_ = std::move(from.pattern_);
    found_ = std::move(from.found_);
    return *this;
}

void AnyMasked::check_entries(Layout layout, const Shape& shape, std::int64_t stored,
                              const AnyTensor& values) {
    Shape wanted{stored};
    if (lists_rows(layout)) wanted.insert(wanted.end(), shape.begin() + 1, shape.end());
    if (values.shape() != wanted)
        throw LayoutError(std::string(name_of(layout)) + ": the values have shape " +
                          to_string(values.shape()) + ", " + std::to_string(stored) + " indices want " +
                          to_string(wanted) + ": give one entry for each index");
}

AnyMasked AnyMasked::indexed(Layout layout, Shape shape, std::shared_ptr<const IndexList> index,
                             AnyTensor values) {
    values.check_not_moved(name_of(layout));
    const bool by_row = lists_rows(layout);
    const std::int64_t size = element_count(shape);
    const std::string where(name_of(layout));
    if ((layout != Layout::coo && !by_row) || !index || (by_row && shape.empty()))
        throw LayoutError(where + ": a list of indices makes layouts coo and, of rank 1 or more, rows");
    const std::int64_t bound = by_row ? shape[0] : size;
    if (index->bound() != bound)
        throw LayoutError(where + ": the indices lie below " + std::to_string(index->bound()) + ", shape " +
                          to_string(shape) + " wants " + std::to_string(bound) +
                          ": make the list with that bound");
    check_entries(layout, shape, index->size(), values);
    return {layout, std::move(shape), std::move(values), {}, std::move(index)};
}

std::int64_t AnyMasked::specified_count() const {
    check_not_moved("specified_count");
    if (!device().is_cpu()) return on_device::count(*this);
    return traits_of(layout_).count(*this);
}

AnyMasked AnyMasked::clone() const {
    check_not_moved("clone");
    AnyMasked copy = *this;  // indices are immutable and may be shared
    copy.values_ = values_.clone();
    if (mask_.address() != nullptr) copy.mask_ = mask_.clone();
    copy.pattern_ = nullptr;  // belongs to a mask that nobody can write
    return copy;
}

AnyMasked AnyMasked::placed(Layout layout, Shape shape, AnyTensor entries, AnyTensor places, AnyTensor mask) {
    AnyMasked made(layout, std::move(shape), std::move(entries), std::move(mask), nullptr);
    made.places_ = std::move(places);
    made.found_ = std::make_shared<FoundPlaces>();
    return made;
}

AnyTensor AnyMasked::ranks() const {
    found_->has_ranks.run([this] { found_->ranks = on_device::ranks_of(*this); });
    return found_->ranks;
}

bool AnyMasked::has_same_places(const AnyMasked& other) const {
    if (found_ == other.found_) return true;
    if (places_.size() != other.places_.size()) return false;
    const std::lock_guard lock(other.found_->mutex);
    if (other.found_->compared.lock() != found_) {
        other.found_->is_same = on_device::are_equal(places_, other.places_);
        other.found_->compared = found_;
    }
    return other.found_->is_same;
}

bool AnyMasked::is_made_there() const noexcept {
    return is_list(layout_) && !index_ && !compressed_ && !device().is_cpu();
}

AnyMasked AnyMasked::mask_on_processor() const {
    if (device().is_cpu()) return *this;
    if (is_made_there()) return on_device::on_processor(*this, AnyTensor(dtype(), values_.shape()));
    AnyMasked made = *this;
    made.values_ = AnyTensor(dtype(), values_.shape());
    made.mask_ = mask_.to(frisket::Device());
    made.places_ = AnyTensor();
    return made;
}

/// The place of each stored entry, in the order of the values.
std::vector<std::int64_t> AnyMasked::entry_places() const {
    std::vector<std::int64_t> places(static_cast<std::size_t>(index_ ? index_->size() : values_.size()));
    if (index_) {
        for (std::size_t i = 0; i < places.size(); ++i) places[i] = (*index_)[static_cast<std::int64_t>(i)];
        return places;
    }
    // Entries with their numbers as values, all specified: sorted, these say where each went.
    AnyMasked numbered = *this;
    numbered.values_ = arange<std::int64_t>(values_.size()).reshape(values_.shape());
    if (mask_.size() > 0) numbered.mask_ = full<bool>(mask_.shape(), true);
    const Entries entries = traits_of(layout_).entries(numbered);
    const auto* const numbers = static_cast<const std::int64_t*>(entries.values.data());
    for (std::size_t i = 0; i < entries.positions.size(); ++i) places[numbers[i]] = entries.positions[i];
    return places;
}

AnyMasked AnyMasked::to(const frisket::Device& device) const {
    check_not_moved("to");
    const frisket::Device here = this->device();
    if (device == here) return *this;
    if (!here.is_cpu() && !device.is_cpu()) return to(frisket::Device()).to(device);
    if (is_made_there()) return on_device::on_processor(*this, values_.to(device));
    AnyMasked made = device.is_cpu() ? *this : coalesce();
    made.pattern_ = nullptr;
    made.values_ = made.values_.to(device);
    if (has_mask(layout_) && (!is_list(layout_) || mask_.size() > 0)) made.mask_ = made.mask_.to(device);
    made.places_ = AnyTensor();
    made.found_ = nullptr;
    made.find_places("to");
    return made;
}

void AnyMasked::find_places(const char* who) {
    const frisket::Device device = this->device();
    if (device.is_cpu() || (!index_ && !compressed_)) return;
    if (size_ > std::numeric_limits<std::int32_t>::max())
        throw ShapeError(std::string(who) + ": shape " + to_string(shape_) +
                         " has positions past 2^31, which loops of a device do not reach: split it");
    const std::vector<std::int64_t> places = entry_places();
    const AnyTensor narrow(DType::int32, {std::ssize(places)});
    std::ranges::transform(places, static_cast<std::int32_t*>(narrow.data()),
                           [](std::int64_t place) { return static_cast<std::int32_t>(place); });
    places_ = narrow.to(device);
    found_ = std::make_shared<FoundPlaces>();
    if (!index_ || index_->is_coalesced()) return;
    PlacedEntries sorted = coalesced(places_, values_);
    places_ = std::move(sorted.places);
    values_ = std::move(sorted.values);
    index_ = nullptr;
}

AnyMasked AnyMasked::to(Layout layout, std::optional<Blocksize> blocksize) const {
    check_not_moved("to");
    if (blocksize && !traits_of(layout).from_blocks)
        throw LayoutError("to: layout " + std::string(name_of(layout)) +
                          " has no blocks: use bsr or bsc, or give no block size");
    if (!device().is_cpu()) {
        const bool stays = layout == layout_ && (!blocksize || *blocksize == on_device::blocksize_of(*this));
        return stays ? *this : traits_of(layout).on_device(*this, blocksize);
    }
    if (!blocksize) return layout == layout_ ? coalesce() : traits_of(layout).from(*this);
    if (layout == layout_ && compressed_->blocksize == *blocksize) return *this;
    return traits_of(layout).from_blocks(*this, *blocksize);
}

AnyMasked AnyMasked::coalesce() const {
    check_not_moved("coalesce");
    if (!index_ || index_->is_coalesced()) return *this;
    // The sorted list lives in the list it was computed from.
    std::shared_ptr<const IndexList> unique(index_, &index_->unique());
    return {layout_, shape_, coordinates_of(*this).values, {}, std::move(unique)};
}

AnyTensor AnyMasked::to_dense(double fill) const {
    check_not_moved("to_dense");
    return dispatch(dtype(), [&]<class T>() {
        const T element = element_of<T>(fill);
        if (!device().is_cpu()) return on_device::filled(*this, &element);
        return traits_of(layout_).filled(*this, &element);
    });
}

Tensor<bool> AnyMasked::mask_tensor() const {
    check_not_moved("mask_tensor");
    if (!device().is_cpu()) return Tensor<bool>(on_device::mask_bytes(*this));
    const Tensor<bool> mask(runtime::result_tensor(DType::boolean, shape()));
    bytes_of(*this, static_cast<std::uint8_t*>(static_cast<const AnyTensor&>(mask).data()));
    return mask;
}

template <class T>
MaskedTensor<T>::MaskedTensor(AnyMasked masked) : AnyMasked(std::move(masked)) {
    check_not_moved("masked tensor");
    if (dtype() != dtype_of<T>)
        throw DTypeError("masked tensor: it has dtype " + std::string(name_of(dtype())) +
                         ", the handle is for " + std::string(name_of(dtype_of<T>)) +
                         ": use a handle of its dtype, or convert it");
}

template <class T>
MaskedTensor<T> MaskedTensor<T>::coo(Shape shape, const std::vector<std::vector<std::int64_t>>& indices,
                                     const Elements<T>& values, const Elements<bool>& values_mask) {
    return MaskedTensor(AnyMasked::coo(std::move(shape), indices, values.tensor(), values_mask.given()));
}

template <class T>
MaskedTensor<T> MaskedTensor<T>::csr(Shape shape, std::vector<std::int64_t> row_pointers,
                                     std::vector<std::int64_t> columns, const Elements<T>& values,
                                     const Elements<bool>& values_mask) {
    return MaskedTensor(AnyMasked::csr(std::move(shape), std::move(row_pointers), std::move(columns),
                                       values.tensor(), values_mask.given()));
}

template <class T>
MaskedTensor<T> MaskedTensor<T>::csc(Shape shape, std::vector<std::int64_t> column_pointers,
                                     std::vector<std::int64_t> rows, const Elements<T>& values,
                                     const Elements<bool>& values_mask) {
    return MaskedTensor(AnyMasked::csc(std::move(shape), std::move(column_pointers), std::move(rows),
                                       values.tensor(), values_mask.given()));
}

template <class T>
MaskedTensor<T> MaskedTensor<T>::bsr(Shape shape, Blocksize blocksize, std::vector<std::int64_t> row_pointers,
                                     std::vector<std::int64_t> columns, const Elements<T>& values,
                                     const Elements<bool>& values_mask) {
    return MaskedTensor(AnyMasked::bsr(std::move(shape), blocksize, std::move(row_pointers),
                                       std::move(columns), values.tensor(), values_mask.given()));
}

template <class T>
MaskedTensor<T> MaskedTensor<T>::bsc(Shape shape, Blocksize blocksize,
                                     std::vector<std::int64_t> column_pointers,
                                     std::vector<std::int64_t> rows, const Elements<T>& values,
                                     const Elements<bool>& values_mask) {
    return MaskedTensor(AnyMasked::bsc(std::move(shape), blocksize, std::move(column_pointers),
                                       std::move(rows), values.tensor(), values_mask.given()));
}

template <class T>
MaskedTensor<T> MaskedTensor<T>::two_four(Shape shape, std::vector<std::int64_t> slots,
                                          const Elements<T>& values, const Elements<bool>& values_mask) {
    return MaskedTensor(
        AnyMasked::two_four(std::move(shape), std::move(slots), values.tensor(), values_mask.given()));
}

template <class T>
MaskedTensor<T> MaskedTensor<T>::rows(Shape shape, const std::vector<std::int64_t>& row_numbers,
                                      const std::vector<T>& values) {
    Shape all{static_cast<std::int64_t>(row_numbers.size())};
    if (!shape.empty()) all.insert(all.end(), shape.begin() + 1, shape.end());
    if (element_count(all) != static_cast<std::int64_t>(values.size()))
        throw LayoutError("rows: " + std::to_string(values.size()) + " values for " +
                          std::to_string(row_numbers.size()) + " rows of shape " + to_string(shape) +
                          ": give " + std::to_string(element_count(all)));
    return rows(std::move(shape), row_numbers, Tensor<T>(std::move(all), values));
}

template <class T>
MaskedTensor<T> MaskedTensor<T>::rows(Shape shape, const std::vector<std::int64_t>& row_numbers,
                                      Tensor<T> values) {
    return MaskedTensor(AnyMasked::rows(std::move(shape), row_numbers, std::move(values)));
}

template <class T>
MaskedTensor<T> MaskedTensor<T>::bitmask(Tensor<T> values, Tensor<std::int64_t> words) {
    return MaskedTensor(AnyMasked::bitmask(std::move(values), std::move(words)));
}

template <class T>
MaskedTensor<T> MaskedTensor<T>::dense(Tensor<T> values) {
    return MaskedTensor(AnyMasked::dense(std::move(values)));
}

template <class T>
Tensor<T> MaskedTensor<T>::to_dense(T fill) const {
    check_not_moved("to_dense");
    if (!device().is_cpu()) return Tensor<T>(on_device::filled(*this, &fill));
    return Tensor<T>(traits_of(layout()).filled(*this, &fill));
}

template <class T>
T MaskedTensor<T>::item() const {
    check_not_moved("item");
    if (size() != 1)
        throw ShapeError("item: shape " + to_string(shape()) + " has " + std::to_string(size()) +
                         " elements, an item is one: reduce the tensor first");
    const AnyMasked here = to(frisket::Device());
    const Entries entries = traits_of(layout()).entries(here);
    if (entries.positions.empty())
        throw UnspecifiedError("item: the element is unspecified, it has no value: use to_dense(fill)");
    return Tensor<T>(entries.values).item();
}

template class MaskedTensor<bool>;
template class MaskedTensor<std::uint8_t>;
template class MaskedTensor<std::int32_t>;
template class MaskedTensor<std::int64_t>;
template class MaskedTensor<float>;
template class MaskedTensor<double>;
template class MaskedTensor<bfloat16>;
template class MaskedTensor<float16>;

}  // namespace frisket

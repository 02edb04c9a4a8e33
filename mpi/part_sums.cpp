// SPDX-License-Identifier: MIT
#include "part_sums.hpp"

#include <bit>
#include <cstring>
#include <numeric>
#include <optional>
#include <utility>

namespace frisket::mpi {

namespace {

using detail::Bytes;

/// Parts [first, last).
struct Range {
    std::int64_t first, last;
    std::int64_t middle() const {
        return first +
               static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(last - first - 1)));
    }
    bool is_one() const { return last - first == 1; }
    bool is_within(const Range& other) const { return first >= other.first && last <= other.last; }
    bool meets(const Range& other) const { return first < other.last && other.first < last; }
};

/// The ranges of the tree over all parts that are whole within the own ones, from left to right.
void find_whole(const Range& range, const Range& own, std::vector<Range>& found) {
    if (!range.meets(own)) return;
    if (range.is_within(own)) {
        found.push_back(range);
        return;
    }
    find_whole({range.first, range.middle()}, own, found);
    find_whole({range.middle(), range.last}, own, found);
}

template <class T>
void add(std::span<const T> from, std::span<T> to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
}

/// to += from, of the dtype of sums.
void add(DType dtype, std::span<const std::byte> from, std::span<std::byte> to) {
    const auto as = [&]<class T>(T) {
        add<T>({reinterpret_cast<const T*>(from.data()), from.size() / sizeof(T)},
               {reinterpret_cast<T*>(to.data()), to.size() / sizeof(T)});
    };
    dtype == DType::float64 ? as(double()) : as(float());
}

Bytes bytes_of_tensor(const AnyTensor& tensor) {
    const AnyTensor whole = detail::row_major(tensor);
    const auto* const from = static_cast<const std::byte*>(whole.data());
    return Bytes(from, from + whole.size() * bytes_of(whole.dtype()));
}

/// The sum of a range of parts; `leaf` gives the sum of a range that it has, or nothing.
template <class Leaf>
Bytes sum_of_range(DType dtype, const Range& range, const Leaf& leaf) {
    if (std::optional<Bytes> found = leaf(range)) return std::move(*found);
    Bytes left = sum_of_range(dtype, {range.first, range.middle()}, leaf);
    add(dtype, sum_of_range(dtype, {range.middle(), range.last}, leaf), left);
    return left;
}

/// Gives single parts, of which the first has the number `first`.
auto leaf_of(DType dtype, const std::vector<AnyTensor>& parts, std::int64_t first) {
    return [dtype, &parts, first](const Range& range) -> std::optional<Bytes> {
        if (!range.is_one()) return {};
        return bytes_of_tensor(parts[static_cast<std::size_t>(range.first - first)].to(dtype));
    };
}

AnyTensor tensor_of(const Bytes& bytes, DType wide, DType dtype, Shape shape) {
    const AnyTensor made(wide, std::move(shape));
    if (!bytes.empty()) std::memcpy(made.data(), bytes.data(), bytes.size());
    return made.to(dtype);
}

}  // namespace

AnyTensor sum_of_parts(const std::vector<AnyTensor>& parts) {
    const DType dtype = parts[0].dtype(), wide = info(dtype).compute;
    const Range all{0, static_cast<std::int64_t>(parts.size())};
    return tensor_of(sum_of_range(wide, all, leaf_of(wide, parts, 0)), wide, dtype, parts[0].shape());
}

PartSums::PartSums(detail::Channel& channel, DType dtype, const std::vector<std::int64_t>& counts,
                   const std::vector<std::int64_t>& slices, const std::vector<AnyTensor>& parts)
    : channel_(&channel),
      dtype_(dtype),
      first_(counts.size() + 1),
      slices_(slices),
      outgoing_(counts.size()) {
    std::partial_sum(counts.begin(), counts.end(), first_.begin() + 1);
    const auto rank = static_cast<std::size_t>(channel.rank());
    const Range own{first_[rank], first_[rank + 1]};
    const DType wide = info(dtype).compute;
    std::vector<Range> whole;
    if (own.first < own.last) find_whole({0, first_.back()}, own, whole);
    const std::int64_t bytes = bytes_of(wide);
    for (const Range& range : whole) {
        const Bytes found = sum_of_range(wide, range, leaf_of(wide, parts, own.first));
        for (std::size_t to = 0; to < outgoing_.size(); ++to)
            outgoing_[to].insert(outgoing_[to].end(), found.begin() + slices_[to] * bytes,
                                 found.begin() + slices_[to + 1] * bytes);
    }
}

void PartSums::send() { exchange_.emplace(*channel_, "step", std::move(outgoing_)); }

AnyTensor PartSums::sum() {
    exchange_->wait();
    const auto rank = static_cast<std::size_t>(channel_->rank());
    const std::int64_t length = slices_[rank + 1] - slices_[rank];
    const DType dtype = info(dtype_).compute;
    const auto bytes = static_cast<std::size_t>(length * bytes_of(dtype));
    std::vector<std::size_t> taken(first_.size() - 1);  // sums of each rank that have been read
    const auto sent = [&](const Range& range) -> std::optional<Bytes> {
        for (std::size_t from = 0; from < taken.size(); ++from) {
            if (!range.is_within({first_[from], first_[from + 1]})) continue;
            const auto part = exchange_->from(static_cast<int>(from)).subspan(bytes * taken[from]++, bytes);
            return Bytes(part.begin(), part.end());
        }
        return {};
    };
    return tensor_of(sum_of_range(dtype, {0, first_.back()}, sent), dtype, dtype_, Shape{length});
}

}  // namespace frisket::mpi

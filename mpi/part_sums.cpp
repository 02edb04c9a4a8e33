// SPDX-License-Identifier: MIT
#include "part_sums.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <utility>

#include "../runtime/tensor/result_memory.hpp"

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

/// Elements of the dtype of sums.
using Elements = std::span<const std::byte>;

template <class T>
void add(const T* a, const T* b, T* to, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) to[i] = a[i] + b[i];
}

/// to = a + b, one of which may be to.
void add(DType dtype, Elements a, Elements b, std::span<std::byte> to) {
    const auto as = [&]<class T>(T) {
        add(reinterpret_cast<const T*>(a.data()), reinterpret_cast<const T*>(b.data()),
            reinterpret_cast<T*>(to.data()), to.size() / sizeof(T));
    };
    dtype == DType::float64 ? as(double()) : as(float());
}

/// Adds parts in pairs; `leaf` returns the sum of a range that is there, or nothing.
template <class Leaf>
class Tree {
public:
    Tree(DType dtype, std::size_t bytes, const Leaf& leaf) : dtype_(dtype), bytes_(bytes), leaf_(leaf) {}

    /// Writes the sum of a range to memory.
    void write(const Range& range, std::span<std::byte> to) const {
        if (const std::optional<Elements> found = leaf_(range)) {
            std::ranges::copy(*found, to.begin());
            return;
        }
        const Range left{range.first, range.middle()}, right{range.middle(), range.last};
        Bytes of_left, of_right;
        const Elements a = sum(left, of_left), b = sum(right, of_right);
        add(dtype_, a, b, to);
    }

private:
    /// The sum of a range, in memory that is taken for it if it is not there.
    Elements sum(const Range& range, Bytes& memory) const {
        if (const std::optional<Elements> found = leaf_(range)) return *found;
        memory.resize(bytes_);
        write(range, memory);
        return memory;
    }

    DType dtype_;
    std::size_t bytes_;
    const Leaf& leaf_;
};

std::span<std::byte> bytes_of_tensor(const AnyTensor& tensor) {
    return {static_cast<std::byte*>(tensor.data()),
            static_cast<std::size_t>(tensor.size() * bytes_of(tensor.dtype()))};
}
Elements elements_of(const AnyTensor& tensor) {
    return {static_cast<const std::byte*>(std::as_const(tensor).data()),
            static_cast<std::size_t>(tensor.size() * bytes_of(tensor.dtype()))};
}

/// The sum of a range of parts, of which the first has the number `first`: a part itself, or a new tensor.
AnyTensor sum_of_range(const Range& range, const std::vector<AnyTensor>& parts, std::int64_t first) {
    const auto part = [&](std::int64_t i) -> const AnyTensor& {
        return parts[static_cast<std::size_t>(i - first)];
    };
    if (range.is_one()) return part(range.first);
    const auto leaf = [&](const Range& one) -> std::optional<Elements> {
        if (!one.is_one()) return {};
        return elements_of(part(one.first));
    };
    const AnyTensor sum = runtime::result_tensor(part(range.first).dtype(), part(range.first).shape());
    Tree(sum.dtype(), elements_of(sum).size(), leaf).write(range, bytes_of_tensor(sum));
    return sum;
}

/// Parts as they are added: without gaps, of a wider dtype if theirs has 16 bits.
std::vector<AnyTensor> widened(const std::vector<AnyTensor>& parts) {
    std::vector<AnyTensor> wide;
    for (const AnyTensor& part : parts)
        wide.push_back(detail::row_major(part.to(info_of(part.dtype()).compute)));
    return wide;
}

}  // namespace

AnyTensor sum_of_parts(const std::vector<AnyTensor>& parts) {
    return sum_of_range({0, std::ssize(parts)}, widened(parts), 0).to(parts[0].dtype());
}

PartSums::PartSums(detail::Channel& channel, DType dtype, const std::vector<std::int64_t>& counts,
                   const std::vector<std::int64_t>& slices, const std::vector<AnyTensor>& parts)
    : channel_(&channel),
      dtype_(dtype),
      first_(counts.size() + 1),
      slices_(slices),
      packed_(counts.size()),
      incoming_(counts.size()) {
    std::partial_sum(counts.begin(), counts.end(), first_.begin() + 1);
    const std::int64_t each = bytes_of(info_of(dtype).compute);
    const auto rank = static_cast<std::size_t>(channel.rank());
    const auto whole_of = [&](std::size_t of) {
        std::vector<Range> whole;
        const Range own{first_[of], first_[of + 1]};
        if (own.first < own.last) find_whole({0, first_.back()}, own, whole);
        return whole;
    };
    const std::vector<AnyTensor> wide = widened(parts);
    for (const Range& range : whole_of(rank)) own_.push_back(sum_of_range(range, wide, first_[rank]));
    std::vector<std::int64_t> sent(counts.size()), received(counts.size());
    for (std::size_t other = 0; other < counts.size(); ++other) {
        if (other == rank) continue;
        received[other] = std::ssize(whole_of(other)) * (slices_[rank + 1] - slices_[rank]) * each;
        incoming_[other].resize(static_cast<std::size_t>(received[other]));
        if (own_.size() > 1)
            for (const AnyTensor& sum : own_) {
                const Elements all = elements_of(sum);
                packed_[other].insert(packed_[other].end(), all.begin() + slices_[other] * each,
                                      all.begin() + slices_[other + 1] * each);
            }
        sent[other] = std::ssize(outgoing(static_cast<int>(other)));
    }
    messages_.emplace(channel, sent, received);
}

std::span<const std::byte> PartSums::outgoing(int rank) const {
    const auto to = static_cast<std::size_t>(rank);
    if (own_.size() != 1) return packed_[to];
    const std::int64_t each = bytes_of(own_[0].dtype());
    return elements_of(own_[0]).subspan(static_cast<std::size_t>(slices_[to] * each),
                                        static_cast<std::size_t>((slices_[to + 1] - slices_[to]) * each));
}

void PartSums::send() {
    messages_->start();
    const int size = channel_->size();
    for (int i = 1; i < size; ++i) {
        const int from = (channel_->rank() + size - i) % size;
        messages_->receive(from, incoming_[static_cast<std::size_t>(from)]);
    }
    for (int i = 1; i < size; ++i) {
        const int to = (channel_->rank() + i) % size;
        messages_->send(to, outgoing(to));
    }
}

void PartSums::sum_to(const AnyTensor& to) {
    messages_->wait();
    const auto own = static_cast<std::size_t>(channel_->rank());
    const std::int64_t each = bytes_of(info_of(dtype_).compute);
    const auto at = static_cast<std::size_t>(slices_[own] * each),
               bytes = static_cast<std::size_t>((slices_[own + 1] - slices_[own]) * each);
    std::vector<std::size_t> taken(first_.size() - 1);  // sums of each rank that have been read
    const auto leaf = [&](const Range& range) -> std::optional<Elements> {
        for (std::size_t from = 0; from < taken.size(); ++from) {
            if (!range.is_within({first_[from], first_[from + 1]})) continue;
            const std::size_t number = taken[from]++;
            return from == own ? elements_of(own_[number]).subspan(at, bytes)
                               : Elements(incoming_[from]).subspan(bytes * number, bytes);
        }
        return {};
    };
    const Tree tree(info_of(dtype_).compute, bytes, leaf);
    const Range all{0, first_.back()};
    if (to.dtype() == info_of(dtype_).compute) {
        tree.write(all, bytes_of_tensor(to));
        return;
    }
    const AnyTensor wide = runtime::result_tensor(info_of(dtype_).compute, to.shape());
    tree.write(all, bytes_of_tensor(wide));
    copy(wide.to(dtype_), to);
}

}  // namespace frisket::mpi

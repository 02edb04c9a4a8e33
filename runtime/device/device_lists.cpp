// SPDX-License-Identifier: MIT
#include "device_lists.hpp"

#include <bit>
#include <map>
#include <mutex>
#include <utility>

#include "../support/fork.hpp"
#include "../support/made_once.hpp"
#include "../tensor/bitmask_ops.hpp"
#include "device_kernels.hpp"

namespace frisket::runtime {

namespace {

constexpr std::int64_t chunk = 64;

std::int64_t chunks_of(std::int64_t count) { return (count + chunk - 1) / chunk; }

AnyTensor indices_like(const AnyTensor& neighbour, std::int64_t count) {
    return empty(DType::int32, {count}, neighbour.device());
}

/// Sums of all numbers up to each.
AnyTensor running_sums(const AnyTensor& numbers) {
    const std::int64_t chunks = chunks_of(numbers.size());
    AnyTensor before = numbers;  // not looked at if there is one chunk
    if (chunks > 1) {
        const AnyTensor totals = indices_like(numbers, chunks);
        run(DeviceKernel::chunk_totals, {}, {numbers}, totals);
        before = running_sums(totals);
    }
    AnyTensor sums = indices_like(numbers, numbers.size());
    run(DeviceKernel::chunk_sums, {}, {numbers, before}, sums);
    return sums;
}

std::int32_t last_of(const AnyTensor& numbers) {
    const std::int64_t count = numbers.size();
    return Tensor<std::int32_t>(numbers.slice(0, count - 1, count)).item();
}

}  // namespace

int rounds_of(std::int64_t count) { return std::bit_width(static_cast<std::uint64_t>(count)); }

AnyTensor flat(const AnyTensor& tensor) {
    return (tensor.is_contiguous() ? tensor : tensor.clone()).reshape({tensor.size()});
}

DeviceBits counted_bits(AnyTensor words, std::int64_t elements) {
    DeviceBits bits{.words = std::move(words), .sums = {}};
    if (elements == 0) return bits;
    const AnyTensor counts = indices_like(bits.words, words_for(elements));
    run(DeviceKernel::count_bits, {elements}, {bits.words}, counts);
    bits.sums = running_sums(counts);
    bits.count = last_of(bits.sums);
    return bits;
}

AnyTensor packed_words(const AnyTensor& bytes) {
    AnyTensor words = empty(DType::int64, {words_for(bytes.size())}, bytes.device());
    run(DeviceKernel::pack_bits, {}, {bytes}, words);
    return words;
}

DeviceBits packed_bits(const AnyTensor& bytes) { return counted_bits(packed_words(bytes), bytes.size()); }

AnyTensor positions_of(const DeviceBits& bits) {
    AnyTensor places = indices_like(bits.words, bits.count);
    if (bits.count > 0)
        run(DeviceKernel::positions_of_bits, {rounds_of(bits.sums.size())}, {bits.words, bits.sums}, places);
    return places;
}

AnyTensor sorted_keys(const AnyTensor& places, LineOrder order) {
    const std::int64_t count = places.size();
    const auto some = [&] { return empty(DType::int64, {count}, places.device()); };
    AnyTensor keys = some();
    run(DeviceKernel::make_keys, {order.lines, order.length}, {places}, keys);
    if (count < 2) return keys;
    AnyTensor other = some();
    run(DeviceKernel::sort_chunks, {}, {keys}, other);
    for (std::int64_t length = chunk; length < count; length *= 2) {
        std::swap(keys, other);
        run(DeviceKernel::merge_runs, {length, rounds_of(length)}, {keys}, other);
    }
    return other;
}

PlacedEntries coalesced(const AnyTensor& places, const AnyTensor& values, SumIn precision) {
    if (places.size() == 0) return {places, values};
    const AnyTensor keys = sorted_keys(places);
    const AnyTensor is_first = empty(DType::boolean, {keys.size()}, keys.device());
    run(DeviceKernel::find_first, {}, {keys}, is_first);
    const AnyTensor starts = positions_of(packed_bits(is_first));
    const std::int64_t length = values.size() / places.size();
    Shape shape = values.shape();
    shape[0] = starts.size();
    PlacedEntries made{indices_like(places, starts.size()),
                       empty(values.dtype(), std::move(shape), values.device())};
    run(DeviceKernel::key_places, {1, 1}, {keys, starts}, made.places);
    const auto sum = precision == SumIn::dtype ? DeviceKernel::sum_runs : DeviceKernel::sum_runs_wide;
    run(sum, {length}, {keys, starts, flat(values)}, made.values);
    return made;
}

AnyTensor counted_on(const Device& device, std::int64_t count) {
    static constinit Mutex mutex;
    // Never destroyed, as devices live as long as the process.
    auto& kept = made_once([] { return std::map<int, AnyTensor>(); });
    const std::scoped_lock lock(mutex);
    AnyTensor& known = kept[device.number()];
    if (known.size() < count) {
        AnyTensor made = empty(DType::int32, {count}, device);
        run(DeviceKernel::iota, {}, {}, made);
        known = std::move(made);
    }
    return known.slice(0, 0, count);
}

AnyTensor gathered_rows(const AnyTensor& tensor, const AnyTensor& list, std::int64_t length, Shape shape) {
    AnyTensor made = empty(tensor.dtype(), std::move(shape), tensor.device());
    run(DeviceKernel::gather, {length}, {list, flat(tensor)}, made);
    return made;
}

AnyTensor places_of(std::span<const AnyTensor> indices, const Shape& shape) {
    const std::int64_t count = indices[0].size();
    AnyTensor places = indices_like(indices[0], count);
    for (std::size_t d = 0; count > 0 && d < indices.size(); ++d) {
        AnyTensor next = indices_like(places, count);
        // The first dimension has no positions before it: the value read for them is multiplied by 0.
        run(DeviceKernel::add_index, {d == 0 ? 0 : shape[d]}, {places, indices[d]}, next);
        places = std::move(next);
    }
    return places;
}

bool are_in_range(std::span<const AnyTensor> indices, const Shape& shape) {
    const AnyTensor is_outside = empty(DType::boolean, {indices[0].size()}, indices[0].device());
    for (std::size_t d = 0; is_outside.size() > 0 && d < indices.size(); ++d) {
        run(DeviceKernel::find_outside, {shape[d]}, {indices[d]}, is_outside);
        if (packed_bits(is_outside).count > 0) return false;
    }
    return true;
}

}  // namespace frisket::runtime

// SPDX-License-Identifier: MIT
#include "mask_cache.hpp"

#include <algorithm>

#include "../kernel/compiled_kernel.hpp"
#include "../kernel/scratch.hpp"
#include "../layouts/layout_traits.hpp"
#include "../tensor/bitmask_ops.hpp"
#include "mask_list.hpp"
#include "mask_statistics.hpp"

namespace frisket::kernel_calls {

AnyMasked MaskCache::bitmask(const AnyMasked& masked, KernelModule& loops) {
    const std::int64_t word_count = runtime::words_for(masked.size());
    const AnyTensor made(DType::int64, {word_count});
    auto* words = static_cast<std::uint64_t*>(made.data());
    runtime::bits_of(masked, words);
    AnyMasked result = AnyMasked::bitmask(
        masked.values(), AnyTensor(DType::int64, words, made.shape(), made.strides(), false, made.owner()));
    MaskCache pattern;
    std::vector<runtime::WordRange> ranges;
    pattern.counts = counts_of(words, word_count, ranges);
    pattern.strategy = loops.choose(query_of(masked.shape(), Layout::bitmask, pattern.counts)).strategy;
    if (masked.size() <= segment_elements && walks_list(pattern.strategy)) {
        const auto list = list_of(pattern.strategy, {words, masked.size(), ranges}, pattern.list);
        pattern.list.resize(list.size());
        pattern.list.shrink_to_fit();
    }
    result.pattern_ = std::make_shared<const MaskCache>(std::move(pattern));
    return result;
}

namespace {

/// Sorts a list now that calls would sort.
AnyMasked with_order(AnyMasked masked) {
    const IndexList& index = *masked.index();
    if (index.is_coalesced()) return masked;
    if (runtime::lists_rows(masked.layout()) && index.has_keys())
        index.keys();
    else
        index.unique();
    return masked;
}

bool specifies_all(const AnyTensor& mask) {
    const auto* bytes = static_cast<const std::uint8_t*>(mask.data());
    return std::find(bytes, bytes + mask.size(), 0) == bytes + mask.size();
}

/// The stored values of another list as a list of coordinates.
AnyMasked as_coordinates(const AnyMasked& masked) {
    if (!specifies_all(masked.mask()) || !masked.values().is_contiguous()) return masked;
    auto index = runtime::share(runtime::traits_of(masked.layout()).stored_positions(masked), masked.size());
    const std::int64_t stored = index->size();
    return with_order(
        AnyMasked::indexed(Layout::coo, masked.shape(), std::move(index), masked.values().reshape({stored})));
}

}  // namespace

AnyMasked prepared(const AnyMasked& masked, KernelModule& loops) {
    if (!runtime::has_mask(masked.layout()) || masked.pattern() != nullptr) return masked;
    if (masked.index()) return with_order(masked);
    if (runtime::is_list(masked.layout())) return as_coordinates(masked);
    return masked.values().is_contiguous() ? MaskCache::bitmask(masked, loops) : masked;
}

}  // namespace frisket::kernel_calls

namespace frisket {

AnyMasked CompiledKernel::prepare(const AnyMasked& masked) const {
    masked.check_not_moved("prepare");
    AnyMasked made = kernel_calls::prepared(masked, source());
    warm_up({made.layout()});
    return made;
}

}  // namespace frisket

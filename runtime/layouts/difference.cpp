// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>

#include "../tensor/bitmask_ops.hpp"
#include "../tensor/sized.hpp"
#include "layout.hpp"
#include "layout_traits.hpp"
#include "stored.hpp"

namespace frisket::runtime {

namespace {

bool same_memory(const AnyTensor& a, const AnyTensor& b) {
    return a.address() == b.address() && a.shape() == b.shape() && a.strides() == b.strides();
}

/// True if both masks share the same memory.
bool same_storage(const AnyMasked& a, const AnyMasked& b) {
    if (a.layout() != b.layout() || a.shape() != b.shape()) return false;
    if (!has_mask(a.layout())) return true;
    const bool has_index = a.index() || a.compressed_index();
    return a.index() == b.index() && a.compressed_index() == b.compressed_index() &&
           same_memory(a.mask(), b.mask()) && (has_index || same_memory(a.places(), b.places()));
}

/// Sorted indices without duplicates.
IndexView sorted(const AnyMasked& masked) {
    const IndexList& index = *masked.index();
    return IndexView(index.is_coalesced() ? index : index.unique());
}

/// Two sorted lists of runs of `length` elements each, without a look at the elements that neither holds.
std::optional<MaskDifference> listed_difference(const IndexView& in_a, const IndexView& in_b,
                                                std::int64_t length) {
    const std::int64_t shared = std::min(in_a.size(), in_b.size());
    std::int64_t i = 0;
    while (i < shared && in_a[i] == in_b[i]) ++i;
    if ((i == in_a.size() && i == in_b.size()) || length == 0) return {};
    const bool a_first = i == in_b.size() || (i < in_a.size() && in_a[i] < in_b[i]);
    return MaskDifference{.position = (a_first ? in_a[i] : in_b[i]) * length,
                          .specified_in_a = a_first,
                          .count_a = in_a.size() * length,
                          .count_b = in_b.size() * length};
}

std::vector<std::uint64_t> bits_in(const AnyMasked& masked, std::span<const std::int64_t> space) {
    auto words = zeros_for<std::uint64_t>(space, words_for(element_count(space)), "words of bits");
    if (std::ranges::equal(masked.shape(), space)) {
        bits_of(masked, words.data());
        return words;
    }
    const AnyTensor mask = masked.mask_tensor().broadcast_to(Shape(space.begin(), space.end()));
    bits_of(AnyMasked::strided(mask, mask), words.data());
    return words;
}

std::optional<MaskDifference> bits_difference(const std::vector<std::uint64_t>& a,
                                              const std::vector<std::uint64_t>& b) {
    const auto [in_a, in_b] = std::ranges::mismatch(a, b);
    if (in_a == a.end()) return {};
    const int bit = std::countr_zero(*in_a ^ *in_b);
    const auto words = static_cast<std::int64_t>(a.size());
    return MaskDifference{.position = (in_a - a.begin()) * 64 + bit,
                          .specified_in_a = (*in_a >> bit & 1) != 0,
                          .count_a = count_bits(a.data(), 0, words),
                          .count_b = count_bits(b.data(), 0, words)};
}

}  // namespace

std::optional<MaskDifference> first_mask_difference(const AnyMasked& a, const AnyMasked& b,
                                                    std::span<const std::int64_t> space) {
    if (same_storage(a, b)) return {};
    const bool are_together = a.device() == b.device() && !a.device().is_cpu() && a.shape() == b.shape();
    if (are_together && on_device::have_same_mask(a, b)) return {};
    if (!a.device().is_cpu() || !b.device().is_cpu())
        return first_mask_difference(a.mask_on_processor(), b.mask_on_processor(), space);
    if (std::ranges::equal(a.shape(), space) && std::ranges::equal(b.shape(), space)) {
        const bool by_rows = lists_rows(a.layout());
        if (a.index() && b.index() && by_rows == lists_rows(b.layout()))
            return listed_difference(sorted(a), sorted(b), by_rows ? row_length(a.shape()) : 1);
        if (is_list(a.layout()) && is_list(b.layout())) {
            const AnyMasked in_a = a.to(Layout::coo), in_b = b.to(Layout::coo);
            return listed_difference(sorted(in_a), sorted(in_b), 1);
        }
    }
    return bits_difference(bits_in(a, space), bits_in(b, space));
}

bool same_mask(const AnyMasked& a, const AnyMasked& b) {
    return a.shape() == b.shape() && !first_mask_difference(a, b, a.shape());
}

}  // namespace frisket::runtime

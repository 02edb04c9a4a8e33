// SPDX-License-Identifier: MIT
#include "../support/matchers.hpp"
#include "table.hpp"

#include <frisket/frisket.hpp>

#include <map>
#include <numeric>
#include <string>

namespace lists_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

/// Indices below `bound`, those next to limits among them; `copies` of each, in one of several orders.
std::vector<std::int64_t> indices_of(std::int64_t count, std::int64_t bound, std::int64_t copies,
                                     bool is_shuffled) {
    std::vector<std::int64_t> indices;
    const std::int64_t different = (count + copies - 1) / copies;
    // Far apart, so that every digit differs, and the largest among them.
    for (std::int64_t i = 0; i < count; ++i)
        indices.push_back(bound - 1 - (different > 1 ? (bound - 1) / different * (i / copies) : 0));
    std::ranges::sort(indices);
    if (is_shuffled) {
        Random random(static_cast<std::uint32_t>(count));
        random.shuffle(indices);
    }
    return indices;
}

/// Positions at which each index occurs, in order: the groups that coalescing finds.
std::map<std::int64_t, std::vector<std::int64_t>> groups_of(const std::vector<std::int64_t>& indices) {
    std::map<std::int64_t, std::vector<std::int64_t>> groups;
    for (std::size_t i = 0; i < indices.size(); ++i)
        groups[indices[i]].push_back(static_cast<std::int64_t>(i));
    return groups;
}

std::string fault_of(const std::vector<std::int64_t>& indices, std::int64_t bound) {
    const IndexList list(indices, bound);
    const IndexList& unique = list.unique();
    const CoalescePlan& plan = list.plan();
    const auto groups = groups_of(indices);
    if (unique.size() != std::ssize(groups)) return "there are " + std::to_string(unique.size());
    std::size_t group = 0;
    for (const auto& [index, positions] : groups) {
        if (unique[static_cast<std::int64_t>(group)] != index) return "index " + std::to_string(index);
        const auto first = static_cast<std::size_t>(plan.start.at(group)),
                   last = static_cast<std::size_t>(plan.start.at(group + 1));
        if (std::vector(plan.order.begin() + static_cast<std::ptrdiff_t>(first),
                        plan.order.begin() + static_cast<std::ptrdiff_t>(last)) != positions)
            return "the positions of " + std::to_string(index);
        ++group;
    }
    return "";
}

/// A list of layout coo over `size` elements, its values 1, 2, 3 …
MaskedTensor<std::int64_t> listed(const std::vector<std::int64_t>& indices, std::int64_t size) {
    Tensor<std::int64_t> values({std::ssize(indices)});
    std::iota(values.data(), values.data() + values.size(), 1);
    return MaskedTensor<std::int64_t>(AnyMasked::coo({size}, {indices}, values));
}

constexpr InOut<"x", std::int64_t> x;
constexpr Masked<"grad", std::int64_t> grad;
constexpr auto adding = step<"adding">(x += grad);

}  // namespace

TEST_CASE("lists of every length and of indices below every bound around a limit are sorted and coalesced") {
    for (const std::int64_t count : sizes_of(Of::entries, limits::short_list))
        for (const std::int64_t bound : sizes_of(Of::bound, limits::narrow_index))
            for (const std::int64_t copies : {1, 2, 5})
                for (const bool is_shuffled : {false, true}) {
                    INFO(count << " below " << bound << ", " << copies << " of each, " << is_shuffled);
                    CHECK(fault_of(indices_of(count, bound, copies, is_shuffled), bound) == "");
                }
}

TEST_CASE("steps take every entry of a list, and entries of one element together") {
    const auto kernel = jit(adding);
    for (const std::int64_t count : sizes_of(Of::specified, limits::task_elements))
        for (const std::int64_t copies : {1, 3})
            for (const bool is_shuffled : {false, true}) {
                const std::int64_t size = 2 * count + 1;
                const auto indices = indices_of(count, size, copies, is_shuffled);
                const Tensor<std::int64_t> found({size}), wanted({size});
                for (std::size_t i = 0; i < indices.size(); ++i)
                    wanted.data()[indices[i]] += static_cast<std::int64_t>(i) + 1;
                kernel(x = found, grad = listed(indices, size));
                INFO(count << ", " << copies << " of each, " << is_shuffled);
                CHECK(same(found, wanted));
            }
}

TEST_CASE("steps of listed rows take every row, of every length around a limit") {
    const auto kernel = jit(adding);
    const auto check = [&](std::int64_t count, std::int64_t length, std::int64_t copies, bool is_shuffled) {
        const std::int64_t rows = 2 * count + 1;
        const auto indices = indices_of(count, rows, copies, is_shuffled);
        Tensor<std::int64_t> values({count, length});
        std::iota(values.data(), values.data() + values.size(), 1);
        const Tensor<std::int64_t> found({rows, length}), wanted({rows, length});
        for (std::int64_t i = 0; i < count; ++i)
            for (std::int64_t k = 0; k < length; ++k)
                wanted.data()[indices[static_cast<std::size_t>(i)] * length + k] +=
                    values.data()[i * length + k];
        kernel(x = found,
               grad = MaskedTensor<std::int64_t>(AnyMasked::rows({rows, length}, indices, values)));
        INFO(count << " rows of " << length << ", " << copies << " of each, " << is_shuffled);
        CHECK(same(found, wanted));
    };
    for (const std::int64_t copies : {1, 3})
        for (const bool is_shuffled : {false, true}) {
            for (const std::int64_t count : sizes_of(Of::entries, limits::short_list))
                for (const std::int64_t length : {1, 3, 64}) check(count, length, copies, is_shuffled);
            for (const std::int64_t length : sizes_of(Of::length, limits::row_part_bytes))
                for (const std::int64_t count : {1, 2, 17}) check(count, length, copies, is_shuffled);
            for (const std::int64_t length : {1, 64})
                for (const std::int64_t count : around(limits::task_elements / length))
                    check(count, length, copies, is_shuffled);
        }
}

TEST_CASE("lists that meet are merged whole, at every length around a limit") {
    for (const std::int64_t count : sizes_of(Of::entries, limits::short_list)) {
        const std::int64_t size = 6 * count + 7;
        std::vector<std::int64_t> evens, thirds;
        for (std::int64_t i = 0; i < count; ++i) evens.push_back(2 * i), thirds.push_back(3 * i);
        const auto a = listed(evens, size), b = listed(thirds, size);
        const MaskedTensor<std::int64_t> both = eval(intersect(a * b)), either = eval(unite(a + b));
        const Tensor<bool> in_both = both.mask_tensor(), in_either = either.mask_tensor();
        const Tensor<std::int64_t> product(both.to_dense(0)), sum(either.to_dense(0));
        bool is_right = true;
        for (std::int64_t i = 0; i < size; ++i) {
            const std::int64_t even = i % 2 == 0 && i / 2 < count ? i / 2 + 1 : 0,
                               third = i % 3 == 0 && i / 3 < count ? i / 3 + 1 : 0;
            is_right = is_right && in_both.data()[i] == (even > 0 && third > 0) &&
                       in_either.data()[i] == (even > 0 || third > 0) && product.data()[i] == even * third &&
                       sum.data()[i] == even + third;
        }
        INFO(count);
        CHECK(is_right);
    }
}

TEST_CASE(
    "a product of which little is wanted is made whole or by its list, on both sides of what costs less") {
    constexpr std::int64_t rows = 40, inner = 9, columns = 50;
    const Tensor<float> a = random_tensor({rows, inner}, 1), b = random_tensor({inner, columns}, 2);
    const Tensor<float> whole = eval(matmul(a, b), {.jit = Jit::never});
    for (const std::int64_t count : around(rows * columns / limits::sampled_cost)) {
        std::vector<std::vector<std::int64_t>> places(2);
        Tensor<bool> mask({rows, columns});
        for (std::int64_t i = 0; i < count; ++i) {
            const std::int64_t place = i * 7919 % (rows * columns);
            places[0].push_back(place / columns);
            places[1].push_back(place % columns);
            mask.data()[place] = true;
        }
        const auto wanted = MaskedTensor<float>::coo({rows, columns}, places, Tensor<float>({count}));
        const MaskedTensor<float> found = eval(on(wanted, matmul(a, b)));
        INFO(count);
        CHECK(same(found.to(Layout::strided), masked(whole, mask)));
    }
}

}  // namespace lists_test

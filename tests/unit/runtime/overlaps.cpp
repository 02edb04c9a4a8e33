// SPDX-License-Identifier: MIT
#include "../../../runtime/tensor/overlap.hpp"

#include <set>

#include "../../support/matchers.hpp"

namespace overlaps_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

/// Views that nobody reads: only the positions of elements matter.
AnyTensor view(Shape shape, Strides strides, std::int64_t byte = 0, DType dtype = DType::float32) {
    constexpr std::int64_t middle = std::int64_t{1} << 40;
    auto* const data = reinterpret_cast<void*>(static_cast<std::uintptr_t>(middle + byte));
    return {dtype, data, std::move(shape), std::move(strides), true, {}};
}

/// Offsets of all elements, one by one.
std::vector<std::int64_t> every_place(const AnyTensor& tensor) {
    std::vector<std::int64_t> places{
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(tensor.data()))};
    for (int d = 0; d < tensor.rank(); ++d) {
        std::vector<std::int64_t> more;
        for (const std::int64_t place : places)
            for (std::int64_t i = 0; i < tensor.shape()[d]; ++i)
                more.push_back(place + i * tensor.strides()[d] * bytes_of(tensor.dtype()));
        places = std::move(more);
    }
    return places;
}

std::set<std::int64_t> every_byte(const AnyTensor& tensor) {
    std::set<std::int64_t> bytes;
    for (const std::int64_t place : every_place(tensor))
        for (int i = 0; i < bytes_of(tensor.dtype()); ++i) bytes.insert(place + i);
    return bytes;
}

runtime::Overlap wanted(bool overlaps) { return overlaps ? runtime::Overlap::some : runtime::Overlap::none; }

AnyTensor random_view(Random& random) {
    constexpr DType kinds[] = {DType::boolean, DType::float16, DType::float32, DType::float64};
    Shape shape;
    Strides strides;
    for (std::int64_t rank = random.below(5); rank > 0; --rank) {
        shape.push_back(random.below(12) == 0 ? 0 : 1 + random.below(4));
        strides.push_back(random.below(25) - 8);
    }
    const DType dtype = kinds[random.below(4)];
    return view(std::move(shape), std::move(strides), random.below(40) * bytes_of(dtype), dtype);
}

std::string text_of(const AnyTensor& tensor) {
    return std::string(name_of(tensor.dtype())) + " " + to_string(tensor.shape()) + " strides " +
           to_string(tensor.strides());
}

struct Row {
    Shape shape;
    Strides strides;
    runtime::Overlap within;
};

constexpr std::int64_t half = std::int64_t{1} << 54;  // half of the furthest that four bytes may be

const Row rows[] = {
    {{2, 3}, {3, 2}, runtime::Overlap::none},  // 0 2 4 3 5 7
    {{2, 3}, {-3, 2}, runtime::Overlap::none},
    {{2, 3}, {2, 2}, runtime::Overlap::some},
    {{2, 3}, {2, 1}, runtime::Overlap::some},
    {{2, 4}, {0, 1}, runtime::Overlap::some},
    {{1, 4}, {0, 1}, runtime::Overlap::none},
    {{0, 4}, {0, 0}, runtime::Overlap::none},
    {{3, 4}, {half / 2, 1}, runtime::Overlap::none},
    {{3, 4}, {half / 2, half / 6}, runtime::Overlap::none},
    {{3, 4}, {half / 6 * 3, half / 6}, runtime::Overlap::some},
    {{64, 64}, {65, 64}, runtime::Overlap::none},  // 4096 elements: decided
    {{64, 64}, {63, 64}, runtime::Overlap::none},
    {{64, 64}, {62, 64}, runtime::Overlap::some},       // 32 * 62 is 31 * 64
    {{64, 65}, {66, 65}, runtime::Overlap::not_shown},  // more: not
    {{4097}, {-2}, runtime::Overlap::none},             // but for strides that nest
    {{4097, 2}, {0, 1}, runtime::Overlap::some},        // or repeat elements
    {{100, 100}, {50, 1}, runtime::Overlap::some},      // or have less room than elements
    {{5000, 2}, {3, 14995}, runtime::Overlap::not_shown},
};

}  // namespace

TEST_CASE("whether a tensor overlaps itself is decided for strides that nest and for few elements") {
    for (const Row& row : rows) {
        const AnyTensor tensor = view(row.shape, row.strides);
        INFO(text_of(tensor));
        CHECK(runtime::overlaps_itself(tensor) == row.within);
        CHECK(runtime::overlaps_itself(view(Shape(row.shape.rbegin(), row.shape.rend()),
                                            Strides(row.strides.rbegin(), row.strides.rend()))) ==
              row.within);
    }
}

TEST_CASE("what is said of overlap is what the bytes of each element say, over 20,000 random views") {
    Random random(23);
    int self = 0, pairs = 0;
    for (int i = 0; i < 20000; ++i) {
        const AnyTensor a = random_view(random), b = random_view(random);
        const std::vector<std::int64_t> places = every_place(a);
        const std::set<std::int64_t> in_a = every_byte(a), in_b = every_byte(b);
        const bool within = std::set<std::int64_t>(places.begin(), places.end()).size() != places.size();
        const bool between =
            std::ranges::any_of(in_b, [&](std::int64_t byte) { return in_a.contains(byte); });
        self += static_cast<int>(within);
        pairs += static_cast<int>(between);
        if (runtime::overlaps_itself(a) == wanted(within) && runtime::overlap(a, b) == wanted(between) &&
            runtime::overlap(b, a) == wanted(between))
            continue;
        INFO(text_of(a) << " and " << text_of(b));
        CHECK(runtime::overlaps_itself(a) == wanted(within));
        CHECK(runtime::overlap(a, b) == wanted(between));
        CHECK(runtime::overlap(b, a) == wanted(between));
    }
    CHECK(self > 2000);
    CHECK(self < 18000);
    CHECK(pairs > 2000);
    CHECK(pairs < 18000);
}

TEST_CASE("views that a search cannot tell apart are compared element by element if they are few") {
    // One has bytes 0 and 1 of four, the other byte 2 or byte 1, in strides whose sums hardly prune a search.
    Shape shape(12, 2);
    Strides strides{1}, more{4};
    for (std::int64_t d = 1; d < 12; ++d) {
        strides.push_back(4 * (1000 + 2 * d * d));
        more.push_back(4 * (1001 + d * (d + 3)));
    }
    const AnyTensor two = view(shape, strides, 0, DType::boolean);
    CHECK(runtime::overlap(two, view(shape, more, 2, DType::boolean)) == runtime::Overlap::none);
    CHECK(runtime::overlap(two, view(shape, more, 1, DType::boolean)) == runtime::Overlap::some);
    shape[0] = 3;
    CHECK(runtime::overlap(two, view(shape, more, 2, DType::boolean)) == runtime::Overlap::not_shown);
}

TEST_CASE("large tensors of ordinary strides are told apart") {
    constexpr std::int64_t height = 1000003, width = 24;
    const Shape half{height, width / 2};
    const AnyTensor left = view(half, {width, 1}), right = view(half, {width, 1}, width / 2 * 4),
                    across = view(half, {width, 1}, (width / 2 - 1) * 4);
    CHECK(runtime::overlap(left, right) == runtime::Overlap::none);
    CHECK(runtime::overlap(left, across) == runtime::Overlap::some);
    const AnyTensor even = view({height}, {2}), odd = view({height}, {2}, 4),
                    back = view({height}, {-2}, 8 * height - 4);
    CHECK(runtime::overlap(even, odd) == runtime::Overlap::none);
    CHECK(runtime::overlap(even, back) == runtime::Overlap::none);
    CHECK(runtime::overlap(odd, back) == runtime::Overlap::some);
    CHECK(runtime::overlap(view(half, {4 * width, 4}), view({width / 2, height}, {4, 4 * width}, 8)) ==
          runtime::Overlap::none);
    CHECK(runtime::overlap(view({height}, {2}, 0, DType::float64), view({height}, {4}, 6, DType::float16)) ==
          runtime::Overlap::some);
    CHECK(runtime::overlap(view({height}, {2}, 0, DType::float64), view({height}, {8}, 8, DType::float16)) ==
          runtime::Overlap::none);
}

TEST_CASE("tensors at the ends of the address space are compared without an overflow") {
    const auto at = [](std::uintptr_t address, Shape shape, Strides strides) {
        return AnyTensor(DType::uint8, reinterpret_cast<void*>(address), std::move(shape), std::move(strides),
                         true, {});
    };
    constexpr std::uintptr_t top = ~std::uintptr_t{0};
    constexpr std::int64_t far = std::int64_t{1} << 56;
    const AnyTensor low = at(1, {4}, {2}), high = at(top - 8, {4}, {2}),
                    back = at(top - 1, {2, 4}, {-far, -1});
    CHECK(runtime::overlap(low, high) == runtime::Overlap::none);
    CHECK(runtime::overlap(high, low) == runtime::Overlap::none);
    CHECK(runtime::overlap(high, back) == runtime::Overlap::some);
    CHECK(runtime::overlap(low, back) == runtime::Overlap::none);
    CHECK(runtime::overlap(at(top / 2 - 3, {2, 4}, {far, 1}), at(top / 2, {2, 4}, {-far, 1})) ==
          runtime::Overlap::some);
    CHECK(runtime::overlaps_itself(back) == runtime::Overlap::none);
}

}  // namespace overlaps_test

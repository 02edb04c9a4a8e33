// SPDX-License-Identifier: MIT
/// Every pair of layouts, by the meaning element by element: random patterns and poisoned spare values.
#include "../../../runtime/layouts/layout.hpp"
#include "../../support/matchers.hpp"

#include <algorithm>
#include <thread>
#include <vector>

namespace conversions_test {

using namespace frisket;
using namespace frisket::testing;

/// Checks the elements of a masked tensor by converting it only to values and bytes.
static void check_means(const AnyMasked& m, const Tensor<float>& values, const Tensor<bool>& mask) {
    CHECK(same(m.mask_tensor(), mask));
    CHECK(same(m.to_dense(-99), AnyMasked::strided(values, mask).to_dense(-99)));
}

/// Ascending row-major positions of the entries of a csr or csc matrix, read from its pointers and indices.
/// Empty if the number of pointers does not fit the shape.
static std::vector<std::int64_t> row_major_positions(const AnyMasked& m) {
    const bool is_by_rows = m.layout() == Layout::csr;
    const std::int64_t lines = m.shape()[is_by_rows ? 0 : 1], columns = m.shape()[1];
    const CompressedIndex& index = *m.compressed_index();
    std::vector<std::int64_t> positions;
    if (std::ssize(index.pointers) != lines + 1) return positions;
    for (std::int64_t line = 0; line < lines; ++line)
        for (std::int64_t i = index.pointers[static_cast<std::size_t>(line)];
             i < index.pointers[static_cast<std::size_t>(line + 1)]; ++i) {
            const std::int64_t other = index.indices[static_cast<std::size_t>(i)];
            positions.push_back(is_by_rows ? line * columns + other : other * columns + line);
        }
    std::ranges::sort(positions);
    return positions;
}

TEST_CASE("every pair of layouts keeps values, masks and canonical storage over random patterns") {
    constexpr Layout layouts[] = {Layout::strided, Layout::bitmask, Layout::coo, Layout::csr,
                                  Layout::csc,     Layout::bsr,     Layout::bsc, Layout::two_four};
    const Shape shape = GENERATE(values<Shape>({{1, 4}, {13, 20}, {6, 36}, {70, 4}, {0, 4}}));
    const double density = GENERATE(0.02, 0.5, 1.0);
    const Poison kind = GENERATE(Poison::quiet, Poison::signalling);
    const Tensor<bool> mask = random_mask(shape, specified(density), 11);
    thin_out(mask);
    const Tensor<float> values = random_tensor(shape, 12);
    const AnyMasked plain = AnyMasked::strided(values.clone(), mask);
    for (const Layout from : layouts)
        for (const Layout to : layouts) {
            INFO(name_of(from) << " to " << name_of(to) << ", shape " << to_string(shape));
            const AnyMasked source = plain.to(from).clone();
            poison(source, kind);
            check_means(source, values, mask);
            const AnyMasked result = source.to(to);
            poison(result, kind);
            check_means(result, values, mask);
            const AnyMasked direct = plain.to(to);
            if (result.compressed_index()) CHECK(*result.compressed_index() == *direct.compressed_index());
            if (result.compressed_index()) CHECK(same(result.mask(), direct.mask()));
            if (result.index()) CHECK(result.index()->is_coalesced());
        }
}

TEST_CASE("a large matrix keeps its elements through all compressed layouts") {
    const auto m = random_masked({3001, 1204}, specified(0.01), Layout::coo, 5, Listed::with_duplicates);
    AnyMasked now = m;
    for (const Layout layout :
         {Layout::csc, Layout::bsr, Layout::csr, Layout::bsc, Layout::coo, Layout::csc}) {
        now = now.to(layout);
        CHECK(now.layout() == layout);
        CHECK(same(now, m));
    }
}

TEST_CASE("a list keeps what conversions make of it, and values are copies") {
    const auto coo = random_masked({300, 200}, specified(0.1), Layout::coo, 5, Listed::ascending);
    constexpr Layout layouts[] = {Layout::coo, Layout::csr, Layout::csc};
    for (const Layout from : layouts)
        for (const Layout to : layouts) {
            if (from == to) continue;
            INFO(name_of(from) << " to " << name_of(to));
            const AnyMasked source = coo.to(from);
            const AnyMasked once = source.to(to), again = source.to(to);
            CHECK(once.index() == again.index());
            CHECK(once.compressed_index() == again.compressed_index());
            CHECK(once.values().data() != again.values().data());
            CHECK(once.values().data() != source.values().data());
            *static_cast<float*>(once.values().data()) += 1;
            CHECK(same(again, coo));
            CHECK(same(source, coo));
        }
    // More than are cached: each is right, also when it is made again.
    const auto list = std::make_shared<const IndexList>(std::vector<std::int64_t>{1, 5, 11}, 12);
    for (int turn = 0; turn < 3; ++turn)
        for (const Shape& shape :
             {Shape{1, 12}, Shape{2, 6}, Shape{3, 4}, Shape{4, 3}, Shape{6, 2}, Shape{12, 1}}) {
            const AnyMasked m = AnyMasked::indexed(Layout::coo, shape, list, Tensor<float>({3}, {1, 2, 3}));
            CHECK(same(m.to(Layout::csr), m));
            CHECK(same(m.to(Layout::csc).to(Layout::coo), m));
            CHECK(row_major_positions(m.to(Layout::csr)) == std::vector<std::int64_t>{1, 5, 11});
            CHECK(row_major_positions(m.to(Layout::csc)) == std::vector<std::int64_t>{1, 5, 11});
        }
    CHECK(list->bytes() > list->size() * 4);
    // Conversions of conversions do not stay without end.
    AnyMasked now = coo;
    std::int64_t before = 0;
    for (int turn = 0; turn < 20; ++turn) {
        now = now.to(turn % 2 == 0 ? Layout::csc : Layout::coo);
        if (turn > 5) CHECK(coo.index()->bytes() == before);
        before = coo.index()->bytes();
    }
    CHECK(same(now, coo));
}

TEST_CASE("several threads may convert one list at once") {
    const auto coo = random_masked({300, 200}, specified(0.1), Layout::coo, 5, Listed::ascending);
    std::vector<AnyMasked> made(8);
    std::vector<std::thread> threads;
    for (AnyMasked& each : made)
        threads.emplace_back([&each, &coo] { each = coo.to(Layout::csc).to(Layout::csr); });
    for (std::thread& thread : threads) thread.join();
    for (const AnyMasked& each : made) CHECK(same(each, coo));
}

}  // namespace conversions_test

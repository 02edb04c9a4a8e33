// SPDX-License-Identifier: MIT
// Rows of tables, and which rank has them.
#include <set>

#include "ranks.hpp"

using namespace mpi_test;

TEST_CASE("every row has one owner, who knows its place", "[mpi]") {
    for (const mpi::Partition& partition : partitions()) {
        for (const std::int64_t rows :
             {0, 1, 2, 3, 7, 8, 9, 63, 64, 65, 383, 384, 385, 511, 512, 513, 769, 2559, 2560, 2561, 10'000}) {
            std::vector<std::int64_t> owned;
            for (int rank = 0; rank < 5; ++rank) {
                const mpi::Placement placement(partition, {rows, 5}, rank);
                for (std::int64_t i = 0; i < placement.count(); ++i) {
                    owned.push_back(placement.row(i));
                    REQUIRE(placement.local(placement.row(i)) == i);
                    REQUIRE(placement.owner(placement.row(i)) == rank);
                }
            }
            REQUIRE(std::ssize(owned) == rows);
            REQUIRE(std::ssize(std::set<std::int64_t>(owned.begin(), owned.end())) == rows);
        }
    }
}

TEST_CASE("a lookup gives rows of any rank, each fetched once", "[mpi]") {
    for (const mpi::Partition& partition : partitions()) {
        const mpi::ShardedTable table = counted(100, 3, partition);
        const std::int64_t me = ranks().rank();
        // Every rank asks for other rows, some of them twice, in a tensor of rank 2.
        const Tensor<std::int64_t> ids({2, 3}, {me, 99, 7, 99, (me + 50) % 100, 7});
        const mpi::Traffic before = ranks().traffic();
        const Tensor<const float> found(table.lookup(ids));
        const mpi::Traffic after = ranks().traffic();
        REQUIRE(found.shape() == Shape{2, 3, 3});
        const std::vector<float> values = found.to_vector();
        const std::vector<std::int64_t> list = ids.to_vector();
        for (std::size_t i = 0; i < list.size(); ++i)
            for (std::size_t k = 0; k < 3; ++k)
                CHECK(values[i * 3 + k] == static_cast<float>(list[i] * 3 + static_cast<std::int64_t>(k)));
        // This rank sends 8 bytes for each row of other ranks that it asks for, and 12 for each that they ask
        // for.
        std::int64_t least = 0;
        const auto wanted_by = [](std::int64_t rank) {
            return std::set<std::int64_t>{rank, 99, 7, (rank + 50) % 100};
        };
        for (const std::int64_t id : wanted_by(me)) least += table.placement().owner(id) == me ? 0 : 8;
        for (int rank = 0; rank < ranks().size(); ++rank)
            for (const std::int64_t id : wanted_by(rank))
                least += rank != me && table.placement().owner(id) == me ? 12 : 0;
        CHECK(after.bytes - before.bytes == least);
    }
}

TEST_CASE("lookups of nothing, in tables without rows, and by int32", "[mpi]") {
    const mpi::ShardedTable table = counted(3, 2), none = counted(0, 2), flat = counted(5, 0);
    CHECK(table.lookup(Tensor<std::int64_t>(Shape{0})).shape() == Shape{0, 2});
    CHECK(none.lookup(Tensor<std::int64_t>(Shape{0})).shape() == Shape{0, 2});
    CHECK(flat.lookup(Tensor<std::int64_t>({2}, {4, 0})).shape() == Shape{2, 0});
    CHECK(Tensor<const float>(table.lookup(Tensor<std::int32_t>({1}, {2}))).to_vector() ==
          std::vector<float>{4, 5});
    CHECK(same_bytes(table.gathered(), Tensor<float>({3, 2}, {0, 1, 2, 3, 4, 5})));
}

TEST_CASE("messages longer than their bound come in parts", "[mpi]") {
    const mpi::ShardedTable table = counted(4000, 5);
    std::vector<float> wanted;
    for (int i = 0; i < 20000; ++i) wanted.push_back(static_cast<float>(i));
    const mpi::Traffic before = ranks().traffic();
    CHECK(same_bytes(table.gathered(), Tensor<float>({4000, 5}, wanted)));
    const mpi::Traffic after = ranks().traffic();
    if (ranks().size() > 1) CHECK(after.messages - before.messages >= (after.bytes - before.bytes) / 4000);
}

TEST_CASE("lookups that are under way while a step runs give the rows before it", "[mpi]") {
    const mpi::ShardedTable table = counted(50, 2);
    mpi::Optimizer optimizer(optim::SGD{.lr = 1}, {{"table", table}});
    const Tensor<std::int64_t> ids({2}, {1, 40});
    mpi::Lookup first = table.start_lookup(ids);
    const AnyMasked gradient = AnyMasked::rows({50, 2}, {1, 40}, full<float>({2, 2}, 1));
    optimizer.step({gradient});
    mpi::Lookup second = table.start_lookup(ids);
    optimizer.step({gradient});
    const float each = static_cast<float>(ranks().size());
    // In the order in which they were begun, or in another.
    CHECK(Tensor<const float>(second.wait()).to_vector() ==
          std::vector<float>{2 - each, 3 - each, 80 - each, 81 - each});
    CHECK(Tensor<const float>(first.wait()).to_vector() == std::vector<float>{2, 3, 80, 81});
    CHECK(contains(error_of([&] { first.wait(); }), "taken already"));
}

TEST_CASE("a table of rows that ranks have, each with any", "[mpi]") {
    // Row i is on rank i / 2 modulo the number of ranks, whoever owns it.
    std::vector<std::int64_t> rows;
    std::vector<float> values;
    for (std::int64_t i = 10; i-- > 0;) {
        if (i / 2 % ranks().size() != ranks().rank()) continue;
        rows.push_back(i);
        values.push_back(static_cast<float>(i));
    }
    const auto count = static_cast<std::int64_t>(rows.size());
    const auto make = [&](std::int64_t size) {
        return mpi::ShardedTable::of_rows(ranks(), {size, 1}, Tensor<std::int64_t>({count}, rows),
                                          Tensor<float>({count, 1}, values),
                                          {.partition = mpi::Partition::hash()});
    };
    CHECK(same_bytes(make(10).gathered(), Tensor<float>({10, 1}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})));
    CHECK(contains(error_of([&] { make(11); }), "row 10 is given by no rank"));
    CHECK(contains(error_of([&] { make(9); }), "9"));
    values.insert(values.begin(), 0.0f);
    rows.insert(rows.begin(), 3);
    const AnyTensor ids = Tensor<std::int64_t>({count + 1}, rows);
    CHECK(contains(error_of([&] {
                       mpi::ShardedTable::of_rows(ranks(), {10, 1}, Tensor<const std::int64_t>(ids),
                                                  Tensor<float>({count + 1, 1}, values), {});
                   }),
                   "row 3 is given twice"));
}

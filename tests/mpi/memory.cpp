// SPDX-License-Identifier: MIT
// Memory that runs out on one rank: all fail, and nothing is changed.
#include <mpi.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "../../mpi/channel.hpp"
#include "../support/failing_allocations.hpp"
#include "batches.hpp"
#include "ranks.hpp"

using namespace mpi_test;
using frisket::testing::Failing;
using frisket::testing::FailingAllocations;
using mpi_check::BatchShape;

namespace {

/// A call on all ranks, the last of which has no memory for its allocation of a number.
struct Attempt {
    template <class Call>
    Attempt(long nth, const Call& call) {
        const bool is_failing = ranks().rank() == ranks().size() - 1;
        {
            std::optional<FailingAllocations> failing;
            if (is_failing) failing.emplace(nth, Failing::one);
            try {
                call();
            } catch (const Error&) { has_thrown = true; }
        }
        int over = is_failing && !FailingAllocations::has_failed() ? 1 : 0;
        MPI_Bcast(&over, 1, MPI_INT, ranks().size() - 1, MPI_COMM_WORLD);
        is_over = over != 0;
    }
    /// Either all ranks have thrown, or none has: a call may get along without the memory.  The next messages
    /// of all ranks have the same tag.
    void check_alike() const {
        int thrown = has_thrown ? 1 : 0, all = 0;
        MPI_Allreduce(&thrown, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        REQUIRE((all == 0 || all == ranks().size()));
        // If tags differ, messages never meet, and the next call waits for ever.
        const int tag = ranks().channel().next_tag();
        int first = 0, last = 0;
        MPI_Allreduce(&tag, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        MPI_Allreduce(&tag, &last, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        REQUIRE(first == last);
    }

    bool has_thrown = false;
    bool is_over = false;  // it had all the memory that it asked for
};

/// Calls with each allocation failing in turn: `prepare` returns the call, and the function that requires
/// that it changed nothing.
template <class Prepare>
void check_every_allocation(const Prepare& prepare) {
    long failed = 0;
    for (long nth = 1, is_over = 0; is_over == 0; ++nth) {
        const auto [call, require_unchanged] = prepare();
        const Attempt attempt(nth, call);
        is_over = attempt.is_over ? 1 : 0;
        INFO("allocation " << nth);
        attempt.check_alike();
        if (!attempt.has_thrown) continue;
        ++failed;
        require_unchanged();
    }
    CHECK(failed > 20);
}

}  // namespace

TEST_CASE("a step for which one rank has no memory changes nothing on any", "[memory]") {
    const BatchShape batch{.rows = 30, .dim = 4, .listed = 20}, dense{.rows = 7, .dim = 3, .layout = "dense"};
    const auto initial = [&](std::int64_t position) {
        return static_cast<float>(mpi_check::initial(batch, position));
    };
    const auto parts = [&](const BatchShape& shape) {
        return mpi::Gradient(mpi_check::parts_of(shape, 0, shape.parts * ranks().rank() / ranks().size(),
                                                 shape.parts * (ranks().rank() + 1) / ranks().size()));
    };
    const std::vector<mpi::Gradient> gradients{parts(batch), parts(dense), parts(dense)};
    check_every_allocation([&] {
        const mpi::ShardedTable table = mpi::ShardedTable::filled<float>(ranks(), batch.shape(), initial);
        const AnyTensor w = mpi_check::initial_tensor(dense), v = mpi_check::initial_tensor(dense);
        const auto optimizer = std::make_shared<mpi::Optimizer>(
            optim::Adagrad{.lr = 0.1},
            std::vector<mpi::Parameter>{{"table", table}, {"w", w}, {"v", v, mpi::DenseState::sharded}});
        optimizer->step(gradients, {.clip_norm = 1});
        const auto step = [&gradients, optimizer] { optimizer->step(gradients, {.clip_norm = 1}); };
        const auto require_unchanged = [table, w, v, before = table.gathered(), w_before = w.clone(),
                                        v_before = v.clone()] {
            REQUIRE(same_bytes(table.gathered(), before));
            REQUIRE(same_bytes(w, w_before));
            REQUIRE(same_bytes(v, v_before));
        };
        return std::pair(step, require_unchanged);
    });
}

TEST_CASE("a loss for which one rank has no memory changes nothing on any", "[memory]") {
    constexpr In<"rows"> rows_of;
    constexpr In<"w"> w_of;
    const Tensor<std::int64_t> ids({4}, {1, 2, 1, 6});
    const mpi::ShardedTable table = counted(7, 3);
    Tensor<float> w = full<float>({3}, 1);
    mpi::Optimizer optimizer(optim::Adagrad{.lr = 0.1}, {{"rows", table}, {"w", w}});
    const mpi::TableRows rows{.table = "rows", .ids = ids};
    const auto minimize = [&] { optimizer.minimize(sum(square(rows_of * w_of)), rows); };
    minimize();
    check_every_allocation([&] {
        const auto require_unchanged = [&table, &w, before = table.gathered(), w_before = w.clone()] {
            REQUIRE(same_bytes(table.gathered(), before));
            REQUIRE(same_bytes(w, w_before));
        };
        return std::pair(minimize, require_unchanged);
    });
}

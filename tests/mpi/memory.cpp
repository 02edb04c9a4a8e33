// SPDX-License-Identifier: MIT
// Memory that runs out on one rank: all fail, and nothing is changed.
#include <mpi.h>

#include "../support/failing_allocations.hpp"
#include "batches.hpp"
#include "ranks.hpp"

using namespace mpi_test;
using frisket::testing::Failing;
using frisket::testing::FailingAllocations;
using mpi_check::BatchShape;

TEST_CASE("a step for which one rank has no memory changes nothing on any", "[memory]") {
    const BatchShape batch{.rows = 30, .dim = 4, .listed = 20}, dense{.rows = 7, .dim = 3, .layout = "dense"};
    const auto initial = [&](std::int64_t position) {
        return static_cast<float>(mpi_check::initial(batch, position));
    };
    const bool is_failing = ranks().rank() == ranks().size() - 1;
    const auto parts = [&](const BatchShape& shape) {
        return mpi::Gradient(mpi_check::parts_of(shape, 0, shape.parts * ranks().rank() / ranks().size(),
                                                 shape.parts * (ranks().rank() + 1) / ranks().size()));
    };
    const std::vector<mpi::Gradient> gradients{parts(batch), parts(dense), parts(dense)};
    long failed = 0;
    for (long nth = 1, is_over = 0; is_over == 0; ++nth) {
        const mpi::ShardedTable table = mpi::ShardedTable::filled<float>(ranks(), batch.shape(), initial);
        const AnyTensor w = mpi_check::initial_tensor(dense), v = mpi_check::initial_tensor(dense);
        mpi::Optimizer optimizer(optim::Adagrad{.lr = 0.1},
                                 {{"table", table}, {"w", w}, {"v", v, mpi::DenseState::sharded}});
        optimizer.step(gradients, {.clip_norm = 1});
        const AnyTensor before = table.gathered(), w_before = w.clone(), v_before = v.clone();
        bool has_thrown = false;
        {
            std::optional<FailingAllocations> failing;
            if (is_failing) failing.emplace(nth, Failing::one);
            try {
                optimizer.step(gradients, {.clip_norm = 1});
            } catch (const Error&) { has_thrown = true; }
        }
        is_over = is_failing && !FailingAllocations::has_failed() ? 1 : 0;
        MPI_Bcast(&is_over, 1, MPI_LONG, ranks().size() - 1, MPI_COMM_WORLD);
        int thrown = has_thrown ? 1 : 0, all = 0;
        MPI_Allreduce(&thrown, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        INFO("allocation " << nth);
        // A step may get along without the memory.
        REQUIRE((all == 0 || all == ranks().size()));
        if (!has_thrown) continue;
        ++failed;
        REQUIRE(same_bytes(table.gathered(), before));
        REQUIRE(same_bytes(w, w_before));
        REQUIRE(same_bytes(v, v_before));
    }
    CHECK(failed > 20);
}

// SPDX-License-Identifier: MIT
// A program that trains on several ranks until something ends it: ends.py kills and stops it.
//
// Usage: train_forever TIME_OUT_MS FOLDER [PAUSE_MS [FAULT RANK]]
// Prints "rank R is process P" on each rank, then on rank 0 "step N" for each; saves into the folder after
// each step, if it is not "-".  On rank 0 every step takes a pause, in which it calls nothing.
// FAULT is the action of RANK in place of step 4: `return` from main, a `lookup`, or a `save`.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include <frisket/frisket.hpp>
#include <frisket/mpi.hpp>
#include <frisket/optim.hpp>

#include "batches.hpp"

int main(int argc, char** argv) {
    namespace mpi = frisket::mpi;
    const mpi::Environment environment(argc, argv);
    const std::chrono::milliseconds time_out(std::atoi(argv[1])), pause(argc > 3 ? std::atoi(argv[3]) : 0);
    const std::string folder = argv[2], fault = argc > 5 ? argv[4] : "";
    const int faulty = argc > 5 ? std::atoi(argv[5]) : -1;
    const mpi::Communicator ranks = mpi::world({.time_out = time_out});
    std::printf("rank %d is process %d\n", ranks.rank(), static_cast<int>(getpid()));
    std::fflush(stdout);
    const mpi_check::BatchShape batch{.rows = 2000, .dim = 16, .parts = ranks.size()};
    const mpi::ShardedTable table(ranks, frisket::DType::float32, batch.shape());
    mpi::Optimizer optimizer(frisket::optim::Adagrad{.lr = 0.1}, {{"table", table}});
    for (std::int64_t step = 0; step < 100'000; ++step) {
        if (ranks.rank() == 0 && pause.count() > 0) std::this_thread::sleep_for(pause);
        if (step == 4 && ranks.rank() == faulty) {
            if (fault == "return") return 0;
            if (fault == "lookup") static_cast<void>(table.lookup(frisket::arange<std::int64_t>(3)));
            if (fault == "save") optimizer.save(folder);
        }
        optimizer.step({mpi::Gradient(mpi_check::parts_of(batch, step, ranks.rank(), ranks.rank() + 1))});
        if (folder != "-") optimizer.save(folder);
        if (ranks.rank() == 0) std::printf("step %d\n", static_cast<int>(step));
        std::fflush(stdout);
    }
    return 0;
}

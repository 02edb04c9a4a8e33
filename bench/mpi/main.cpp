// SPDX-License-Identifier: MIT
// bench_mpi: sharded steps and lookups on the ranks of this machine, and a model of many machines.
//
//     bench_mpi                    one rank, against optim::Optimizer
//     mpirun -n 2 bench_mpi        strong and weak scaling: run it with several -n, and compare
//     bench_mpi --model            the model, with assumptions as options
#include <frisket/frisket.hpp>
#include <frisket/mpi.hpp>
#include <frisket/optim.hpp>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <limits>
#include <random>

#include "../measure.hpp"
#include "model.hpp"

using namespace frisket;
using bench_mpi::Assumptions;

namespace {

struct Options {
    std::int64_t rows = 1'000'000, dim = 64, listed = 20'000, elements = 4'000'000;
    double seconds = 2;
    bool is_model = false;
    Assumptions model;
};

AnyMasked gradient_of(const Options& options, std::int64_t listed, unsigned seed) {
    std::mt19937_64 random(seed);
    std::vector<std::int64_t> rows;
    for (std::int64_t i = 0; i < listed; ++i)
        rows.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(options.rows)));
    return AnyMasked::rows({options.rows, options.dim}, rows, full<float>({listed, options.dim}, 0.5f));
}

/// The shortest time of a call that all ranks make, until `seconds` have passed on rank 0, at least five.
double shortest(const Options& options, const auto& call) {
    double best = std::numeric_limits<double>::infinity();
    const double start = MPI_Wtime();
    for (int is_over = 0, round = 0; is_over == 0; ++round) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        call();
        MPI_Barrier(MPI_COMM_WORLD);
        if (round > 0) best = std::min(best, MPI_Wtime() - begin);
        is_over = round >= 5 && MPI_Wtime() - start > options.seconds ? 1 : 0;
        MPI_Bcast(&is_over, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    return best;
}

/// A rank's part of the rows of a step, and its time.
void measure_scaling(const Options& options, const mpi::Communicator& ranks, const char* what,
                     std::int64_t listed) {
    const mpi::ShardedTable table(ranks, DType::float32, {options.rows, options.dim},
                                  {.partition = mpi::Partition::hash()});
    mpi::Optimizer adagrad(optim::Adagrad{.lr = 0.1}, {{"table", table}});
    const AnyMasked gradient = gradient_of(options, listed, static_cast<unsigned>(ranks.rank()) + 1);
    Tensor<std::int64_t> ids(Shape{listed});
    for (std::int64_t i = 0; i < listed; ++i) ids.data()[i] = (*gradient.index())[i];
    const double step = shortest(options, [&] { adagrad.step({gradient}); });
    const mpi::Traffic before = ranks.traffic();
    adagrad.step({gradient});
    const mpi::Traffic after = ranks.traffic();
    const double lookup = shortest(options, [&] { table.lookup(ids); });
    if (ranks.rank() > 0) return;
    std::printf("%-7s %5d %13lld %13.2f %13.2f %13lld %9lld %9lld\n", what, ranks.size(),
                static_cast<long long>(listed), step * 1e3, lookup * 1e3,
                static_cast<long long>(after.bytes - before.bytes),
                static_cast<long long>(after.messages - before.messages),
                static_cast<long long>(after.control_bytes - before.control_bytes));
}

/// A step of a dense parameter, and MPI's sum of as many elements alone.
void measure_dense(const Options& options, const mpi::Communicator& ranks) {
    const Tensor<float> gradient = full<float>({options.elements / options.dim, options.dim}, 0.5f);
    Tensor<float> sum = gradient.clone();
    const double reduce = shortest(options, [&] {
        MPI_Allreduce(gradient.data(), sum.data(), static_cast<int>(sum.size()), MPI_FLOAT, MPI_SUM,
                      MPI_COMM_WORLD);
    });
    const auto step = [&](mpi::DenseState state) {
        const Tensor<float> w = zeros<float>({options.elements / options.dim, options.dim});
        mpi::Optimizer adam(ranks, {}, optim::Adam{.lr = 0.1}, {{"w", w, state}});
        return shortest(options, [&] { adam.step({gradient}); });
    };
    const double replicated = step(mpi::DenseState::replicated), sharded = step(mpi::DenseState::sharded);
    if (ranks.rank() == 0)
        std::printf(
            "dense, %lld elements: %.2f ms, with sharded state %.2f ms; MPI_Allreduce alone %.2f ms\n",
            static_cast<long long>(gradient.size()), replicated * 1e3, sharded * 1e3, reduce * 1e3);
}

/// A step of one rank by the time of optim::Optimizer's, in turn.
void race_one_rank(const Options& options, const mpi::Communicator& ranks) {
    const Tensor<float> plain = zeros<float>({options.rows, options.dim});
    const mpi::ShardedTable table(ranks, DType::float32, {options.rows, options.dim});
    optim::Optimizer optimizer(optim::Adagrad{.lr = 0.1}, {{"table", plain}});
    mpi::Optimizer sharded(optim::Adagrad{.lr = 0.1}, {{"table", table}});
    const AnyMasked gradient = gradient_of(options, options.listed, 1);
    std::vector<bench::Contender> all{{"optim::Optimizer", [&] { optimizer.step({gradient}); }},
                                      {"mpi::Optimizer", [&] { sharded.step({gradient}); }}};
    bench::race(all, options.seconds);
    std::printf("one rank: a step of mpi::Optimizer takes %.3f of the time of optim::Optimizer's (goal 1.1); "
                "%.3f ms\n",
                all[1].best_s / all[0].best_s, all[1].best_s * 1e3);
}

void print_model(const Assumptions& a) {
    std::printf(
        "A table of %.3g rows of %.0f float32 (%.3g GB, as much of state); each machine lists %.0f rows a "
        "step.\n"
        "Assumed: %.2g us for a message, %.3g GB/s for a machine, %.3g ns for a row's step, %.3g ms for the "
        "rest.\n"
        "exchange = (6 (n-1) + 9 log2 n) latency + k (n-1)/n (16 + 8 dim) / bandwidth; step = k step_ns\n\n"
        "%6s %14s %13s %9s %10s %16s %11s\n",
        a.rows, a.dim, a.rows * a.dim * 4 / 1e9, a.listed, a.latency_us, a.bandwidth, a.step_ns, a.compute_ms,
        "nodes", "GB per machine", "exchange ms", "step ms", "others ms", "exchange : step", "efficiency");
    const double alone = times_of(a, 1).all();
    double last = 0;
    for (double nodes = 8; nodes <= 1024; nodes *= 2) {
        const bench_mpi::Times times = times_of(a, nodes);
        std::printf("%6.0f %14.2f %13.3f %9.3f %10.3f %16.2f %11.2f\n", nodes,
                    2 * a.rows * a.dim * 4 / 1e9 / nodes, times.exchange, times.step, times.compute,
                    times.exchange / times.step, alone / times.all());
    }
    for (double nodes = 2; nodes <= 1 << 20; nodes *= 2)
        if (times_of(a, nodes).all() < 2 * alone) last = nodes;
    std::printf("\nUp to %.0f machines a step takes less than twice that of one with its own batch; beyond, "
                "exchanges "
                "take\nlonger than all that a machine computes.\n",
                last);
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app{"Sharded steps and lookups on the ranks of this machine, and a model of many machines."};
    app.add_option("--rows", options.rows, "rows of the table that is measured");
    app.add_option("--dim", options.dim, "float32 in a row");
    app.add_option("--listed", options.listed, "rows of a batch");
    app.add_option("--elements", options.elements, "float32 of the dense parameter that is measured");
    app.add_option("--seconds", options.seconds, "of each measurement");
    app.add_flag("--model", options.is_model, "print the model alone");
    app.add_option("--latency-us", options.model.latency_us, "model: of a message");
    app.add_option("--bandwidth", options.model.bandwidth, "model: GB/s of a machine");
    app.add_option("--model-rows", options.model.rows, "model: rows of the table");
    app.add_option("--model-dim", options.model.dim, "model: float32 in a row");
    app.add_option("--model-listed", options.model.listed, "model: rows of a machine's batch");
    app.add_option("--step-ns", options.model.step_ns, "model: a row's step");
    app.add_option("--compute-ms", options.model.compute_ms, "model: all else of a step");
    CLI11_PARSE(app, argc, argv);
    if (options.is_model) {
        print_model(options.model);
        return 0;
    }
    const mpi::Environment environment(argc, argv);
    const mpi::Communicator ranks = mpi::world();
    if (ranks.size() == 1) race_one_rank(options, ranks);
    if (ranks.rank() == 0)
        std::printf("%-7s %5s %13s %13s %13s %13s %9s %9s\n", "scaling", "ranks", "rows a rank", "step ms",
                    "lookup ms", "bytes sent", "messages", "control");
    measure_scaling(options, ranks, "strong", options.listed / ranks.size());
    measure_scaling(options, ranks, "weak", options.listed);
    measure_dense(options, ranks);
    return 0;
}

// SPDX-License-Identifier: MIT
// frisket_mpi_check: trains with random gradients, and prints a hash of parameter and state, the same for any
// number of ranks.
#include <frisket/mpi.hpp>
#include <frisket/optim.hpp>
#include <mpi.h>
#include <xxhash.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstring>
#include <map>

#include "../../mpi/part_sums.hpp"
#include "batches.hpp"

using namespace mpi_check;
namespace optim = frisket::optim;
namespace mpi = frisket::mpi;

namespace {

struct Options {
    BatchShape batch;
    std::int64_t steps = 5;
    std::string optimizer = "adagrad", partition = "blocks", dtype = "float32", untouched = "masked";
    double clip_norm = std::numeric_limits<double>::infinity();
    bool is_plain = false, is_sharded = false, is_random = false;
};

const std::map<std::string, DType> dtype_names{{"float32", DType::float32},
                                               {"float64", DType::float64},
                                               {"float16", DType::float16},
                                               {"bfloat16", DType::bfloat16}};

/// The sum of the hashes of rows, which does not depend on who has them.
std::uint64_t hash_of_rows(const std::string& name, const AnyTensor& tensor, const auto& row_number) {
    const AnyTensor whole = tensor.is_contiguous() ? tensor : tensor.clone();
    const std::uint64_t seed = XXH3_64bits(name.data(), name.size());
    const std::int64_t rows = whole.rank() == 0 ? 1 : whole.shape()[0];
    if (whole.size() == 0) return 0;
    const auto bytes = static_cast<std::size_t>(whole.size() * bytes_of(whole.dtype()) / rows);
    std::uint64_t hash = 0;
    for (std::int64_t i = 0; i < rows; ++i)
        hash +=
            XXH3_64bits_withSeed(static_cast<const char*>(whole.data()) + static_cast<std::size_t>(i) * bytes,
                                 bytes, seed ^ random(static_cast<std::uint64_t>(row_number(i))));
    return hash;
}

constexpr auto as_they_are = [](std::int64_t row) { return row; };

optim::Optimizer::Settings settings_of(const Options& options) {
    optim::Optimizer::Settings settings;
    const std::map<std::string, optim::Untouched> names{
        {"masked", optim::Untouched::masked},
        {"dense_equivalent", optim::Untouched::dense_equivalent},
        {"caught_up", optim::Untouched::caught_up}};
    settings.untouched = names.at(options.untouched);
    settings.stochastic_rounding = options.is_random;
    settings.seed = options.batch.seed;
    return settings;
}

std::uint64_t plain(const Options& options) {
    const BatchShape& batch = options.batch;
    const AnyTensor param = initial_tensor(batch);
    optim::Optimizer optimizer(settings_of(options), optim::rule_of(options.optimizer), {{"param", param}});
    for (std::int64_t step = 0; step < options.steps; ++step) {
        std::vector<AnyTensor> parts;
        if (batch.layout == "dense")
            for (const Argument& part : parts_of(batch, step, 0, batch.parts)) parts.push_back(part.tensor());
        const Argument gradient =
            batch.layout == "dense" ? Argument(mpi::sum_of_parts(parts)) : whole_of(batch, step);
        optimizer.step({gradient}, {.clip_norm = options.clip_norm});
    }
    optimizer.catch_up();
    std::uint64_t hash = hash_of_rows("param", param, as_they_are);
    for (const optim::StateEntry& entry : optimizer.state())
        hash += hash_of_rows(entry.name, entry.value, as_they_are);
    return hash;
}

mpi::Partition partition_of(const std::string& name) {
    if (name == "round_robin") return mpi::Partition::round_robin();
    if (name == "hash") return mpi::Partition::hash();
    if (name == "last")
        return mpi::Partition::of(
            "last", [](std::int64_t, const mpi::PartitionSize& size) { return size.ranks - 1; });
    return mpi::Partition::blocks();
}

std::uint64_t on_ranks(const Options& options) {
    const BatchShape& batch = options.batch;
    const mpi::Communicator ranks = mpi::world();
    const bool is_dense = batch.layout == "dense";
    const AnyTensor dense = is_dense ? initial_tensor(batch) : AnyTensor();
    std::vector<mpi::Parameter> parameters;
    std::vector<mpi::ShardedTable> tables;
    if (is_dense) {
        parameters.emplace_back("param", dense,
                                options.is_sharded ? mpi::DenseState::sharded : mpi::DenseState::replicated);
    } else {
        std::vector<std::int64_t> rows;
        std::vector<double> values;
        const mpi::Placement placement(partition_of(options.partition),
                                       mpi::PartitionSize::of(batch.shape(), batch.dtype, ranks.size()),
                                       ranks.rank());
        for (std::int64_t i = 0; i < placement.count(); ++i) {
            rows.push_back(placement.row(i));
            for (std::int64_t k = 0; k < batch.dim; ++k)
                values.push_back(initial(batch, placement.row(i) * batch.dim + k));
        }
        const auto count = static_cast<std::int64_t>(rows.size());
        tables.push_back(mpi::ShardedTable::of_rows(ranks, batch.shape(), Tensor<std::int64_t>({count}, rows),
                                                    tensor_of(values, {count, batch.dim}, batch.dtype),
                                                    {.partition = partition_of(options.partition)}));
        parameters.emplace_back("param", tables[0]);
    }
    mpi::Optimizer optimizer(ranks, {.steps = settings_of(options)}, optim::rule_of(options.optimizer),
                             parameters);
    const int first = batch.parts * ranks.rank() / ranks.size(),
              last = batch.parts * (ranks.rank() + 1) / ranks.size();
    for (std::int64_t step = 0; step < options.steps; ++step)
        optimizer.step({mpi::Gradient(parts_of(batch, step, first, last))}, {.clip_norm = options.clip_norm});
    optimizer.catch_up();

    const bool is_apart = !is_dense || (options.is_sharded && ranks.size() > 1);
    const mpi::Placement blocks(mpi::Partition::blocks(),
                                mpi::PartitionSize::of(batch.shape(), batch.dtype, ranks.size()),
                                ranks.rank());
    const mpi::Placement& own = is_dense ? blocks : tables[0].placement();
    const auto number = [&](std::int64_t row) { return own.row(row); };
    std::uint64_t hash = is_dense ? ranks.rank() == 0 ? hash_of_rows("param", dense, as_they_are) : 0
                                  : hash_of_rows("param", tables[0].local(), number);
    for (const optim::StateEntry& entry : optimizer.state())
        if (is_apart && entry.value.rank() > 0)
            hash += hash_of_rows(entry.name, entry.value, number);
        else if (ranks.rank() == 0)
            hash += hash_of_rows(entry.name, entry.value, as_they_are);
    std::uint64_t all = 0;
    MPI_Allreduce(&hash, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

void read(CLI::App& app, Options& options) {
    app.add_option("--rows", options.batch.rows, "rows of the parameter");
    app.add_option("--dim", options.batch.dim, "elements of a row");
    app.add_option("--listed", options.batch.listed, "entries of a part of a gradient");
    app.add_option("--parts", options.batch.parts, "parts of a gradient, which ranks share");
    app.add_option("--steps", options.steps, "steps");
    app.add_option("--seed", options.batch.seed, "seed of parameter and gradients");
    app.add_option("--optimizer", options.optimizer, "name of a rule");
    app.add_option("--layout", options.batch.layout, "of the gradients: rows, coo, csr for a table, or dense")
        ->check(CLI::IsMember({"rows", "coo", "csr", "dense"}));
    app.add_option("--partition", options.partition, "of a table: blocks, round_robin, hash or last")
        ->check(CLI::IsMember({"blocks", "round_robin", "hash", "last"}));
    app.add_option("--dtype", options.dtype, "float32, float64, float16 or bfloat16")
        ->check(CLI::IsMember(dtype_names));
    app.add_option("--untouched", options.untouched, "masked, dense_equivalent or caught_up")
        ->check(CLI::IsMember({"masked", "dense_equivalent", "caught_up"}));
    app.add_option("--clip-norm", options.clip_norm, "bound of the norm of the gradient");
    app.add_flag("--sharded-state", options.is_sharded,
                 "of a dense parameter: rows of its state on each rank");
    app.add_flag("--stochastic-rounding", options.is_random, "round parameters of 16 bits at random");
    app.add_flag("--plain", options.is_plain, "with optim::Optimizer, without MPI");
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app{
        "Trains with random gradients, and prints a hash of parameter and state, the same for any number "
        "of ranks and without MPI."};
    read(app, options);
    CLI11_PARSE(app, argc, argv);
    try {
        options.batch.dtype = dtype_names.at(options.dtype);
        if (options.is_plain) {
            std::printf("hash %016llx\n", static_cast<unsigned long long>(plain(options)));
            return 0;
        }
        const mpi::Environment environment(argc, argv);
        int rank = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        try {
            const std::uint64_t hash = on_ranks(options);
            if (rank == 0) std::printf("hash %016llx\n", static_cast<unsigned long long>(hash));
        } catch (const Error& error) {
            // All ranks have the same one.
            if (rank == 0) std::printf("refused: %s\n", error.text().c_str());
            return 3;
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "frisket_mpi_check: %s\n", error.what());
        return 1;
    }
    return 0;
}

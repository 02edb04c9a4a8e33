// SPDX-License-Identifier: MIT
// Steps of many ranks against steps of optim::Optimizer, to the byte.
#include <cmath>
#include <fstream>

#include "batches.hpp"
#include "ranks.hpp"

using namespace mpi_test;
using mpi_check::BatchShape;

namespace {

/// This rank's parts of a step.
mpi::Gradient own_parts(const BatchShape& batch, std::int64_t step) {
    return mpi_check::parts_of(batch, step, batch.parts * ranks().rank() / ranks().size(),
                               batch.parts * (ranks().rank() + 1) / ranks().size());
}

/// Bytes of a table after some steps, and those without MPI.
void check_steps(const BatchShape& batch, const mpi::Partition& partition, const optim::AnyRule& rule,
                 optim::Untouched untouched) {
    const mpi::ShardedTable table = mpi::ShardedTable::filled<float>(
        ranks(), batch.shape(),
        [&](std::int64_t position) { return static_cast<float>(mpi_check::initial(batch, position)); },
        {.partition = partition});
    const AnyTensor plain = mpi_check::initial_tensor(batch);
    mpi::Optimizer optimizer({.steps = {.untouched = untouched}}, rule, {{"table", table}});
    optim::Optimizer wanted({.untouched = untouched}, rule, {{"table", plain}});
    for (std::int64_t step = 0; step < 3; ++step) {
        optimizer.step({own_parts(batch, step)});
        wanted.step({mpi_check::whole_of(batch, step)});
    }
    INFO(partition.name() << " " << rule.info().name << " " << batch.layout << " of " << batch.rows);
    CHECK(same_bytes(table.gathered(), plain));
}

}  // namespace

TEST_CASE("steps of a table have the bytes of one optimizer's", "[mpi]") {
    for (const char* layout : {"rows", "coo", "csr"})
        for (const mpi::Partition& partition : partitions())
            check_steps({.rows = 40, .dim = 5, .listed = 30, .layout = layout}, partition,
                        optim::Adagrad{.lr = 0.1}, optim::Untouched::masked);
    for (const optim::Untouched untouched : {optim::Untouched::dense_equivalent, optim::Untouched::caught_up})
        check_steps({.rows = 40, .dim = 5, .listed = 3}, mpi::Partition::hash(),
                    optim::SGD{.lr = 0.1, .momentum = 0.9}, untouched);
    check_steps({.rows = 40, .dim = 5, .listed = 30}, mpi::Partition::round_robin(),
                optim::RowwiseAdagrad{.lr = 0.1}, optim::Untouched::masked);
}

TEST_CASE("more ranks than rows, one row, empty parts, all duplicates", "[mpi]") {
    for (const std::int64_t rows : {1, 2, 3})
        check_steps({.rows = rows, .dim = 4, .listed = 50}, mpi::Partition::blocks(),
                    optim::Adagrad{.lr = 0.1}, optim::Untouched::masked);
    check_steps({.rows = 20, .dim = 4, .listed = 0}, mpi::Partition::blocks(), optim::Adagrad{.lr = 0.1},
                optim::Untouched::masked);
}

TEST_CASE("a rank may have no gradient, and all may have none", "[mpi]") {
    const mpi::ShardedTable table = counted(6, 1);
    mpi::Optimizer optimizer(optim::SGD{.lr = 1}, {{"table", table}});
    const AnyMasked gradient = AnyMasked::rows({6, 1}, {5}, full<float>({1, 1}, 1));
    optimizer.step({ranks().rank() == 0 ? mpi::Gradient(gradient) : mpi::Gradient()});
    optimizer.step({mpi::Gradient()});
    CHECK(same_bytes(table.gathered(), Tensor<float>({6, 1}, {0, 1, 2, 3, 4, 4})));
    CHECK(Tensor<const std::int64_t>(optimizer.state()[0].value).item() == 1);
}

TEST_CASE("a step of a table by itself", "[mpi]") {
    mpi::ShardedTable table = counted(6, 1);
    const AnyMasked gradient = AnyMasked::rows({6, 1}, {5}, full<float>({1, 1}, 1));
    CHECK(contains(error_of([&] { table.step(gradient); }), "call optimize_with(rule)"));
    table.optimize_with(optim::SGD{.lr = 1});
    table.step(gradient);
    CHECK(Tensor<const float>(table.lookup(Tensor<std::int64_t>({1}, {5}))).item() ==
          5 - static_cast<float>(ranks().size()));
}

TEST_CASE("a table that has a rule goes when nobody has it", "[mpi]") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    SKIP("sanitizers keep memory beside that of the program");
#endif
    const auto resident = [] {  // pages
        std::int64_t all = 0, pages = 0;
        std::ifstream("/proc/self/statm") >> all >> pages;
        return pages;
    };
    const std::int64_t rows = 500'000 * ranks().size(), pages_of_one = 500'000 * 10 * 4 / 4096;
    const auto make = [&] {
        mpi::ShardedTable table = mpi::ShardedTable::filled<float>(
            ranks(), {rows, 10}, [](std::int64_t) { return 1.0f; }, {.name = "table"});
        table.optimize_with(optim::SGD{.lr = 1});
    };
    make();
    const std::int64_t before = resident();
    for (int i = 0; i < 8; ++i) make();
    CHECK(resident() - before < 4 * pages_of_one);
}

TEST_CASE("bytes and messages of a step are the least that it needs", "[mpi]") {
    const std::int64_t rows = 1000, dim = 16;
    const mpi::ShardedTable table = counted(rows, dim, mpi::Partition::round_robin());
    mpi::Optimizer optimizer(optim::Adagrad{.lr = 0.1}, {{"table", table}});
    // Rows that no two ranks share, each once.
    std::vector<std::int64_t> listed;
    std::int64_t of_others = 0;
    for (std::int64_t row = ranks().rank(); row < rows; row += 2 * ranks().size() + 1) {
        listed.push_back(row);
        of_others += table.placement().owner(row) == ranks().rank() ? 0 : 1;
    }
    const auto count = static_cast<std::int64_t>(listed.size());
    const AnyMasked gradient = AnyMasked::rows({rows, dim}, listed, full<float>({count, dim}, 1));
    const mpi::Traffic before = ranks().traffic();
    optimizer.step({gradient});
    const mpi::Traffic after = ranks().traffic();
    const std::int64_t least = of_others * (8 + 4 * dim);
    INFO(after.bytes - before.bytes << " bytes, least " << least);
    CHECK(static_cast<double>(after.bytes - before.bytes) <= 1.1 * static_cast<double>(least));
    CHECK(after.messages - before.messages <= (ranks().size() - 1) * (least / 4000 + 2));
}

TEST_CASE("dense parameters, replicated or with sharded state", "[mpi]") {
    const BatchShape batch{.rows = 13, .dim = 5, .layout = "dense"};
    for (const mpi::DenseState state : {mpi::DenseState::replicated, mpi::DenseState::sharded}) {
        const AnyTensor param = mpi_check::initial_tensor(batch), plain = mpi_check::initial_tensor(batch);
        mpi::Optimizer optimizer(ranks(), {}, optim::Adam{.lr = 0.1}, {{"w", param, state}});
        optim::Optimizer wanted(optim::Adam{.lr = 0.1}, {{"w", plain}});
        for (std::int64_t step = 0; step < 3; ++step) {
            optimizer.step({own_parts(batch, step)});
            // ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7))
            std::vector<AnyTensor> parts;
            for (const Argument& part : mpi_check::parts_of(batch, step, 0, batch.parts))
                parts.push_back(part.tensor());
            for (std::size_t each = 1; each < parts.size(); each *= 2)
                for (std::size_t i = 0; i < parts.size(); i += 2 * each) {
                    auto* to = static_cast<float*>(parts[i].data());
                    const auto* from = static_cast<const float*>(parts[i + each].data());
                    for (std::int64_t k = 0; k < parts[i].size(); ++k) to[k] += from[k];
                }
            wanted.step({parts[0]});
        }
        CHECK(same_bytes(param, plain));
    }
}

TEST_CASE("clipping by the norm of all gradients", "[mpi]") {
    const BatchShape batch{.rows = 40, .dim = 5, .listed = 30};
    const mpi::ShardedTable table =
        mpi::ShardedTable::filled<float>(ranks(), batch.shape(), [](std::int64_t) { return 0.0f; });
    const AnyTensor w = zeros<float>({3});
    mpi::Optimizer optimizer(optim::SGD{.lr = 1}, {{"table", table}, {"w", w}});
    const mpi::Gradient dense(Argument(full<float>({3}, ranks().rank() == 0 ? 2.0f : 0.0f)));
    const optim::StepOutcome outcome = optimizer.step({own_parts(batch, 0), dense}, {.clip_norm = 0.5});
    double squares = 12;
    const Tensor<const float> all(mpi_check::whole_of(batch, 0).masked().to_dense(0));
    for (const float value : all.to_vector())
        squares += static_cast<double>(value) * static_cast<double>(value);
    CHECK(std::abs(outcome.norm / std::sqrt(squares) - 1) < 1e-12);
    double moved = 0;
    for (const float value : Tensor<const float>(table.gathered()).to_vector())
        moved += static_cast<double>(value) * static_cast<double>(value);
    for (const float value : Tensor<const float>(w).to_vector())
        moved += static_cast<double>(value) * static_cast<double>(value);
    CHECK(std::abs(std::sqrt(moved) / 0.5 - 1) < 1e-5);
    const AnyTensor before = table.gathered();
    const mpi::Gradient bad(Argument(full<float>({3}, std::numeric_limits<float>::infinity())));
    CHECK(optimizer.step({own_parts(batch, 1), bad}, {.skip_nonfinite = true}).is_skipped);
    CHECK(same_bytes(table.gathered(), before));
}

TEST_CASE("parameters of 16 bits are rounded at random by positions in the whole", "[mpi]") {
    const BatchShape batch{.rows = 500, .dim = 8, .listed = 60, .dtype = DType::bfloat16};
    const optim::Optimizer::Settings settings{.stochastic_rounding = true, .seed = 7};
    const mpi::ShardedTable table = mpi::ShardedTable::of_rows(
        ranks(), batch.shape(),
        ranks().rank() == 0 ? arange<std::int64_t>(batch.rows) : Tensor<std::int64_t>(Shape{0}),
        ranks().rank() == 0 ? mpi_check::initial_tensor(batch) : AnyTensor(batch.dtype, Shape{0, batch.dim}),
        {});
    const AnyTensor plain = mpi_check::initial_tensor(batch);
    mpi::Optimizer optimizer({.steps = settings}, optim::Adam{.lr = 0.01}, {{"table", table}});
    optim::Optimizer wanted(settings, optim::Adam{.lr = 0.01}, {{"table", plain}});
    for (std::int64_t step = 0; step < 3; ++step) {
        optimizer.step({own_parts(batch, step)});
        wanted.step({mpi_check::whole_of(batch, step)});
    }
    CHECK(same_bytes(table.gathered(), plain));
    const mpi::ShardedTable hashed(ranks(), DType::bfloat16, {10, 2}, {.partition = mpi::Partition::hash()});
    CHECK(contains(error_of([&] { mpi::Optimizer({.steps = settings}, optim::SGD{}, {{"table", hashed}}); }),
                   "take Partition::blocks()"));
}

TEST_CASE("sums that depend on ranks are close, and send one entry for duplicates", "[mpi]") {
    const BatchShape batch{.rows = 5, .dim = 4, .listed = 50};
    const mpi::ShardedTable table =
        mpi::ShardedTable::filled<float>(ranks(), batch.shape(), [](std::int64_t) { return 1.0f; });
    const AnyTensor w = full<float>({5, 4}, 1);
    mpi::Optimizer optimizer({.sums = mpi::Sums::bytes_depend_on_ranks}, optim::SGD{.lr = 1},
                             {{"table", table}, {"w", w}});
    BatchShape dense = batch;
    dense.layout = "dense";
    const mpi::Traffic before = ranks().traffic();
    optimizer.step({own_parts(batch, 0), own_parts(dense, 0)});
    const mpi::Traffic after = ranks().traffic();
    // At most all rows to other ranks, and the sum and its slices of the dense gradient.
    CHECK(after.bytes - before.bytes <=
          (5 * (8 + 16) + 8 * ranks().size()) + 2 * 5 * 4 * 4 * (ranks().size() - 1));
    const Tensor<const float> sums(mpi_check::whole_of(batch, 0).masked().to_dense(0)),
        moved(table.gathered());
    for (std::size_t i = 0; i < 20; ++i)
        CHECK(std::abs(moved.to_vector()[i] - (1 - sums.to_vector()[i])) < 1e-4F);
}

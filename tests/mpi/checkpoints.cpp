// SPDX-License-Identifier: MIT
// Checkpoints written by some ranks, read by other ranks, and without MPI.
#include <mpi.h>

#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "../../optim/sharded_checkpoint.hpp"
#include "batches.hpp"
#include "ranks.hpp"

using namespace mpi_test;
using mpi_check::BatchShape;
namespace fs = std::filesystem;

namespace {

/// A folder that all ranks see, empty.
std::string folder_of(const std::string& name) {
    const std::string path = (fs::temp_directory_path() / ("frisket_mpi_" + name)).string();
    if (ranks().rank() == 0) fs::remove_all(path);
    MPI_Barrier(MPI_COMM_WORLD);
    return path;
}

const BatchShape batch{.rows = 30, .dim = 4, .listed = 20};
const BatchShape dense_batch{.rows = 7, .dim = 3, .layout = "dense"};

/// A model that trains on some ranks.
struct Model {
    Model(const mpi::Communicator& given, const mpi::Partition& partition, optim::Untouched untouched)
        : all(given),
          table(mpi::ShardedTable::filled<float>(
              all, batch.shape(),
              [](std::int64_t position) { return static_cast<float>(mpi_check::initial(batch, position)); },
              {.partition = partition})),
          w(mpi_check::initial_tensor(dense_batch)),
          v(mpi_check::initial_tensor(dense_batch)),
          optimizer({.steps = {.untouched = untouched}}, optim::SGD{.lr = 0.1, .momentum = 0.9},
                    {{"table", table}, {"w", w, mpi::DenseState::sharded}, {"layer.v", v}}) {}

    void step(std::int64_t number) {
        const auto parts = [&](const BatchShape& shape) {
            return mpi::Gradient(mpi_check::parts_of(shape, number, shape.parts * all.rank() / all.size(),
                                                     shape.parts * (all.rank() + 1) / all.size()));
        };
        optimizer.step({parts(batch), parts(dense_batch), parts(dense_batch)});
    }
    bool is_same(const Model& other) {
        return same_bytes(table.gathered(), other.table.gathered()) && same_bytes(w, other.w) &&
               same_bytes(v, other.v);
    }

    mpi::Communicator all;
    mpi::ShardedTable table;
    AnyTensor w, v;
    mpi::Optimizer optimizer;
};

/// The first ranks by themselves; nothing on the remaining ranks.
std::optional<mpi::Communicator> first_ranks(int count) {
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, ranks().rank() < count ? 0 : MPI_UNDEFINED, 0, &part);
    if (part == MPI_COMM_NULL) return {};
    mpi::Communicator made = mpi::communicator_of(part);
    MPI_Comm_free(&part);
    return made;
}

}  // namespace

TEST_CASE("a checkpoint is read by as many ranks, by fewer, and without MPI", "[mpi]") {
    for (const optim::Untouched untouched : {optim::Untouched::masked, optim::Untouched::caught_up}) {
        const std::string folder = folder_of("checkpoint");
        Model model(ranks(), mpi::Partition::round_robin(), untouched);
        model.step(0);
        model.optimizer.save(folder);
        model.step(1);
        model.optimizer.save(folder);
        const AnyTensor table = model.table.gathered(), w = model.w.clone();
        model.step(2);
        // As many ranks, another partition; the bytes of the steps that follow are the same.
        Model again(ranks(), mpi::Partition::hash(), untouched);
        again.optimizer.load(folder);
        CHECK(same_bytes(again.table.gathered(), table));
        again.step(2);
        CHECK(again.is_same(model));
        const AnyTensor last = model.table.gathered();
        // Fewer ranks.
        if (const std::optional<mpi::Communicator> half = first_ranks((ranks().size() + 1) / 2)) {
            Model fewer(*half, mpi::Partition::blocks(), untouched);
            fewer.optimizer.load(folder);
            fewer.step(2);
            CHECK(same_bytes(fewer.table.gathered(), last));
            CHECK(same_bytes(fewer.w, model.w));
        }
        // One process without MPI.
        if (ranks().rank() == 0) {
            const Safetensors file = optim::load_sharded(folder);
            std::map<std::string, AnyTensor> tensors;
            for (const NamedTensor& tensor : file.tensors) tensors.emplace(tensor.name, tensor.tensor);
            CHECK(same_bytes(tensors.at("table"), table));
            CHECK(same_bytes(tensors.at("w"), w));
            optim::Optimizer plain(
                {.untouched = untouched}, optim::SGD{.lr = 0.1, .momentum = 0.9},
                {{"table", tensors.at("table")}, {"w", tensors.at("w")}, {"layer.v", tensors.at("layer.v")}});
            plain.load(folder);
            std::vector<Argument> dense = mpi_check::parts_of(dense_batch, 2, 0, dense_batch.parts);
            // Two files of one generation, and the manifest.
            std::size_t files = 0;
            for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder)) ++files;
            CHECK(files == static_cast<std::size_t>(ranks().size()) + 1);
            const AnyTensor zero = zeros<float>({7, 3});
            plain.step({mpi_check::whole_of(batch, 2), zero, zero});
            CHECK(same_bytes(tensors.at("table"), last));
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

TEST_CASE("checkpoints that do not fit are refused, and change nothing", "[mpi]") {
    const std::string folder = folder_of("refused");
    Model model(ranks(), mpi::Partition::blocks(), optim::Untouched::masked);
    const std::string missing = error_of([&] { model.optimizer.load(folder); });
    CHECK(contains(missing, "manifest.safetensors"));
    model.step(0);
    model.optimizer.save(folder);
    const AnyTensor table = model.table.gathered();
    mpi::Optimizer other(optim::Adagrad{}, {{"table", model.table}});
    const std::string text = error_of([&] { other.load(folder); });
    INFO(text);
    CHECK(contains(text, "has sgd for group0, wanted adagrad"));
    const mpi::ShardedTable small = counted(29, 4);
    mpi::Optimizer smaller(optim::SGD{.momentum = 0.9}, {{"table", small}});
    CHECK(contains(error_of([&] { smaller.load(folder); }), "table has 30 rows, wanted 29"));
    // A file that is gone.
    MPI_Barrier(MPI_COMM_WORLD);
    if (ranks().rank() == 0)
        fs::remove(optim::shard_path(folder, optim::last_save(folder), ranks().size() - 1, ranks().size()));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(contains(error_of([&] { model.optimizer.load(folder); }), "shard-1-"));
    CHECK(same_bytes(model.table.gathered(), table));
}

TEST_CASE("a table of a checkpoint by itself, of megabytes, in any partition", "[mpi]") {
    const std::string folder = folder_of("table");
    const Shape shape{300'000, 5};
    const auto value = [](std::int64_t position) { return static_cast<float>(position % 8'388'593); };
    const AnyTensor w = full<float>({3}, 1);
    {
        const mpi::ShardedTable table = mpi::ShardedTable::filled<float>(
            ranks(), shape, value, {.partition = mpi::Partition::hash(), .name = "users"});
        mpi::Optimizer(optim::Adagrad{.lr = 0.1}, {{"users", table}, {"w", w}}).save(folder);
    }
    for (const mpi::Partition& partition : partitions()) {
        const mpi::ShardedTable table =
            mpi::ShardedTable::loaded(ranks(), folder, {.partition = partition, .name = "users"});
        REQUIRE(table.shape() == shape);
        const Tensor<const float> local(table.local());
        bool is_same = true;
        for (std::int64_t i = 0; i < local.size(); ++i)
            is_same &= local.data()[i] == value(table.placement().row(i / 5) * 5 + i % 5);
        CHECK(is_same);
    }
    const auto error = [&](const std::string& name) {
        return error_of([&] { mpi::ShardedTable::loaded(ranks(), folder, {.name = name}); });
    };
    CHECK(contains(error("items"), "it has no parameter items"));
    CHECK(contains(error("w"), "w is a tensor that every rank had whole"));
}

TEST_CASE("a save writes none of the files that the manifest names", "[mpi]") {
    const std::string folder = folder_of("generations");
    Model model(ranks(), mpi::Partition::blocks(), optim::Untouched::masked);
    const auto shards = [&] {
        MPI_Barrier(MPI_COMM_WORLD);
        std::set<std::string> names;
        for (const auto& entry : fs::directory_iterator(folder))
            if (entry.path().filename() != "manifest.safetensors")
                names.insert(entry.path().filename().string());
        MPI_Barrier(MPI_COMM_WORLD);
        return names;
    };
    model.optimizer.save(folder);
    const std::set<std::string> first = shards();
    model.optimizer.save(folder);
    const std::set<std::string> second = shards();
    CHECK(first.size() == static_cast<std::size_t>(ranks().size()));
    CHECK(second.size() == first.size());
    for (const std::string& name : second) CHECK(!first.contains(name));
}

TEST_CASE("what two jobs save into one folder at once is read as a checkpoint of one of them", "[mpi]") {
    const std::string folder = folder_of("two_jobs");
    const int job = ranks().rank() % 2;
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, job, 0, &part);
    const mpi::Communicator own = mpi::communicator_of(part);
    MPI_Comm_free(&part);
    const auto table_of = [&](float value) {
        return mpi::ShardedTable::filled<float>(own, {40, 2}, [value](std::int64_t) { return value; },
                                                {.name = "table"});
    };
    const mpi::ShardedTable saved = table_of(static_cast<float>(job + 1)), read = table_of(0);
    const mpi::Optimizer saving(optim::SGD{}, {{"table", saved}});
    mpi::Optimizer reading(optim::SGD{}, {{"table", read}});
    for (int time = 0; time < 30; ++time) {
        saving.save(folder);
        reading.load(folder);
        const Tensor<const float> found(read.gathered());
        const float first = found.data()[0];
        CHECK((first == 1 || first == 2));
        CHECK(same(found, full<float>({40, 2}, first)));
        if (own.rank() > 0) continue;
        const Safetensors whole = optim::load_sharded(folder);
        CHECK(whole.metadata.at("save").size() == 16);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    saving.save(folder);
    MPI_Barrier(MPI_COMM_WORLD);
    if (ranks().rank() > 0) return;
    // A file of another save in place of one that the manifest names.
    const optim::SaveId save = optim::last_save(folder);
    const std::string path = optim::shard_path(folder, save, 0, own.size());
    Safetensors file = load_safetensors(path);
    file.metadata["save"] = "0123456789abcdef";
    save_safetensors(path, file.tensors, file.metadata);
    CHECK(contains(error_of([&] { optim::load_sharded(folder); }),
                   "is of save 0123456789abcdef, the manifest is of save " + save.number));
    Safetensors manifest = load_safetensors(optim::manifest_path(folder));
    manifest.metadata["save"] = "../../elsewhere0";
    save_safetensors(optim::manifest_path(folder), {}, manifest.metadata);
    CHECK(contains(error_of([&] { optim::load_sharded(folder); }), "wanted 16 hexadecimal digits"));
    // Checkpoints of old versions have no number.
    manifest.metadata.erase("save");
    save_safetensors(optim::manifest_path(folder), {}, manifest.metadata);
    for (int rank = 0; rank < own.size(); ++rank)
        fs::copy_file(optim::shard_path(folder, save, rank, own.size()),
                      optim::shard_path(folder, {.generation = save.generation}, rank, own.size()));
    CHECK_NOTHROW(optim::load_sharded(folder));
}

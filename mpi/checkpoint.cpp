// SPDX-License-Identifier: MIT
// Checkpoints of many ranks.
#include <filesystem>
#include <utility>

#include "../optim/parameter_state.hpp"
#include "../optim/sharded_checkpoint.hpp"
#include "optimizer_state.hpp"

namespace frisket::mpi {

using detail::agree;
using detail::fault_of;
using optim::detail::OptimizerParts;

namespace {

AnyTensor row_numbers(const Placement& placement) {
    const Tensor<std::int64_t> numbers(Shape{placement.count()});
    for (std::int64_t i = 0; i < placement.count(); ++i)
        static_cast<std::int64_t*>(numbers.data())[i] = placement.row(i);
    return numbers;
}

/// A tensor of the file by name.  Errors: ValueError.
const AnyTensor& find(const Safetensors& file, const std::string& name, const AnyTensor& like) {
    for (const NamedTensor& tensor : file.tensors) {
        if (tensor.name != name) continue;
        if (tensor.tensor.dtype() != like.dtype() || tensor.tensor.shape() != like.shape())
            throw ValueError("the checkpoint has " + name + " as " +
                             std::string(name_of(tensor.tensor.dtype())) + " " +
                             to_string(tensor.tensor.shape()) + ", wanted " +
                             std::string(name_of(like.dtype())) + " " + to_string(like.shape()));
        return tensor.tensor;
    }
    throw ValueError("the checkpoint lacks parameter " + name);
}

/// State of dense parameters of which this rank has rows: these alone.
template <class Slots>
Safetensors with_own_rows(Safetensors file, const Slots& slots) {
    for (const auto& slot : slots) {
        if (slot.is_table() || !slot.is_sharded()) continue;
        const std::int64_t count = slot.placement->count(), first = count > 0 ? slot.placement->row(0) : 0;
        for (NamedTensor& tensor : file.tensors)
            if (optim::is_state_of(file, slot.name, tensor.name) && tensor.tensor.rank() > 0)
                tensor.tensor = tensor.tensor.slice(0, first, first + count);
    }
    return file;
}

/// Texts of rank 0, on all ranks, in place of their own.
void share(detail::Channel& channel, std::map<std::string, std::string>& texts) {
    std::string own;
    for (const auto& [key, text] : texts)
        for (const std::string& one : {key, text}) own += std::to_string(one.size()) + ':' + one;
    const std::string all = channel.broadcast(0, own);
    std::size_t at = 0;
    const auto next = [&] {
        const std::size_t colon = all.find(':', at), size = std::stoul(all.substr(at, colon - at));
        at = colon + 1 + size;
        return all.substr(colon + 1, size);
    };
    texts.clear();
    while (at < all.size()) {
        std::string key = next();
        texts[std::move(key)] = next();
    }
}

/// read(manifest) on all ranks, of the manifest that rank 0 reads: each may find another save's in the folder.
/// Reads again where a save that was ended meanwhile has removed the files.
void read_checkpoint(detail::Channel& channel, const std::string& folder,
                     const std::function<void(const Safetensors& manifest)>& read) {
    const std::string where = "load " + folder;
    for (;;) {
        Safetensors manifest;
        agree(channel, where, fault_of([&] {
                  if (channel.rank() == 0) manifest = load_safetensors(optim::manifest_path(folder));
              }));
        share(channel, manifest.metadata);
        try {
            return agree(channel, where, fault_of([&] { read(manifest); }));
        } catch (...) {
            std::int64_t is_replaced = 0;
            static_cast<void>(fault_of([&] {
                is_replaced =
                    channel.rank() == 0 && optim::last_save(folder) != optim::save_of(folder, manifest);
            }));
            if (channel.all_gather(is_replaced)[0] == 0) throw;
        }
    }
}

/// The rows of this rank.
optim::WantedRows own_rows(const Placement& placement, int rank, bool has_state) {
    const auto place = [&placement, rank](std::int64_t row) {
        return placement.owner(row) == rank ? placement.local(row) : -1;
    };
    return {placement.rows(), placement.count(), place, has_state};
}

}  // namespace

ShardedTable ShardedTable::loaded(const Communicator& communicator, const std::string& folder,
                                  const Options& options) {
    detail::Channel& channel = communicator.channel();
    const detail::Call call(channel, "load of table", options.name);
    optim::ShardedParameter parameter;
    read_checkpoint(channel, folder, [&](const Safetensors& manifest) {
        parameter = optim::sharded_parameter(folder, manifest, options.name, channel.rank() == 0);
    });
    const ShardedTable table(communicator, parameter.dtype, parameter.shape, options);
    read_checkpoint(channel, folder, [&](const Safetensors& manifest) {
        const auto wanted = [&](const std::string& name) -> std::optional<optim::WantedRows> {
            if (name == options.name) return own_rows(table.placement(), channel.rank(), false);
            return optim::WantedRows{optim::WantedRows::any, 0, [](std::int64_t) { return -1; }, false};
        };
        const Safetensors file = optim::load_sharded(folder, manifest, wanted, channel.rank());
        copy(find(file, options.name, table.local()), table.local());
    });
    return table;
}

void Optimizer::save(const std::string& folder) const {
    const Implementation& all = *implementation_;
    detail::Channel& channel = all.channel();
    const std::string where = "save " + folder;
    const detail::Call call(channel, "save");
    std::map<std::string, std::string> metadata;
    optim::SaveId last, save;
    agree(channel, where, fault_of([&] {
              metadata = OptimizerParts::of(*all.steps).saved_options();
              if (channel.rank() > 0) return;
              std::error_code error;
              std::filesystem::create_directories(folder, error);
              if (error) throw IoError("the folder cannot be made: " + error.message());
              last = optim::last_save(folder);
              save = optim::next_save(last);
          }));
    save = {channel.all_gather(save.generation)[0], channel.broadcast(0, save.number)};
    agree(channel, where, fault_of([&] {
              std::vector<NamedTensor> tensors;
              const std::vector<optim::StateEntry> state = all.steps->state();
              for (const Slot& slot : all.slots) {
                  if (slot.is_sharded())
                      tensors.push_back({optim::rows_name(slot.name), row_numbers(*slot.placement)});
                  if (slot.is_sharded() || channel.rank() == 0)
                      tensors.push_back({slot.name, slot.local.to(Device())});
                  for (const optim::StateEntry& entry : state)
                      if (entry.parameter == slot.name &&
                          (channel.rank() == 0 || (slot.is_sharded() && entry.value.rank() > 0)))
                          tensors.push_back({entry.parameter + "." + entry.name, entry.value.to(Device())});
              }
              save_safetensors(optim::shard_path(folder, save, channel.rank(), channel.size()), tensors,
                               optim::shard_metadata(save));
          }));
    agree(channel, where, fault_of([&] {
              if (channel.rank() > 0) return;
              metadata["shards"] = std::to_string(channel.size());
              optim::add_save(metadata, save);
              for (const Slot& slot : all.slots)
                  metadata[optim::shape_key(slot.name)] =
                      to_string(slot.whole.shape) + (slot.is_sharded() ? " sharded" : " whole");
              const optim::SaveId followed = optim::last_save(folder);
              save_safetensors(optim::manifest_path(folder), {}, metadata);
              for (const optim::SaveId& old : {last, followed}) optim::remove_old_saves(folder, old, save);
          }));
}

void Optimizer::set_state(std::span<const optim::StateEntry> entries) {
    const detail::Call call(implementation_->channel(), "set_state");
    OptimizerParts::Implementation& steps = OptimizerParts::of(*implementation_->steps);
    std::optional<OptimizerParts::Replacement> made;
    agree(implementation_->channel(), "set_state", fault_of([&] {
              std::vector<optim::AnyRule> rules;
              for (int group = 0; group < group_count(); ++group) rules.push_back(rule(group));
              made = steps.replacement(rules, entries);
          }));
    steps.take(std::move(*made));
}

void Optimizer::load(const std::string& folder) {
    Implementation& all = *implementation_;
    detail::Channel& channel = all.channel();
    const detail::Call call(channel, "load");
    OptimizerParts::Implementation& steps = OptimizerParts::of(*all.steps);
    std::optional<OptimizerParts::Replacement> made;
    std::vector<std::pair<AnyTensor, AnyTensor>> copies;
    const auto wanted = [&](const std::string& name) -> std::optional<optim::WantedRows> {
        for (const Slot& slot : all.slots)
            if (slot.name == name && slot.is_table()) return own_rows(*slot.placement, channel.rank(), true);
        return {};
    };
    read_checkpoint(channel, folder, [&](const Safetensors& manifest) {
        const Safetensors file = optim::load_sharded(folder, manifest, wanted, channel.rank());
        copies.clear();
        for (const Slot& slot : all.slots) {
            const AnyTensor& to = slot.is_table() ? slot.local : slot.tensor;
            copies.emplace_back(to, find(file, slot.name, to));
        }
        made = steps.saved(with_own_rows(file, all.slots));
    });
    for (const auto& [to, from] : copies) copy(from, to);
    steps.take(std::move(*made));
}

}  // namespace frisket::mpi

// SPDX-License-Identifier: MIT
// Internal: files of a checkpoint that several ranks write; load_sharded is public.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "optimizer.hpp"

/// Checkpoints that several ranks write: a folder with a file of tensors of each, and a manifest.
///
/// A file of a rank has, of a parameter NAME whose rows are shared out, the tensors NAME and NAME.STATE with
/// a row for each of its own, and NAME@rows, their numbers (int64).  Of what every rank has whole, and of
/// numbers, the first file has NAME and NAME.STATE as they are.
///
/// The manifest, `manifest.safetensors`, has no tensors, and as metadata `shards`, how many files there are,
/// `generation` and `save`, which are part of their names, `parameter.NAME`, the shape of each parameter, and
/// rules and options as Optimizer::save writes them.  Each file of a rank has `save` too.
namespace frisket::optim {

/// Rows of a parameter that a reader wants.
struct WantedRows {
    static constexpr std::int64_t any = -1;
    std::int64_t of = any;   ///< rows that the parameter must have
    std::int64_t count = 0;  ///< number of them
    /// Place of a row among them, or -1.
    std::function<std::int64_t(std::int64_t row)> place;
    bool has_state = true;  ///< their state as well
};

/// A save, by the numbers in the names of its files.
struct SaveId {
    std::int64_t generation = 0;  ///< number of saves of the folder so far; 0: there is no checkpoint
    std::string number = {};      ///< 16 random hexadecimal digits; empty in checkpoints of old versions
    bool operator==(const SaveId&) const = default;
};
/// The save that a manifest names.  Errors: IoError.
SaveId save_of(const std::string& folder, const Safetensors& manifest);
/// The save whose checkpoint is in a folder.  Errors: IoError.
SaveId last_save(const std::string& folder);
/// A new save after another, with a random number.
SaveId next_save(const SaveId& last);

/// A parameter of a checkpoint whose rows are shared out.
struct ShardedParameter {
    Shape shape;
    DType dtype;
};
/// Errors: as load_sharded; IoError if there is no such parameter, or if every rank had it whole.
ShardedParameter sharded_parameter(const std::string& folder, const Safetensors& manifest,
                                   const std::string& name);

/// Some rows of a checkpoint; nothing: all rows of a parameter.  Cost: of files, what holds these rows is
/// read, in pieces of a megabyte.  `likely`: the file that may have all rows: if it has, others are not read.
Safetensors load_sharded(const std::string& folder, const Safetensors& manifest,
                         const std::function<std::optional<WantedRows>(const std::string& parameter)>& wanted,
                         std::optional<int> likely);

/// The path of a manifest.
std::string manifest_path(const std::string& folder);
/// The path of the file of a rank.
std::string shard_path(const std::string& folder, const SaveId& save, int rank, int ranks);
/// Metadata of the file of a rank.
std::map<std::string, std::string> shard_metadata(const SaveId& save);
/// Adds a save to the metadata of a manifest.
void add_save(std::map<std::string, std::string>& metadata, const SaveId& save);
/// Removes files of the ranks of a save that another has followed, and those of saves that were not ended a
/// day ago.  Files of other saves stay: another job may be writing them.
void remove_old_saves(const std::string& folder, const SaveId& followed, const SaveId& last);
/// The name of the tensor of row numbers.
std::string rows_name(const std::string& parameter);
/// The key of a parameter's shape.
std::string shape_key(const std::string& parameter);
/// True of the tensor PARAMETER.STATE of a parameter.
bool is_state_of(const std::string& parameter, const std::string& tensor);
/// True of the tensor of a parameter itself, in a checkpoint that ranks wrote.
bool is_sharded_parameter(const Safetensors& file, const std::string& tensor);

}  // namespace frisket::optim

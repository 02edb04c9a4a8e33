// SPDX-License-Identifier: MIT
// Internal: the manifest of a checkpoint that several ranks write, and names of its files.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "optimizer.hpp"

namespace frisket::optim {

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
/// True for the tensor PARAMETER.STATE of a parameter, which is no parameter of the checkpoint itself.
bool is_state_of(const Safetensors& file, const std::string& parameter, const std::string& tensor);
/// True for the tensor of a parameter itself, in a checkpoint that ranks wrote.
bool is_sharded_parameter(const Safetensors& file, const std::string& tensor);

/// A parameter as a manifest describes it.
struct ManifestShape {
    Shape shape;
    bool is_sharded = false;
};
/// Parses the text of a shape, "[10, 4] sharded" or "[3] whole".  Errors: IoError.
ManifestShape manifest_shape(const std::string& folder, const std::string& key, const std::string& text);
/// The number of files.  Errors: IoError.
int shards_of(const std::string& folder, const Safetensors& manifest);
/// Start of the keys of shapes.
inline constexpr std::string_view shape_prefix = "parameter.";
/// The key of a save's number.
inline constexpr const char* save_key = "save";
/// Throws the IoError of a checkpoint.
[[noreturn]] void refuse_checkpoint(const std::string& folder, const std::string& fault);

}  // namespace frisket::optim

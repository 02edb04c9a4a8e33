// SPDX-License-Identifier: MIT
#include "checkpoint_manifest.hpp"

#include <charconv>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <random>
#include <system_error>

namespace frisket::optim {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t save_digits = 16;
constexpr std::string_view shard_prefix = "shard-", rows_suffix = "@rows";

/// An integer of the manifest, from 1 to `most`.
std::int64_t number_of(const std::string& folder, const Safetensors& manifest, const std::string& key,
                       std::int64_t most) {
    const auto found = manifest.metadata.find(key);
    std::int64_t number = 0;
    if (found == manifest.metadata.end()) refuse_checkpoint(folder, "the manifest lacks " + key);
    const std::string& text = found->second;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 1 || number > most)
        refuse_checkpoint(folder, "the manifest has " + key + " \"" + text +
                                      "\", wanted a number from 1 to " + std::to_string(most));
    return number;
}

/// The next save adds 1 to the generation.
std::int64_t generation_of(const std::string& folder, const Safetensors& manifest) {
    return number_of(folder, manifest, "generation", std::numeric_limits<std::int64_t>::max() - 1);
}

/// Start of the names of the files of a save.
std::string shard_start(const SaveId& save) {
    return std::string(shard_prefix) + std::to_string(save.generation) + "-" +
           (save.number.empty() ? "" : save.number + "-");
}

}  // namespace

void refuse_checkpoint(const std::string& folder, const std::string& fault) {
    throw IoError("checkpoint " + folder + ": " + fault);
}

int shards_of(const std::string& folder, const Safetensors& manifest) {
    return static_cast<int>(number_of(folder, manifest, "shards", std::numeric_limits<int>::max()));
}

ManifestShape manifest_shape(const std::string& folder, const std::string& key, const std::string& text) {
    ManifestShape found;
    const char* at = text.data();
    const char* const end = text.data() + text.size();
    for (std::int64_t extent = 0; at != end && *at != ']';) {
        const auto [next, error] = std::from_chars(++at, end, extent);
        if (error != std::errc() || extent < 0) break;
        found.shape.push_back(extent);
        at = next != end && *next == ',' ? next + 1 : next;
    }
    found.is_sharded = text == to_string(found.shape) + " sharded";
    if (found.is_sharded ? found.shape.empty() : text != to_string(found.shape) + " whole")
        refuse_checkpoint(folder,
                          "the manifest has " + key + " \"" + text +
                              "\", wanted a shape and a word, such as \"[10, 4] sharded\" or \"[3] whole\"");
    return found;
}

std::string manifest_path(const std::string& folder) { return folder + "/manifest.safetensors"; }
std::string rows_name(const std::string& parameter) { return parameter + std::string(rows_suffix); }
std::string shape_key(const std::string& parameter) { return std::string(shape_prefix) + parameter; }
std::string shard_path(const std::string& folder, const SaveId& save, int rank, int ranks) {
    return folder + "/" + shard_start(save) + std::to_string(rank) + "-of-" + std::to_string(ranks) +
           ".safetensors";
}
std::map<std::string, std::string> shard_metadata(const SaveId& save) { return {{save_key, save.number}}; }
void add_save(std::map<std::string, std::string>& metadata, const SaveId& save) {
    metadata["generation"] = std::to_string(save.generation);
    metadata[save_key] = save.number;
}
bool is_sharded_parameter(const Safetensors& file, const std::string& tensor) {
    return file.metadata.contains(shape_key(tensor));
}
bool is_state_of(const Safetensors& file, const std::string& parameter, const std::string& tensor) {
    return tensor.starts_with(parameter + ".") &&
           tensor.find_first_of(".@", parameter.size() + 1) == std::string::npos &&
           !is_sharded_parameter(file, tensor);
}

SaveId save_of(const std::string& folder, const Safetensors& manifest) {
    SaveId save{.generation = generation_of(folder, manifest)};
    const auto found = manifest.metadata.find(save_key);
    if (found == manifest.metadata.end()) return save;
    save.number = found->second;
    if (save.number.size() != save_digits ||
        save.number.find_first_not_of("0123456789abcdef") != std::string::npos)
        refuse_checkpoint(folder,
                          "the manifest has save \"" + save.number + "\", wanted 16 hexadecimal digits");
    return save;
}

SaveId last_save(const std::string& folder) {
    if (!fs::exists(manifest_path(folder))) return {};
    return save_of(folder, load_safetensors(manifest_path(folder)));
}

SaveId next_save(const SaveId& last) {
    std::random_device random;
    SaveId save{.generation = last.generation + 1};
    while (save.number.size() < save_digits) save.number += "0123456789abcdef"[random() % 16];
    return save;
}

void remove_old_saves(const std::string& folder, const SaveId& followed, const SaveId& last) {
    const auto day_ago = fs::file_time_type::clock::now() - std::chrono::hours(24);
    std::error_code ignored;  // files that cannot be removed stay
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with(shard_prefix) || name.starts_with(shard_start(last))) continue;
        const bool is_followed = followed.generation > 0 && name.starts_with(shard_start(followed));
        const fs::file_time_type written = entry.last_write_time(ignored);
        if (is_followed || (!ignored && written < day_ago)) fs::remove(entry.path(), ignored);
    }
}

}  // namespace frisket::optim

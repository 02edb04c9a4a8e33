// SPDX-License-Identifier: MIT
#include "sharded_checkpoint.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <random>
#include <system_error>
#include <utility>
#include <vector>

#include "../runtime/io/safetensors_reader.hpp"

namespace frisket::optim {

namespace {

namespace fs = std::filesystem;
using runtime::SafetensorsReader;
using safetensors::Entry;

const std::string save_key = "save";
constexpr std::size_t save_digits = 16;
constexpr std::string_view shard_prefix = "shard-", rows_suffix = "@rows", shape_prefix = "parameter.";

[[noreturn]] void refuse(const std::string& folder, const std::string& fault) {
    throw IoError("checkpoint " + folder + ": " + fault);
}

std::int64_t number_of(const std::string& folder, const Safetensors& manifest, const std::string& key) {
    const auto found = manifest.metadata.find(key);
    std::int64_t number = 0;
    if (found == manifest.metadata.end()) refuse(folder, "the manifest lacks " + key);
    const std::string& text = found->second;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 1)
        refuse(folder, "the manifest has " + key + " \"" + text + "\", wanted a number of 1 or more");
    return number;
}

/// Tensors whose rows come from several files.
class Joined {
public:
    Joined(std::string folder, std::string parameter, std::optional<WantedRows> wanted)
        : folder_(std::move(folder)), parameter_(std::move(parameter)), wanted_(std::move(wanted)) {}

    const std::string& parameter() const { return parameter_; }
    /// True if no row is missing.
    bool is_whole() const { return left_ == 0; }
    bool owns(const std::string& tensor) const {
        return tensor == parameter_ || is_state_of(parameter_, tensor);
    }

    /// `rows`: those of the whole parameter.
    void begin(std::int64_t rows) {
        if (!wanted_) wanted_ = {rows, rows, [](std::int64_t row) { return row; }};
        if (wanted_->of != WantedRows::any && wanted_->of != rows)
            refuse(folder_, parameter_ + " has " + std::to_string(rows) + " rows, wanted " +
                                std::to_string(wanted_->of));
        rows_ = rows;
        left_ = wanted_->count;
        is_given_.assign(static_cast<std::size_t>(left_), 0);
    }

    /// Takes its rows of a file.
    void take(SafetensorsReader& file) {
        const Entry* const numbers = file.find(rows_name(parameter_));
        if (numbers == nullptr) refuse(folder_, "a file lacks the numbers of the rows of " + parameter_);
        take_rows(file.read(*numbers));
        for (const Entry& entry : file.entries())
            if (is_wanted(entry)) take(file, entry);
    }

    void end(std::vector<NamedTensor>& tensors) const {
        if (!is_whole()) refuse(folder_, "rows of " + parameter_ + " are missing");
        for (const auto& [name, tensor] : whole_) tensors.push_back({name, tensor});
    }

private:
    bool is_wanted(const Entry& entry) const {
        return entry.name == parameter_ ||
               (wanted_->has_state && is_state_of(parameter_, entry.name) && !entry.shape.empty());
    }

    void take_rows(const AnyTensor& numbers) {
        places_.clear();
        for (const std::int64_t row : Tensor<const std::int64_t>(numbers).to_vector()) {
            if (row < 0 || row >= rows_)
                refuse(folder_,
                       parameter_ + " has row " + std::to_string(row) + " of " + std::to_string(rows_));
            const std::int64_t place = wanted_->place(row);
            places_.push_back(place);
            if (place < 0) continue;
            --left_;
            if (std::exchange(is_given_[static_cast<std::size_t>(place)], 1) != 0)
                refuse(folder_, "row " + std::to_string(row) + " of " + parameter_ + " is there twice");
        }
    }

    void take(SafetensorsReader& file, const Entry& entry) {
        const std::int64_t count = std::ssize(places_);
        if (entry.shape[0] != count)
            refuse(folder_, entry.name + " has " + to_string(entry.shape) + " and " + std::to_string(count) +
                                " numbers of rows");
        Shape shape = entry.shape;
        shape[0] = wanted_->count;
        const AnyTensor& to = whole_.try_emplace(entry.name, entry.dtype, shape).first->second;
        if (to.dtype() != entry.dtype || to.shape() != shape)
            refuse(folder_, "files have " + entry.name + " in several shapes or dtypes");
        const std::int64_t bytes = to.size() == 0 ? 0 : to.size() * bytes_of(to.dtype()) / wanted_->count;
        if (bytes == 0) return;
        const std::int64_t piece = std::max(piece_bytes / bytes, std::int64_t{1});
        for (std::int64_t first = 0; first < count; first += piece)
            take_piece(file, entry, to, bytes, first, std::min(first + piece, count));
    }

    /// Takes rows of [first, last) of a file: from the first to the last one that is wanted.
    void take_piece(SafetensorsReader& file, const Entry& entry, const AnyTensor& to, std::int64_t bytes,
                    std::int64_t first, std::int64_t last) {
        const auto place = [&](std::int64_t i) { return places_[static_cast<std::size_t>(i)]; };
        while (first < last && place(first) < 0) ++first;
        while (first < last && place(last - 1) < 0) --last;
        if (first == last) return;
        auto* const whole = static_cast<std::byte*>(to.data());
        bool is_run = true;
        for (std::int64_t i = first + 1; i < last && is_run; ++i) is_run = place(i) == place(i - 1) + 1;
        if (is_run) {
            file.read_rows(entry, first, last - first, whole + place(first) * bytes);
            return;
        }
        piece_.resize(static_cast<std::size_t>((last - first) * bytes));
        file.read_rows(entry, first, last - first, piece_.data());
        for (std::int64_t i = first; i < last; ++i)
            if (place(i) >= 0)
                std::memcpy(whole + place(i) * bytes, piece_.data() + (i - first) * bytes,
                            static_cast<std::size_t>(bytes));
    }

    static constexpr std::int64_t piece_bytes = 1 << 20;
    std::string folder_, parameter_;
    std::optional<WantedRows> wanted_;
    std::int64_t rows_ = 0, left_ = 0;
    std::vector<std::int64_t> places_;  // places of the rows of a file
    std::vector<char> is_given_;
    std::vector<std::byte> piece_;  // rows of a file of which some are wanted
    std::map<std::string, AnyTensor> whole_;
};

/// The shape of "[10, 4] sharded"; nothing of a parameter that is whole.
std::optional<Shape> sharded_shape(const std::string& folder, const std::string& text) {
    if (!text.ends_with("] sharded")) return {};
    Shape shape;
    const char* at = text.data() + 1;
    const char* const end = text.data() + text.size();
    for (;;) {
        std::int64_t extent = 0;
        const auto [next, error] = std::from_chars(at, end, extent);
        if (error != std::errc() || extent < 0) refuse(folder, "the manifest has a shape \"" + text + "\"");
        shape.push_back(extent);
        if (*next == ']') return shape;
        at = next + 1;
        while (at != end && *at == ' ') ++at;
    }
}

/// All files, the likely one first.
std::vector<std::int64_t> order_of_shards(std::int64_t shards, std::optional<int> likely) {
    std::vector<std::int64_t> order;
    if (likely && *likely < shards) order.push_back(*likely);
    for (std::int64_t shard = 0; shard < shards; ++shard)
        if (shard != likely) order.push_back(shard);
    return order;
}

/// The file of a rank.  Errors: IoError if another save wrote it.
SafetensorsReader open_shard(const std::string& folder, const SaveId& save, std::int64_t shard,
                             std::int64_t shards) {
    const std::string path = shard_path(folder, save, static_cast<int>(shard), static_cast<int>(shards));
    SafetensorsReader file(path);
    if (save.number.empty()) return file;
    const auto found = file.metadata().find(save_key);
    if (found == file.metadata().end() || found->second != save.number)
        refuse(folder, path + " is of save " +
                           (found == file.metadata().end() ? "without a number" : found->second) +
                           ", the manifest is of save " + save.number);
    return file;
}

/// Start of the names of the files of a save.
std::string shard_start(const SaveId& save) {
    return std::string(shard_prefix) + std::to_string(save.generation) + "-" +
           (save.number.empty() ? "" : save.number + "-");
}

}  // namespace

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
bool is_state_of(const std::string& parameter, const std::string& tensor) {
    return tensor.starts_with(parameter + ".") && tensor.find('.', parameter.size() + 1) == std::string::npos;
}
bool is_sharded_parameter(const Safetensors& file, const std::string& tensor) {
    return file.metadata.contains(shape_key(tensor));
}

SaveId save_of(const std::string& folder, const Safetensors& manifest) {
    SaveId save{.generation = number_of(folder, manifest, "generation")};
    const auto found = manifest.metadata.find(save_key);
    if (found == manifest.metadata.end()) return save;
    save.number = found->second;
    if (save.number.size() != save_digits ||
        save.number.find_first_not_of("0123456789abcdef") != std::string::npos)
        refuse(folder, "the manifest has save \"" + save.number + "\", wanted 16 hexadecimal digits");
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

ShardedParameter sharded_parameter(const std::string& folder, const Safetensors& manifest,
                                   const std::string& name) {
    const auto text = manifest.metadata.find(shape_key(name));
    if (text == manifest.metadata.end()) refuse(folder, "it has no parameter " + name);
    const std::optional<Shape> shape = sharded_shape(folder, text->second);
    if (!shape) refuse(folder, name + " is a tensor that every rank had whole, and no sharded table");
    const std::int64_t shards = number_of(folder, manifest, "shards");
    const SafetensorsReader file = open_shard(folder, save_of(folder, manifest), 0, shards);
    const Entry* const entry = file.find(name);
    if (entry == nullptr) refuse(folder, "a file lacks " + name);
    return {*shape, entry->dtype};
}

Safetensors load_sharded(const std::string& folder) {
    for (;;) {
        const Safetensors manifest = load_safetensors(manifest_path(folder));
        try {
            return load_sharded(folder, manifest, [](const std::string&) { return std::nullopt; }, {});
        } catch (const IoError&) {
            // A save that was ended meanwhile removes the files that the manifest named.
            if (last_save(folder) == save_of(folder, manifest)) throw;
        }
    }
}

Safetensors load_sharded(const std::string& folder, const Safetensors& manifest,
                         const std::function<std::optional<WantedRows>(const std::string& parameter)>& wanted,
                         std::optional<int> likely) {
    Safetensors found = manifest;
    const std::int64_t shards = number_of(folder, found, "shards");
    const SaveId save = save_of(folder, found);
    std::vector<Joined> all;
    for (const auto& [key, text] : found.metadata) {
        if (!key.starts_with(shape_prefix)) continue;
        const std::optional<Shape> shape = sharded_shape(folder, text);
        if (!shape) continue;
        const std::string parameter = key.substr(shape_prefix.size());
        all.emplace_back(folder, parameter, wanted(parameter)).begin((*shape)[0]);
    }
    // Rows that are there need not be looked for; the first file has what every rank had whole.
    const auto is_found = [&](const Joined& one) { return likely && one.is_whole(); };
    for (const std::int64_t shard : order_of_shards(shards, likely)) {
        if (shard != 0 && std::ranges::all_of(all, is_found)) continue;
        SafetensorsReader file = open_shard(folder, save, shard, shards);
        for (Joined& one : all)
            if (shard == 0 || !is_found(one)) one.take(file);
        if (shard > 0) continue;
        const auto is_joined = [&](const Entry& entry) {
            return !entry.shape.empty() && std::ranges::any_of(all, [&](const Joined& one) {
                return entry.name == rows_name(one.parameter()) || one.owns(entry.name);
            });
        };
        for (const Entry& entry : file.entries())
            if (!is_joined(entry)) found.tensors.push_back({entry.name, file.read(entry)});
    }
    for (const Joined& one : all) one.end(found.tensors);
    return found;
}

}  // namespace frisket::optim

// SPDX-License-Identifier: MIT
#include "sharded_checkpoint.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

namespace frisket::optim {

namespace {

namespace fs = std::filesystem;

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
    bool owns(const std::string& tensor) const {
        return tensor == parameter_ || is_state_of(parameter_, tensor);
    }

    /// `rows`: those of the whole parameter.
    void begin(std::int64_t rows) {
        if (!wanted_) wanted_ = {rows, rows, [](std::int64_t row) { return row; }};
        if (wanted_->of != rows)
            refuse(folder_, parameter_ + " has " + std::to_string(rows) + " rows, wanted " +
                                std::to_string(wanted_->of));
        rows_ = rows;
        is_given_.assign(static_cast<std::size_t>(wanted_->count), 0);
    }

    void take_rows(const AnyTensor& numbers) {
        places_.clear();
        for (const std::int64_t row : Tensor<const std::int64_t>(numbers).to_vector()) {
            if (row < 0 || row >= rows_)
                refuse(folder_,
                       parameter_ + " has row " + std::to_string(row) + " of " + std::to_string(rows_));
            const std::int64_t place = wanted_->place(row);
            places_.push_back(place);
            if (place >= 0 && std::exchange(is_given_[static_cast<std::size_t>(place)], 1) != 0)
                refuse(folder_, "row " + std::to_string(row) + " of " + parameter_ + " is there twice");
        }
    }

    void take(const std::string& name, const AnyTensor& part) {
        if (part.shape()[0] != static_cast<std::int64_t>(places_.size()))
            refuse(folder_, name + " has " + to_string(part.shape()) + " and " +
                                std::to_string(places_.size()) + " numbers of rows");
        Shape shape = part.shape();
        shape[0] = wanted_->count;
        const auto known = whole_.try_emplace(name, part.dtype(), shape).first;
        const AnyTensor& to = known->second;
        if (to.dtype() != part.dtype() || to.shape() != shape)
            refuse(folder_, "files have " + name + " in several shapes or dtypes");
        const std::size_t count = places_.size();
        if (count == 0 || part.size() == 0) return;
        const std::size_t bytes = static_cast<std::size_t>(part.size() * bytes_of(part.dtype())) / count;
        for (std::size_t i = 0; i < count; ++i)
            if (places_[i] >= 0)
                std::memcpy(static_cast<std::byte*>(to.data()) + static_cast<std::size_t>(places_[i]) * bytes,
                            static_cast<const std::byte*>(part.data()) + i * bytes, bytes);
    }

    void end(std::vector<NamedTensor>& tensors) const {
        if (std::ranges::find(is_given_, 0) != is_given_.end())
            refuse(folder_, "rows of " + parameter_ + " are missing");
        for (const auto& [name, tensor] : whole_) tensors.push_back({name, tensor});
    }

private:
    std::string folder_, parameter_;
    std::optional<WantedRows> wanted_;
    std::int64_t rows_ = 0;
    std::vector<std::int64_t> places_;  // places of the rows of a file
    std::vector<char> is_given_;
    std::map<std::string, AnyTensor> whole_;
};

/// The first extent of "[10, 4] sharded"; nothing of a parameter that is whole.
std::optional<std::int64_t> sharded_rows(const std::string& folder, const std::string& text) {
    if (!text.ends_with(" sharded")) return {};
    std::int64_t rows = 0;
    if (std::from_chars(text.data() + 1, text.data() + text.size(), rows).ec != std::errc())
        refuse(folder, "the manifest has a shape \"" + text + "\"");
    return rows;
}

}  // namespace

std::string manifest_path(const std::string& folder) { return folder + "/manifest.safetensors"; }
std::string rows_name(const std::string& parameter) { return parameter + std::string(rows_suffix); }
std::string shape_key(const std::string& parameter) { return std::string(shape_prefix) + parameter; }
std::string shard_path(const std::string& folder, std::int64_t generation, int rank, int ranks) {
    return folder + "/" + std::string(shard_prefix) + std::to_string(generation) + "-" +
           std::to_string(rank) + "-of-" + std::to_string(ranks) + ".safetensors";
}
bool is_state_of(const std::string& parameter, const std::string& tensor) {
    return tensor.starts_with(parameter + ".") && tensor.find('.', parameter.size() + 1) == std::string::npos;
}
bool is_sharded_parameter(const Safetensors& file, const std::string& tensor) {
    return file.metadata.contains(shape_key(tensor));
}

std::int64_t saved_generation(const std::string& folder) {
    if (!fs::exists(manifest_path(folder))) return 0;
    return number_of(folder, load_safetensors(manifest_path(folder)), "generation");
}

void remove_other_generations(const std::string& folder, std::int64_t generation) {
    const std::string kept = std::string(shard_prefix) + std::to_string(generation) + "-";
    std::error_code ignored;  // files that cannot be removed stay
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with(shard_prefix) && !name.starts_with(kept)) fs::remove(entry.path(), ignored);
    }
}

Safetensors load_sharded(const std::string& folder) {
    return load_sharded(folder, [](const std::string&) { return std::nullopt; });
}

Safetensors
load_sharded(const std::string& folder,
             const std::function<std::optional<WantedRows>(const std::string& parameter)>& wanted) {
    Safetensors found = load_safetensors(manifest_path(folder));
    const std::int64_t shards = number_of(folder, found, "shards"),
                       generation = number_of(folder, found, "generation");
    std::vector<Joined> all;
    for (const auto& [key, text] : found.metadata) {
        if (!key.starts_with(shape_prefix)) continue;
        const std::optional<std::int64_t> rows = sharded_rows(folder, text);
        if (!rows) continue;
        const std::string parameter = key.substr(shape_prefix.size());
        all.emplace_back(folder, parameter, wanted(parameter)).begin(*rows);
    }
    for (int shard = 0; shard < shards; ++shard) {
        const Safetensors file =
            load_safetensors(shard_path(folder, generation, shard, static_cast<int>(shards)));
        for (Joined& one : all)
            for (const NamedTensor& tensor : file.tensors)
                if (tensor.name == rows_name(one.parameter())) one.take_rows(tensor.tensor);
        for (const NamedTensor& tensor : file.tensors) {
            if (tensor.name.ends_with(rows_suffix)) continue;
            const auto owner = std::ranges::find_if(all, [&](Joined& one) { return one.owns(tensor.name); });
            if (owner != all.end() && tensor.tensor.rank() > 0)
                owner->take(tensor.name, tensor.tensor);
            else if (shard == 0)
                found.tensors.push_back(tensor);
        }
    }
    for (const Joined& one : all) one.end(found.tensors);
    return found;
}

}  // namespace frisket::optim

// SPDX-License-Identifier: MIT
#include "sharded_checkpoint.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include "../runtime/io/safetensors_reader.hpp"

namespace frisket::optim {

namespace {

using runtime::SafetensorsReader;
using safetensors::Entry;

std::string text_of(DType dtype, const Shape& shape) {
    return std::string(name_of(dtype)) + " " + to_string(shape);
}

/// Tensors whose rows come from several files.
class Joined {
public:
    /// `shape`: that of the manifest, which outlives this.
    Joined(std::string folder, const Safetensors& manifest, std::string parameter, Shape shape,
           std::optional<WantedRows> wanted)
        : folder_(std::move(folder)),
          manifest_(&manifest),
          parameter_(std::move(parameter)),
          shape_(std::move(shape)),
          wanted_(std::move(wanted)) {
        if (wanted_ && wanted_->of != WantedRows::any && wanted_->of != rows())
            refuse_checkpoint(folder_, parameter_ + " has " + std::to_string(rows()) + " rows, wanted " +
                                           std::to_string(wanted_->of));
    }

    const std::string& parameter() const { return parameter_; }
    /// True if no row is missing.
    bool is_whole() const { return left_ == 0; }
    bool wants_all_rows() const { return !wanted_; }
    bool owns(const std::string& tensor) const { return tensor == parameter_ || is_state(tensor); }

    /// Refuses a file whose header does not fit the manifest and the files before; counts its rows.
    void check(const SafetensorsReader& file) {
        const Entry* const numbers = file.find(rows_name(parameter_));
        if (numbers == nullptr) file.refuse("it lacks " + rows_name(parameter_));
        file.check_dtype(*numbers);
        if (numbers->dtype != DType::int64 || numbers->shape.size() != 1)
            file.refuse(numbers->name + " is " + text_of(numbers->dtype, numbers->shape) +
                        ", wanted int64 of one dimension");
        if (file.find(parameter_) == nullptr) file.refuse("it lacks " + parameter_);
        for (const Entry& entry : file.entries()) {
            if (!is_wanted(entry)) continue;
            file.check_dtype(entry);
            const Entry& first = first_.try_emplace(entry.name, entry).first->second;
            Shape shape = entry.name == parameter_ ? shape_ : first.shape;
            shape[0] = numbers->shape[0];
            if (entry.dtype != first.dtype || entry.shape != shape)
                file.refuse(entry.name + " is " + text_of(entry.dtype, entry.shape) + ", wanted " +
                            text_of(first.dtype, shape) + ", as the manifest and other files have it");
        }
        counted_ += numbers->shape[0];
    }

    /// Refuses files that have more or fewer rows than the manifest.
    void check_count() const {
        if (counted_ != rows())
            refuse_checkpoint(folder_, counted_ < rows()
                                           ? "rows of " + parameter_ + " are missing: files have " +
                                                 std::to_string(counted_) + " of " + std::to_string(rows())
                                           : "files have " + std::to_string(counted_) + " rows of " +
                                                 parameter_ + ", the manifest " + std::to_string(rows()));
    }

    /// Allocates no more than the files hold: if all rows are wanted, the files' rows are counted first.
    void begin() {
        if (!wanted_) check_count();
        if (!wanted_) wanted_ = {rows(), rows(), [](std::int64_t row) { return row; }};
        left_ = wanted_->count;
        is_given_.assign(static_cast<std::size_t>(left_), 0);
    }

    /// Takes its rows of a file.
    void take(SafetensorsReader& file) {
        check(file);
        const std::int64_t left = left_;
        take_rows(file, file.read(*file.find(rows_name(parameter_))));
        for (const Entry& entry : file.entries())
            if (is_wanted(entry) && (left_ != left || wanted_->count == 0)) take(file, entry, left - left_);
        for (const auto& [name, part] : whole_)
            if (part.left != left_) file.refuse("it or a file before lacks " + name);
    }

    void end(std::vector<NamedTensor>& tensors) const {
        if (!is_whole()) refuse_checkpoint(folder_, "rows of " + parameter_ + " are missing");
        for (const auto& [name, part] : whole_) tensors.push_back({name, part.tensor});
    }

private:
    struct Part {
        AnyTensor tensor;
        std::int64_t left;  ///< rows that no file has given
    };

    std::int64_t rows() const { return shape_[0]; }
    /// State without a row for each of the parameter is a scalar: the first file has it.
    bool is_wanted(const Entry& entry) const {
        return entry.name == parameter_ ||
               ((!wanted_ || wanted_->has_state) && is_state(entry.name) && !entry.shape.empty());
    }
    bool is_state(const std::string& tensor) const { return is_state_of(*manifest_, parameter_, tensor); }

    void take_rows(const SafetensorsReader& file, const AnyTensor& numbers) {
        places_.clear();
        for (const std::int64_t row : Tensor<const std::int64_t>(numbers).to_vector()) {
            if (row < 0 || row >= rows())
                file.refuse(parameter_ + " has row " + std::to_string(row) + " of " + std::to_string(rows()));
            const std::int64_t place = wanted_->place(row);
            places_.push_back(place);
            if (place < 0) continue;
            --left_;
            if (std::exchange(is_given_[static_cast<std::size_t>(place)], 1) != 0)
                file.refuse("row " + std::to_string(row) + " of " + parameter_ + " is there twice");
        }
    }

    /// Takes `taken` rows of a tensor.
    void take(SafetensorsReader& file, const Entry& entry, std::int64_t taken) {
        const std::int64_t count = std::ssize(places_);
        Shape shape = entry.shape;
        shape[0] = wanted_->count;
        auto found = whole_.find(entry.name);
        if (found == whole_.end())
            found = whole_.emplace(entry.name, Part{{entry.dtype, shape}, wanted_->count}).first;
        found->second.left -= taken;
        const AnyTensor& to = found->second.tensor;
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
    std::string folder_;
    const Safetensors* manifest_;
    std::string parameter_;
    Shape shape_;
    std::optional<WantedRows> wanted_;
    std::int64_t left_ = 0, counted_ = 0;  // rows that are missing; rows of the files that were checked
    std::vector<std::int64_t> places_;     // places of the rows of a file
    std::vector<char> is_given_;
    std::vector<std::byte> piece_;        // rows of a file of which some are wanted
    std::map<std::string, Entry> first_;  // tensors as the first file has them
    std::map<std::string, Part> whole_;
};

/// Counts rows by the headers of all files, where a reader wants all rows of a parameter.
void count_rows(std::vector<Joined>& all, int shards, const auto& open) {
    if (std::ranges::any_of(all, &Joined::wants_all_rows)) {
        for (int shard = 0; shard < shards; ++shard) {
            const SafetensorsReader file = open(shard);
            for (Joined& one : all)
                if (one.wants_all_rows()) one.check(file);
        }
    }
    for (Joined& one : all) one.begin();
}

/// Takes the tensors of the first file that have no row for each of a sharded parameter.
void take_whole(SafetensorsReader& file, const std::vector<Joined>& all,
                const std::map<std::string, Shape>& whole, std::vector<NamedTensor>& tensors) {
    for (const auto& [name, shape] : whole) {
        const Entry* const entry = file.find(name);
        if (entry == nullptr) file.refuse("it lacks " + name);
        if (entry->shape != shape)
            file.refuse(name + " has shape " + to_string(entry->shape) + ", the manifest has " +
                        to_string(shape));
    }
    const auto is_joined = [&](const Entry& entry) {
        return !entry.shape.empty() && std::ranges::any_of(all, [&](const Joined& one) {
            return entry.name == rows_name(one.parameter()) || one.owns(entry.name);
        });
    };
    for (const Entry& entry : file.entries())
        if (!is_joined(entry)) tensors.push_back({entry.name, file.read(entry)});
}

/// The file of a rank.  Errors: IoError if another save wrote it.
SafetensorsReader open_shard(const std::string& folder, const SaveId& save, int shard, int shards) {
    const std::string path = shard_path(folder, save, shard, shards);
    SafetensorsReader file(path);
    if (save.number.empty()) return file;
    const auto found = file.metadata().find(save_key);
    if (found == file.metadata().end() || found->second != save.number)
        refuse_checkpoint(folder, path + " is of save " +
                                      (found == file.metadata().end() ? "without a number" : found->second) +
                                      ", the manifest is of save " + save.number);
    return file;
}

}  // namespace

ShardedParameter sharded_parameter(const std::string& folder, const Safetensors& manifest,
                                   const std::string& name, bool are_rows_counted) {
    const auto text = manifest.metadata.find(shape_key(name));
    if (text == manifest.metadata.end()) refuse_checkpoint(folder, "it has no parameter " + name);
    ManifestShape found = manifest_shape(folder, text->first, text->second);
    if (!found.is_sharded)
        refuse_checkpoint(folder, name + " is a tensor that every rank had whole, and no sharded table");
    const int shards = shards_of(folder, manifest);
    const SaveId save = save_of(folder, manifest);
    Joined joined(folder, manifest, name, found.shape, {});
    const int last = are_rows_counted ? shards : 1;
    DType dtype = DType::float32;
    for (int shard = 0; shard < last; ++shard) {
        const SafetensorsReader file = open_shard(folder, save, shard, shards);
        joined.check(file);
        dtype = file.find(name)->dtype;
    }
    if (are_rows_counted) joined.check_count();
    return {std::move(found.shape), dtype};
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
    const int shards = shards_of(folder, found);
    const auto open = [&, save = save_of(folder, found)](int shard) {
        return open_shard(folder, save, shard, shards);
    };
    std::map<std::string, Shape> whole;
    std::vector<Joined> all;
    for (const auto& [key, text] : found.metadata) {
        if (!key.starts_with(shape_prefix)) continue;
        const ManifestShape shape = manifest_shape(folder, key, text);
        const std::string parameter = key.substr(shape_prefix.size());
        if (shape.is_sharded)
            all.emplace_back(folder, manifest, parameter, shape.shape, wanted(parameter));
        else
            whole[parameter] = shape.shape;
    }
    count_rows(all, shards, open);
    // Rows that are there need not be looked for; the first file has what every rank had whole.
    const auto is_found = [&](const Joined& one) { return likely && one.is_whole(); };
    const auto read = [&](int shard) {
        SafetensorsReader file = open(shard);
        for (Joined& one : all)
            if (shard == 0 || !is_found(one)) one.take(file);
        if (shard == 0) take_whole(file, all, whole, found.tensors);
    };
    const bool begins_elsewhere = likely && *likely > 0 && *likely < shards;
    if (begins_elsewhere && !std::ranges::all_of(all, is_found)) read(*likely);
    for (int shard = 0; shard < shards; ++shard) {
        if (shard != 0 && std::ranges::all_of(all, is_found)) break;
        if (!begins_elsewhere || shard != *likely) read(shard);
    }
    for (const Joined& one : all) one.end(found.tensors);
    return found;
}

}  // namespace frisket::optim

// SPDX-License-Identifier: MIT
#include "database.hpp"

#include <algorithm>
#include <filesystem>

#include "../../../runtime/io/descriptor.hpp"
#include "../../../runtime/tensor/error.hpp"
#include "../../disk_cache/user_path.hpp"
#include "file_lock.hpp"
#include "record_file.hpp"
#include "record_text.hpp"

namespace frisket::codegen {

namespace {

std::string mirror_of(const std::string& path) { return path + ".mirror"; }

std::string counted(std::size_t count) {
    return std::to_string(count) + (count == 1 ? " record" : " records");
}

/// A database's files, as they were read.
struct Files {
    FileContent main, mirror;

    StoredRecords records() const {
        StoredRecords all = main.records;
        unite(all, mirror.records);
        return all;
    }
};

enum class Wanted { records, both_files };

bool is_version_or_absent(FileState state) {
    return state == FileState::other_version || state == FileState::absent;
}

/// Both files, or only the first if it is whole and is enough.
/// Errors: IoError if a file there is something else, or neither can be read.
Files read_files(const std::string& path, Wanted wanted) {
    Files files{.main = read_file(path), .mirror = {}};
    // The mirror is written after it, so it has nothing more.
    if (wanted == Wanted::records && files.main.state == FileState::whole) return files;
    files.mirror = read_file(mirror_of(path));
    const FileState main = files.main.state, mirror = files.mirror.state;
    const bool is_alone = mirror == FileState::absent;
    // A header that is damaged may look so too; then there is a mirror, with another.
    const bool is_not_ours = (main == FileState::foreign && is_alone) ||
                             (main == FileState::other_version && is_version_or_absent(mirror));
    if (is_not_ours)
        throw IoError("tuning database " + path + ": it will not be used: " + files.main.why +
                      ": name another file in FRISKET_TUNING_DB");
    if (main == FileState::unreadable && (is_alone || mirror == FileState::unreadable))
        throw IoError("tuning database " + path + ": cannot be read: " + files.main.why);
    return files;
}

bool is_damaged(const FileContent& file) {
    return file.state != FileState::absent && file.state != FileState::whole;
}

void tell(const std::string& path, const FileContent& file, std::size_t whole,
          std::vector<std::string>& messages) {
    if (file.state == FileState::unreadable)
        messages.push_back("tuning database " + path + ": cannot be read (" + file.why + ")");
    else if (is_damaged(file))
        messages.push_back("tuning database " + path + ": is damaged (" + file.why + "): " + counted(whole) +
                           " left; it is made anew when it is next written");
}

/// Gives one of the files the records that it lacks.
void repair(const std::string& path, const FileContent& file, const StoredRecords& all,
            std::vector<std::string>& messages) {
    remove_unfinished(path);
    if (file.state == FileState::unreadable)
        throw IoError("tuning database " + path + ": cannot be read: " + file.why);
    if (is_damaged(file)) {
        replace_file(path, all);
        messages.push_back("tuning database " + path + ": was damaged (" + file.why + "): made anew with " +
                           counted(all.size()) + "; the damaged file is " + path + ".damaged");
        return;
    }
    StoredRecords lacking;
    for (const auto& [key, stored] : all) {
        const auto own = file.records.find(key);
        if (own == file.records.end() || own->second.revision < stored.revision) lacking.emplace(key, stored);
    }
    if (file.state == FileState::absent || !lacking.empty()) write_file(path, lacking);
}

/// A database while no other process writes it.
class Writing {
public:
    Writing(const std::string& path, std::vector<std::string>& messages)
        : path_(path), lock_(path + ".lock") {
        const Files files = read_files(path, Wanted::both_files);
        records_ = files.records();
        repair(path, files.main, records_, messages);
        repair(mirror_of(path), files.mirror, records_, messages);
    }

    const StoredRecords& records() const { return records_; }

    void write(const std::vector<TuningRecord>& records) {
        StoredRecords fresh;
        for (const TuningRecord& record : records) {
            const std::string key = key_of(record);
            const auto old = records_.find(key);
            fresh[key] = {record, old == records_.end() ? 1 : old->second.revision + 1};
        }
        write_file(path_, fresh);
        write_file(mirror_of(path_), fresh);
        unite(records_, fresh);
    }

    /// The mirror first: a process killed in between leaves a file that is whole again.
    void clear() {
        write_file(mirror_of(path_), {}, Before::clear);
        write_file(path_, {}, Before::clear);
        records_.clear();
    }

private:
    std::string path_;
    FileLock lock_;
    StoredRecords records_;
};

std::vector<TuningRecord> plain(const StoredRecords& stored) {
    std::vector<TuningRecord> records;
    records.reserve(stored.size());
    for (const auto& [key, one] : stored) records.push_back(one.record);
    return records;
}

void make_folder_of(const std::string& path) {
    std::error_code error;
    const auto folder = std::filesystem::path(path).parent_path();
    if (!folder.empty()) std::filesystem::create_directories(folder, error);
    if (error) throw IoError("tuning database " + path + ": its folder cannot be made: " + error.message());
}

/// The records of a database or an export.
std::vector<TuningRecord> records_of(const std::string& path, std::vector<std::string>& messages) {
    const FileContent file = read_file(path);
    if (file.state == FileState::absent) throw IoError("tuning records " + path + ": is not there, or empty");
    std::error_code error;
    const bool has_mirror = std::filesystem::exists(mirror_of(path), error);
    if (file.state == FileState::foreign && !has_mirror) {
        std::vector<TuningRecord> records;
        for (ExportLine& line : read_export(path, messages)) records.push_back(std::move(line.record));
        return records;
    }
    TuningDatabase other(path, TuningDatabase::Access::read);
    messages.insert(messages.end(), other.messages().begin(), other.messages().end());
    return other.records();
}

}  // namespace

TuningDatabase::TuningDatabase(std::string path, Access access) : path_(std::move(path)) {
    const runtime::NoSizeSignal quiet;  // covers the files that SQLite writes
    if (access == Access::write) try {
            make_folder_of(path_);
            records_ = plain(Writing(path_, messages_).records());
            can_write_ = true;
            return;
        } catch (const IoError& error) { messages_.emplace_back(error.what()); }
    const Files files = read_files(path_, Wanted::records);
    const StoredRecords all = files.records();
    tell(path_, files.main, all.size(), messages_);
    tell(mirror_of(path_), files.mirror, all.size(), messages_);
    records_ = plain(all);
}

void TuningDatabase::put(const TuningRecord& record) {
    const runtime::NoSizeSignal quiet;
    check(record);
    Writing writing(path_, messages_);
    writing.write({record});
    records_ = plain(writing.records());
}

int TuningDatabase::merge(const std::string& other) {
    const runtime::NoSizeSignal quiet;
    const std::vector<TuningRecord> theirs = records_of(other, messages_);
    Writing writing(path_, messages_);
    std::vector<TuningRecord> taken;
    for (const TuningRecord& record : theirs) {
        const auto own = writing.records().find(key_of(record));
        if (own == writing.records().end() || own->second.record.found_at < record.found_at)
            taken.push_back(record);
    }
    writing.write(taken);
    records_ = plain(writing.records());
    return static_cast<int>(taken.size());
}

void TuningDatabase::clear() {
    const runtime::NoSizeSignal quiet;
    Writing writing(path_, messages_);
    writing.clear();
    records_.clear();
}

std::vector<TuningRecord> TuningDatabase::records(std::string_view step, std::string_view target,
                                                  std::string_view machine, std::string_view build) const {
    std::vector<TuningRecord> found;
    std::ranges::copy_if(records_, std::back_inserter(found), [&](const TuningRecord& record) {
        return (step.empty() || record.step == step) && record.target == target &&
               record.machine == machine && record.build == build;
    });
    return found;
}

std::string default_tuning_path() { return user_path("FRISKET_TUNING_DB", "frisket/tuning.db"); }

}  // namespace frisket::codegen

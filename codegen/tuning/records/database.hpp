// SPDX-License-Identifier: MIT
// Stores tuning records in an SQLite file with a mirror.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "record.hpp"

namespace frisket::codegen {

/// Results of tuning in one SQLite file, for any number of processes.  Each record has a checksum, and a copy
/// in a second file next to the first, FILE.mirror: records that one file loses are restored from the other.
/// Threads: each needs an object of its own, as each process does.
class TuningDatabase {
public:
    enum class Access { read, write };

    /// Opens a database.  For `write`, a file that is damaged is set aside as FILE.damaged and made anew from
    /// the records of both, as messages() reports; a missing file is made, and the folders above it.  A file
    /// that cannot be written is read: can_write() and messages() report it.  For `read`, a missing file has
    /// no records.
    /// Errors: IoError if the file is something else than a tuning database, or cannot be read.
    explicit TuningDatabase(std::string path, Access access = Access::write);

    /// Keeps a record in place of one with the same key.  It is on the disk when this returns.
    /// Errors: IoError; records that were there before are then still there.
    void put(const TuningRecord& record);
    /// Takes the records of a database or an export that are not here, or were found later; returns their
    /// number.
    int merge(const std::string& other);
    void clear();

    /// All records that are whole, as they were when the object was made or last wrote.
    std::vector<TuningRecord> records() const { return records_; }
    /// The records of a step, or of all if it is empty, on a machine and a build.
    std::vector<TuningRecord> records(std::string_view step, std::string_view target,
                                      std::string_view machine, std::string_view build) const;

    const std::string& path() const noexcept { return path_; }
    /// True if it was made for writing, and could be written then.
    bool can_write() const noexcept { return can_write_; }
    /// Files that were refused or made anew, and why: a sentence each.
    const std::vector<std::string>& messages() const noexcept { return messages_; }

private:
    std::string path_;
    bool can_write_ = false;
    std::vector<TuningRecord> records_;
    std::vector<std::string> messages_;
};

/// $FRISKET_TUNING_DB, or frisket/tuning.db in the user's cache folder ($XDG_CACHE_HOME, ~/.cache); empty if
/// such a folder is missing, or the variable is "off".
std::string default_tuning_path();

}  // namespace frisket::codegen

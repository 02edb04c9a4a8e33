// SPDX-License-Identifier: MIT
// Internal: one SQLite file of tuning records.
#pragma once
#include <map>
#include <string>

#include "record.hpp"

namespace frisket::codegen {

/// A record as it is stored.  If two records have one key, the higher revision counts.
struct StoredRecord {
    TuningRecord record;
    std::int64_t revision = 0;
};
using StoredRecords = std::map<std::string, StoredRecord>;  // by key

/// Adds records of `from` that are missing in `to`, or have a higher revision.
void unite(StoredRecords& to, const StoredRecords& from);

enum class FileState {
    absent,
    whole,
    damaged,        ///< in part
    foreign,        ///< no database, or one of something else
    other_version,  ///< a tuning database, but of another version of frisket
    unreadable,     ///< locked, or not permitted
};

struct FileContent {
    FileState state = FileState::absent;
    std::string why;        ///< reason why it is not whole
    StoredRecords records;  ///< records whose checksum is right, whatever the state
};

/// Never throws for the content of the file.
FileContent read_file(const std::string& path);

enum class Before { keep, clear };
/// Adds records in one transaction, in place of those with the same keys, or of all.  On the disk when this
/// returns.  Errors: IoError; the file is then as before.
void write_file(const std::string& path, const StoredRecords& records, Before before = Before::keep);

/// Puts a new file with these records in place of a damaged one, which is renamed to PATH.damaged.
/// Errors: IoError; the damaged file is then where it was.
void replace_file(const std::string& path, const StoredRecords& records);
/// Removes files of a process that was killed while it made such a file; no other process may be making one.
void remove_unfinished(const std::string& path);

}  // namespace frisket::codegen

// SPDX-License-Identifier: MIT
#include "record_file.hpp"

#include <unistd.h>

#include <filesystem>
#include <vector>

#include "../../../runtime/support/joined.hpp"
#include "../../../runtime/tensor/error.hpp"
#include "sqlite.hpp"

namespace frisket::codegen {

namespace {

constexpr int application = 0x66726b74;  // "frkt"
constexpr int format = 2;

/// Names of all columns: the key's hash, the fields, the revision and the checksum.
std::vector<std::string> columns() {
    std::vector<std::string> names{"key"};
    const TuningRecord record;
    each_field(record, [&](const char* column, const auto&) { names.emplace_back(column); });
    names.insert(names.end(), {"revision", "checksum"});
    return names;
}

/// Statement that makes the table: without an index, which could be wrong where the rows are right.
std::string creation() {
    std::vector<std::string> names = columns();
    names[0] += " PRIMARY KEY";
    return "CREATE TABLE IF NOT EXISTS records (" + runtime::joined(names) + ") WITHOUT ROWID";
}

std::string insertion() {
    std::vector<std::string> marks(columns().size(), "?");
    return "INSERT OR REPLACE INTO records (" + runtime::joined(columns()) + ") VALUES (" +
           runtime::joined(marks) + ")";
}

struct BindField {
    sqlite::Statement& statement;
    int parameter = 0;
    void operator()(const char*, const std::string& text) { statement.bind(parameter++, text); }
    void operator()(const char*, Layout layout) { statement.bind(parameter++, std::string(name_of(layout))); }
    void operator()(const char*, std::int64_t number) { statement.bind(parameter++, number); }
    void operator()(const char*, double number) { statement.bind(parameter++, number); }
    void operator()(const char*, int number) { statement.bind(parameter++, std::int64_t{number}); }
};

struct ReadField {
    const sqlite::Statement& statement;
    int column = 0;
    void operator()(const char*, std::string& text) { text = statement.text(column++); }
    void operator()(const char*, Layout& layout) { layout = parse_layout(statement.text(column++)); }
    void operator()(const char*, std::int64_t& number) { number = statement.integer(column++); }
    void operator()(const char*, double& number) { number = statement.real(column++); }
    void operator()(const char*, int& number) { number = static_cast<int>(statement.integer(column++)); }
};

/// Takes one row; false if its checksum is wrong.
bool take_row(const sqlite::Statement& row, StoredRecords& records) {
    StoredRecord stored;
    ReadField read{row};
    std::string key;
    read("key", key);
    try {
        each_field(stored.record, read);
    } catch (const Error&) { return false; }  // no such layout
    std::int64_t checksum = 0;
    read("revision", stored.revision);
    read("checksum", checksum);
    if (checksum != checksum_of(stored.record, stored.revision) || key != key_of(stored.record)) return false;
    unite(records, {{key, stored}});
    return true;
}

void read_rows(const sqlite::File& file, FileContent& content) {
    int wrong = 0;
    auto rows = file.prepare("SELECT " + runtime::joined(columns()) + " FROM records");
    while (rows.step())
        if (!take_row(rows, content.records)) ++wrong;
    if (wrong == 0 || content.state != FileState::whole) return;
    content.state = FileState::damaged;
    content.why = wrong == 1 ? "a record has a wrong checksum"
                             : std::to_string(wrong) + " records have wrong checksums";
}

FileState state_of(const sqlite::Failure& failure) {
    switch (failure.kind) {
        case sqlite::Failure::Kind::damage: return FileState::damaged;
        case sqlite::Failure::Kind::no_database: return FileState::foreign;
        case sqlite::Failure::Kind::elsewhere: break;
    }
    return FileState::unreadable;
}

/// Reads a file that could be opened; the state is absent if nothing is in it.
void read_open(const sqlite::File& file, FileContent& content) {
    const bool may_write = !file.is_read_only();
    file.prepare("BEGIN").step();  // all that follows sees one state of the file
    // An empty file also remains of a writer that was killed at its first record, and rolled back.
    if (file.ask("PRAGMA page_count") == "0") return;
    content.state = FileState::whole;
    if (file.ask("PRAGMA application_id") != std::to_string(application)) {
        content.state = FileState::foreign;
        content.why = "it is a database of something else";
    } else if (file.ask("PRAGMA user_version") != std::to_string(format)) {
        content.state = FileState::other_version;
        content.why = "another version of frisket made it";
    }
    read_rows(file, content);
    if (content.state != FileState::whole) return;
    const std::string verdict = file.ask("PRAGMA integrity_check(1)");
    const bool is_ours = file.ask("PRAGMA journal_mode") == "delete" && file.is_read_only() != may_write;
    if (verdict == "ok" && is_ours) return;
    content.state = FileState::damaged;
    content.why = verdict == "ok" ? "its header is wrong" : verdict;
}

FileContent read_in_mode(const std::string& path, sqlite::File::Mode mode) {
    FileContent content;
    try {
        read_open(sqlite::File(path, mode), content);
    } catch (const sqlite::Failure& failure) {
        const bool is_known =
            content.state == FileState::foreign || content.state == FileState::other_version;
        if (!is_known) content.state = state_of(failure);
        content.why = failure.what();
    }
    return content;
}

/// Path of the file that will replace another, while it is written.
std::string fresh_of(const std::string& path) { return path + ".new"; }

[[noreturn]] void fail(const std::string& path, const std::string& why) {
    throw IoError("tuning database " + path + ": cannot be written: " + why);
}

}  // namespace

void unite(StoredRecords& to, const StoredRecords& from) {
    for (const auto& [key, stored] : from) {
        const auto [place, is_new] = to.try_emplace(key, stored);
        if (!is_new && place->second.revision < stored.revision) place->second = stored;
    }
}

FileContent read_file(const std::string& path) {
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    if (error == std::errc::no_such_file_or_directory || (!error && size == 0)) return {};
    if (error) return {.state = FileState::unreadable, .why = error.message(), .records = {}};
    FileContent content = read_in_mode(path, sqlite::File::Mode::read);
    // A read-only folder keeps a killed writer's journal from being rolled back: checksums show which records
    // are whole.
    if (content.state == FileState::unreadable && access(path.c_str(), R_OK) == 0)
        if (FileContent lying = read_in_mode(path, sqlite::File::Mode::as_it_lies);
            lying.state != FileState::unreadable)
            return lying;
    return content;
}

void write_file(const std::string& path, const StoredRecords& records, Before before) {
    try {
        sqlite::File file(path, sqlite::File::Mode::write);
        // A write-ahead log holds records outside of the file, and shuts out readers of read-only folders.
        file.run("PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA; BEGIN IMMEDIATE");
        file.run("PRAGMA application_id = " + std::to_string(application));
        file.run("PRAGMA user_version = " + std::to_string(format));
        file.run(creation());
        if (before == Before::clear) file.run("DELETE FROM records");
        auto statement = file.prepare(insertion());
        for (const auto& [key, stored] : records) {
            BindField bind{statement};
            bind("key", key);
            each_field(stored.record, bind);
            bind("revision", stored.revision);
            bind("checksum", checksum_of(stored.record, stored.revision));
            statement.step();
            statement.reset();
        }
        file.run("COMMIT");
    } catch (const sqlite::Failure& failure) { fail(path, failure.what()); }
}

void remove_unfinished(const std::string& path) {
    std::error_code error;
    for (const char* rest : {"", "-journal"}) std::filesystem::remove(fresh_of(path) + rest, error);
}

void replace_file(const std::string& path, const StoredRecords& records) {
    namespace fs = std::filesystem;
    const std::string fresh = fresh_of(path), aside = path + ".damaged";
    std::error_code error, ignored;
    try {
        write_file(fresh, records);
        fs::rename(path, aside, error);
        if (error && error != std::errc::no_such_file_or_directory) fail(path, error.message());
        // A journal of the damaged file would be played back into the new one.
        for (const char* rest : {"-journal", "-wal", "-shm"}) fs::remove(path + rest, ignored);
        fs::rename(fresh, path, error);
        if (!error) return;
        fs::rename(aside, path, ignored);
        fail(path, error.message());
    } catch (...) {
        remove_unfinished(path);
        throw;
    }
}

}  // namespace frisket::codegen

// SPDX-License-Identifier: MIT
// Internal: SQLite, owned and throwing.
#pragma once
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

struct sqlite3;
struct sqlite3_stmt;

namespace frisket::sqlite {

/// An error of SQLite.
struct Failure : std::runtime_error {
    /// `damage`, `no_database`: SQLite did not write the file's content.  `elsewhere`: the file is not to
    /// blame.
    enum class Kind { damage, no_database, elsewhere };
    Failure(Kind kind, const char* text) : std::runtime_error(text), kind(kind) {}
    Kind kind;
};

/// A statement.  Columns and parameters count from 0.  All throw Failure.
class Statement {
public:
    explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
    void bind(int parameter, const std::string& text);
    void bind(int parameter, std::int64_t number);
    void bind(int parameter, double number);
    /// Goes to the next row; false after the last.
    bool step();
    /// Makes it ready to run again.
    void reset();
    std::string text(int column) const;
    std::int64_t integer(int column) const;
    double real(int column) const;

private:
    struct Finalize { void operator()(sqlite3_stmt* statement) const; };
    std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// An open file.  All throw Failure.
class File {
public:
    /// `read` rolls back a killed writer's transaction, if it may write; `as_it_lies` does not, takes no
    /// locks and never writes; `write` makes the file if it is missing.
    enum class Mode { read, as_it_lies, write };
    File(const std::string& path, Mode mode);
    /// True if it cannot be written: by permission, and once it has been read, by its own word.
    bool is_read_only() const;
    void run(const std::string& sql);
    Statement prepare(const std::string& sql) const;
    /// The first column of the first row; empty without rows.
    std::string ask(const std::string& sql) const;

private:
    struct Close { void operator()(sqlite3* file) const; };
    std::unique_ptr<sqlite3, Close> file_;
};

}  // namespace frisket::sqlite

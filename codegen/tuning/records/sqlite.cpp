// SPDX-License-Identifier: MIT
#include "sqlite.hpp"

#include <sqlite3.h>

#include <string_view>

namespace frisket::sqlite {

namespace {

Failure::Kind kind_of(int code) {
    switch (code & 0xff) {
        case SQLITE_NOTADB: return Failure::Kind::no_database;
        case SQLITE_READONLY:
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
        case SQLITE_IOERR:
        case SQLITE_FULL:
        case SQLITE_CANTOPEN:
        case SQLITE_PERM:
        case SQLITE_AUTH:
        case SQLITE_NOMEM: return Failure::Kind::elsewhere;
        // Damage is more than "corrupt": one wrong byte makes a schema that does not parse, or a format of
        // the future.
        default: return Failure::Kind::damage;
    }
}

[[noreturn]] void fail(int code, sqlite3* file) {
    throw Failure(kind_of(code), file != nullptr ? sqlite3_errmsg(file) : sqlite3_errstr(code));
}

/// The path as a URI, for its parameters.
std::string uri(const std::string& path) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text = "file:";
    for (const char c : path) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '%' || c == '?' || c == '#') {
            text += {'%', digits[byte >> 4U], digits[byte & 15U]};
        } else {
            text += c;
        }
    }
    return text + "?immutable=1";
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
void File::Close::operator()(sqlite3* file) const { sqlite3_close_v2(file); }

void Statement::bind(int parameter, const std::string& text) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): SQLite's own word for "copy it"
    const auto copied = SQLITE_TRANSIENT;
    const int code =
        sqlite3_bind_text64(statement_.get(), parameter + 1, text.data(), text.size(), copied, SQLITE_UTF8);
    if (code != SQLITE_OK) fail(code, sqlite3_db_handle(statement_.get()));
}
void Statement::bind(int parameter, std::int64_t number) {
    sqlite3_bind_int64(statement_.get(), parameter + 1, number);
}
void Statement::bind(int parameter, double number) {
    sqlite3_bind_double(statement_.get(), parameter + 1, number);
}

bool Statement::step() {
    const int code = sqlite3_step(statement_.get());
    if (code != SQLITE_ROW && code != SQLITE_DONE) fail(code, sqlite3_db_handle(statement_.get()));
    return code == SQLITE_ROW;
}
void Statement::reset() { sqlite3_reset(statement_.get()); }

std::string Statement::text(int column) const {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
    if (text == nullptr) return {};
    return {text, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}
std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }
double Statement::real(int column) const { return sqlite3_column_double(statement_.get(), column); }

File::File(const std::string& path, Mode mode) {
    constexpr int patience_ms = 5000;  // other processes read and write, each in a moment
    sqlite3* file = nullptr;
    int flags = SQLITE_OPEN_READWRITE;
    if (mode == Mode::write) flags |= SQLITE_OPEN_CREATE;
    if (mode == Mode::as_it_lies) flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
    const int code =
        sqlite3_open_v2(mode == Mode::as_it_lies ? uri(path).c_str() : path.c_str(), &file, flags, nullptr);
    file_.reset(file);
    if (code != SQLITE_OK) fail(code, file);
    sqlite3_busy_timeout(file, patience_ms);
    // A file may come from anyone: nothing in its schema runs.
    sqlite3_db_config(file, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(file, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(file, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_db_config(file, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
}

bool File::is_read_only() const { return sqlite3_db_readonly(file_.get(), "main") == 1; }

void File::run(const std::string& sql) {
    const int code = sqlite3_exec(file_.get(), sql.c_str(), nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) fail(code, file_.get());
}

Statement File::prepare(const std::string& sql) const {
    sqlite3_stmt* statement = nullptr;
    const int code = sqlite3_prepare_v2(file_.get(), sql.c_str(), -1, &statement, nullptr);
    if (code != SQLITE_OK) fail(code, file_.get());
    return Statement(statement);
}

std::string File::ask(const std::string& sql) const {
    Statement statement = prepare(sql);
    return statement.step() ? statement.text(0) : std::string();
}

}  // namespace frisket::sqlite

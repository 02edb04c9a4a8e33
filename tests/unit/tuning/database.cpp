// SPDX-License-Identifier: MIT
#include "../../../codegen/tuning/records/record_text.hpp"
#include "tuning_helpers.hpp"

namespace database_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

/// An environment variable for the length of a test.
class Variable {
public:
    Variable(const char* name, const char* value) : name_(name), old_(text(name)) { setenv(name, value, 1); }
    ~Variable() { setenv(name_, old_.c_str(), 1); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    static std::string text(const char* name) {
        const char* value = std::getenv(name);
        return value != nullptr ? value : "";
    }
    const char* name_;
    std::string old_;
};

}  // namespace

TEST_CASE("a record is found again, with every field, by another object", "[tuning]") {
    const Folder folder;
    codegen::TuningRecord odd = record(1);
    odd.step = std::string("a\tstep\\ with \0 and \xff\n", 21);
    odd.schedule = "";
    odd.call.layout = Layout::rows;
    {
        codegen::TuningDatabase database(folder / "a/b/tuning.db");
        CHECK(database.can_write());
        database.put(record(2));
        database.put(odd);
        CHECK(database.messages().empty());
    }
    CHECK(read_records(folder / "a/b/tuning.db") == sorted({record(2), odd}));
}

TEST_CASE("a record takes the place of one with the same key, and of no other", "[tuning]") {
    const Folder folder;
    codegen::TuningDatabase database(folder / "tuning.db");
    for (const int found : {5, 9, 7}) database.put(record(1, found));
    codegen::TuningRecord elsewhere = record(1, 3);
    elsewhere.machine = "another";
    database.put(elsewhere);
    const codegen::TuningRecord one = record(1);
    CHECK(database.records(one.step, one.target, one.machine, one.build) == std::vector{record(1, 7)});
    CHECK(database.records(one.step, one.target, "another", one.build) == std::vector{elsewhere});
    CHECK(database.records(one.step, "opencl", one.machine, one.build).empty());
    CHECK(database.records("another step", one.target, one.machine, one.build).empty());
    CHECK(read_records(folder / "tuning.db").size() == 2);
}

TEST_CASE("where there is no database, reading finds no record and writes nothing", "[tuning]") {
    const Folder folder;
    const codegen::TuningDatabase database(folder / "tuning.db", codegen::TuningDatabase::Access::read);
    CHECK(database.records().empty());
    CHECK(database.messages().empty());
    CHECK_FALSE(database.can_write());
    CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("a cleared database is empty, and takes records again", "[tuning]") {
    const Folder folder;
    codegen::TuningDatabase database(folder / "tuning.db");
    database.put(record(1));
    database.clear();
    CHECK(database.records().empty());
    CHECK(read_records(folder / "tuning.db").empty());
    database.put(record(1, 4));
    CHECK(read_records(folder / "tuning.db") == std::vector{record(1, 4)});
}

TEST_CASE("merging takes what is not here, and what was found later", "[tuning]") {
    const Folder folder;
    codegen::TuningDatabase here(folder / "here.db"), there(folder / "there.db");
    here.put(record(1, 5));
    here.put(record(2, 5));
    there.put(record(1, 4));
    there.put(record(2, 6));
    there.put(record(3, 1));
    const auto wanted = sorted({record(1, 5), record(2, 6), record(3, 1)});
    SECTION("from a database") { CHECK(here.merge(folder / "there.db") == 2); }
    SECTION("from an export") {
        codegen::write_export(folder / "there.tsv", there.records());
        CHECK(here.merge(folder / "there.tsv") == 2);
    }
    SECTION("from several") {
        codegen::TuningDatabase other(folder / "other.db");
        other.put(record(3, 1));
        CHECK(here.merge(folder / "other.db") == 1);
        CHECK(here.merge(folder / "there.db") == 1);
        CHECK(here.merge(folder / "here.db") == 0);
    }
    CHECK(sorted(here.records()) == wanted);
    CHECK(read_records(folder / "here.db") == wanted);
    CHECK(here.messages().empty());
}

TEST_CASE("an export is read back, less the lines that are not whole", "[tuning]") {
    const auto all = records(5);
    std::vector<codegen::ExportLine> lines;
    for (std::size_t i = 0; i < all.size(); ++i) lines.push_back({static_cast<int>(i) + 3, all[i]});
    std::vector<std::string> messages;
    std::string text = codegen::export_text(all);
    CHECK(codegen::parse_export(text, "kept.tsv", messages) == lines);
    CHECK(messages.empty());

    text[text.find("tile=0")] = 'T';
    text.resize(text.size() - 3);
    const auto rest = codegen::parse_export(text, "kept.tsv", messages);
    CHECK(rest == std::vector(lines.begin() + 1, lines.end() - 1));
    REQUIRE(messages.size() == 2);
    CHECK(messages[0] ==
          "tuning records kept.tsv: line 3 is refused: it is not whole, or its checksum is wrong");
}

TEST_CASE("the database lies where the environment says", "[tuning]") {
    const Variable home("HOME", "/me");
    const Variable cache("XDG_CACHE_HOME", "");
    {
        const Variable wanted("FRISKET_TUNING_DB", "");
        CHECK(codegen::default_tuning_path() == "/me/.cache/frisket/tuning.db");
        const Variable other("XDG_CACHE_HOME", "/cache");
        CHECK(codegen::default_tuning_path() == "/cache/frisket/tuning.db");
        const Variable no_cache("XDG_CACHE_HOME", ""), no_home("HOME", "");
        CHECK(codegen::default_tuning_path().empty());
    }
    const Variable named("FRISKET_TUNING_DB", "/data/my.db");
    CHECK(codegen::default_tuning_path() == "/data/my.db");
    const Variable off("FRISKET_TUNING_DB", "off");
    CHECK(codegen::default_tuning_path().empty());
}

}  // namespace database_test

// SPDX-License-Identifier: MIT
#include "../../../codegen/tuning/records/sqlite.hpp"
#include "tuning_helpers.hpp"

#include <limits>

namespace database_refusals_test {

using namespace frisket;
using namespace frisket::testing;
using Catch::Matchers::MessageMatches;
using Catch::Matchers::StartsWith;

TEST_CASE("a file that is no tuning database is refused and left as it is", "[tuning]") {
    const Folder folder;
    const std::string path = folder / "thesis.txt";
    SECTION("a text") { write_bytes(path, "Chapter 1\n" + std::string(5000, 'x')); }
    SECTION("a database of something else") {
        sqlite::File(path, sqlite::File::Mode::write).run("CREATE TABLE records (title)");
    }
    const std::string before = bytes_of_file(path);
    for (const auto access : {codegen::TuningDatabase::Access::read, codegen::TuningDatabase::Access::write})
        CHECK_THROWS_MATCHES(
            codegen::TuningDatabase(path, access), IoError,
            MessageMatches(StartsWith("frisket: tuning database " + path + ": it will not be used: ")));
    CHECK(bytes_of_file(path) == before);
    codegen::TuningDatabase database(folder / "tuning.db");
    CHECK_THROWS_AS(database.merge(path), IoError);
    CHECK_THROWS_AS(database.merge(folder / "nothing.db"), IoError);
    CHECK(database.records().empty());
}

TEST_CASE("a database of another version of frisket is refused and left as it is", "[tuning]") {
    const Folder folder;
    const std::string path = folder / "tuning.db";
    codegen::TuningDatabase(path).put(record(1));
    for (const std::string& file : {path, path + ".mirror"})
        sqlite::File(file, sqlite::File::Mode::write).run("PRAGMA user_version = 1");
    const std::string before = bytes_of_file(path);
    CHECK_THROWS_MATCHES(codegen::TuningDatabase(path), IoError,
                         MessageMatches(Catch::Matchers::ContainsSubstring("another version of frisket")));
    CHECK(bytes_of_file(path) == before);
}

TEST_CASE("what another program writes into a record is not used", "[tuning]") {
    const Folder folder;
    const std::string path = folder / "tuning.db";
    codegen::TuningDatabase(path).put(record(1));
    codegen::TuningDatabase(path).put(record(2));
    for (const std::string& file : {path, path + ".mirror"})
        sqlite::File(file, sqlite::File::Mode::write)
            .run("UPDATE records SET schedule = 'blend' WHERE elements = 1");
    CHECK(read_records(path) == std::vector{record(2)});
    const codegen::TuningDatabase repaired(path);
    CHECK(repaired.records() == std::vector{record(2)});
    REQUIRE(repaired.messages().size() == 2);
    CHECK(repaired.messages()[0] == "tuning database " + path +
                                        ": was damaged (a record has a wrong checksum): made anew with 1 "
                                        "record; the damaged file is " +
                                        path + ".damaged");
    CHECK(codegen::TuningDatabase(path).messages().empty());
}

TEST_CASE("a time that is no number is refused", "[tuning]") {
    const Folder folder;
    codegen::TuningDatabase database(folder / "tuning.db");
    codegen::TuningRecord wrong = record(1);
    wrong.best_s = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS(database.put(wrong), ValueError);
    CHECK(read_records(folder / "tuning.db").empty());
}

}  // namespace database_refusals_test

// SPDX-License-Identifier: MIT
// Disks that fail at any call while records are stored.
#include "../../../codegen/tuning/records/record_text.hpp"
#include "../../support/faults.hpp"
#include "tuning_helpers.hpp"

namespace disk_faults_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

/// Files of a database that no process uses now.
bool is_expected(const std::string& name) {
    for (const char* rest : {"", ".mirror", ".lock", ".damaged", ".mirror.damaged"})
        if (name == std::string("tuning.db") + rest) return true;
    return false;
}

/// How a database is found: as it was closed, with one file damaged or gone, or not there at all.
enum class Found { whole, damaged, without_mirror, absent };

void lay_down(const std::string& path, Found found, int count) {
    for (const std::string& name : names_in(std::filesystem::path(path).parent_path()))
        std::filesystem::remove(std::filesystem::path(path).parent_path() / name);
    if (found == Found::absent) return;
    codegen::TuningDatabase database(path);
    for (const codegen::TuningRecord& one : records(count)) database.put(one);
    if (found == Found::without_mirror) std::filesystem::remove(path + ".mirror");
    if (found != Found::damaged) return;
    const std::string bytes = bytes_of_file(path);
    write_bytes(path, bytes.substr(0, 100) + std::string(bytes.size() - 100, '\x55'));
}

/// Stores a record while calls of the system fail: earlier records stay, and the next try succeeds.
void put_with_faults(const DiskFault& kind, Found found) {
    constexpr int count = 3;
    const Folder folder;
    const std::string path = folder / "tuning.db";
    const auto before = found == Found::absent ? std::vector<codegen::TuningRecord>() : records(count);
    auto after = before;
    after.push_back(record(7));
    after = sorted(after);
    lay_down(path, found, count);
    each_fault(
        kind, [&] { codegen::TuningDatabase(path).put(record(7)); },
        [&](bool is_refused) {
            const auto there = read_records(path);
            CHECK((there == after || (is_refused && there == before)));
            REQUIRE_NOTHROW(codegen::TuningDatabase(path).put(record(7)));
            CHECK(read_records(path) == after);
            CHECK(codegen::TuningDatabase(path).messages().empty());
            for (const std::string& name : names_in(folder.path())) {
                INFO(name);
                CHECK(is_expected(name));
            }
            lay_down(path, found, count);
        });
}

}  // namespace

TEST_CASE("child: a record is kept with faults", "[.]") {
    for (const DiskFault& kind : all_faults) put_with_faults(kind, Found::whole);
}
TEST_CASE("a disk that fails while a record is kept loses none", "[tuning]") {
    check_child_with_faults("a record is kept with faults");
}

TEST_CASE("child: a database is made with faults", "[.]") {
    for (const DiskFault& kind : all_faults) put_with_faults(kind, Found::absent);
}
TEST_CASE("a disk that fails while a database is made leaves one that can be written", "[tuning]") {
    check_child_with_faults("a database is made with faults");
}

TEST_CASE("child: a database is made anew with faults", "[.]") {
    for (const Found found : {Found::damaged, Found::without_mirror})
        for (const DiskFault& kind : all_faults) put_with_faults(kind, found);
}
TEST_CASE("a disk that fails while a database is made anew loses no record", "[tuning]") {
    check_child_with_faults("a database is made anew with faults");
}

TEST_CASE("child: records are exported with faults", "[.]") {
    const Folder folder;
    const std::string path = folder / "records.tsv";
    const auto few = records(2), more = records(30);
    for (const DiskFault& kind : all_faults) {
        codegen::write_export(path, few);
        each_fault(
            kind, [&] { codegen::write_export(path, more); },
            [&](bool is_refused) {
                const std::string found = bytes_of_file(path);
                CHECK((found == codegen::export_text(more) ||
                       (is_refused && found == codegen::export_text(few))));
                CHECK(names_in(folder.path()).size() == 1);
                codegen::write_export(path, few);
            });
    }
}
TEST_CASE("a disk that fails while records are exported leaves the old file or the new one", "[tuning]") {
    check_child_with_faults("records are exported with faults");
}

TEST_CASE("what a process left that was killed while it made a database anew is removed", "[tuning]") {
    const Folder folder;
    const std::string path = folder / "tuning.db";
    codegen::TuningDatabase(path).put(record(0));
    for (const char* rest : {".new", ".new-journal", ".mirror.new", ".mirror.new-journal"})
        write_bytes(path + rest, "half");
    codegen::TuningDatabase(path).put(record(1));
    for (const std::string& name : names_in(folder.path())) {
        INFO(name);
        CHECK(is_expected(name));
    }
    CHECK(read_records(path) == sorted({record(0), record(1)}));
}

}  // namespace disk_faults_test

// SPDX-License-Identifier: MIT
#include "tuning_helpers.hpp"

#include <random>

namespace database_faults_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

/// The two files of a database.
struct Pair { std::string main, mirror; };

Pair bytes_of_both(const std::string& path) {
    return {.main = bytes_of_file(path), .mirror = bytes_of_file(path + ".mirror")};
}

void lay_down(const std::string& path, const Pair& bytes) {
    for (const char* rest : {"", ".mirror"})
        for (const char* more : {"", ".damaged", "-journal", "-wal", "-shm"})
            std::filesystem::remove(path + rest + more);
    write_bytes(path, bytes.main);
    write_bytes(path + ".mirror", bytes.mirror);
}

void flip(std::string& bytes, std::mt19937& random) {
    char& byte = bytes[random() % bytes.size()];
    byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1 + random() % 255));
}

/// Flips a byte, `times` times from the start, in one of the two files.
void flip_bytes(int times) {
    const Folder folder;
    const std::string path = folder / "tuning.db";
    const auto wanted = records(60);
    {
        codegen::TuningDatabase database(path);
        for (const codegen::TuningRecord& one : wanted) database.put(one);
    }
    const Pair whole = bytes_of_both(path);
    std::mt19937 random(6);
    int noticed = 0;
    for (int i = 0; i < times; ++i) {
        Pair damaged = whole;
        flip(random() % 2 == 0 ? damaged.main : damaged.mirror, random);
        lay_down(path, damaged);
        INFO("flip " << i);
        REQUIRE(read_records(path) == wanted);
        const codegen::TuningDatabase repaired(path);
        REQUIRE(repaired.can_write());
        REQUIRE(sorted(repaired.records()) == wanted);
        noticed += repaired.messages().empty() ? 0 : 1;
        const codegen::TuningDatabase again(path);
        REQUIRE(again.messages().empty());
        REQUIRE(sorted(again.records()) == wanted);
    }
    UNSCOPED_INFO(noticed << " of " << times << " flips lay where something stands");
    CHECK(noticed > times / 4);
    if (times >= 1000) WARN(times << " flips, " << noticed << " of them noticed; no record lost or wrong");
}

}  // namespace

TEST_CASE("a byte that changes in either file loses no record and changes none", "[tuning]") {
    flip_bytes(60);
}
TEST_CASE("a thousand bytes, one at a time, change in either file without loss", "[.full]") {
    flip_bytes(1000);
}

TEST_CASE("files with many wrong bytes give no wrong record", "[tuning]") {
    const Folder folder;
    const std::string path = folder / "tuning.db";
    const auto wanted = records(60);
    {
        codegen::TuningDatabase database(path);
        for (const codegen::TuningRecord& one : wanted) database.put(one);
    }
    const Pair whole = bytes_of_both(path);
    std::mt19937 random(7);
    for (int i = 0; i < 20; ++i) {
        Pair damaged = whole;
        for (int k = 0; k < 30; ++k) {
            // The first bytes say that they are databases: without them both would be somebody else's.
            std::string main = damaged.main.substr(100), mirror = damaged.mirror.substr(100);
            flip(main, random);
            flip(mirror, random);
            damaged = {damaged.main.substr(0, 100) + main, damaged.mirror.substr(0, 100) + mirror};
        }
        lay_down(path, damaged);
        for (const codegen::TuningRecord& one : codegen::TuningDatabase(path).records())
            REQUIRE(std::ranges::count(wanted, one) == 1);
        REQUIRE(codegen::TuningDatabase(path).messages().empty());
    }
}

TEST_CASE("a writer that was killed between the two files loses nothing when the first one goes",
          "[tuning]") {
    const Folder folder;
    const std::string path = folder / "tuning.db";
    codegen::TuningDatabase(path).put(record(1, 1));
    const std::string mirror_before = bytes_of_file(path + ".mirror");
    codegen::TuningDatabase(path).put(record(1, 2));
    write_bytes(path + ".mirror", mirror_before);
    CHECK(codegen::TuningDatabase(path).records() == std::vector{record(1, 2)});
    std::filesystem::remove(path);
    CHECK(read_records(path) == std::vector{record(1, 2)});
}

TEST_CASE("a file that is cut, emptied, overwritten or gone comes back from its mirror", "[tuning]") {
    const Folder folder;
    const std::string path = folder / "tuning.db";
    const auto wanted = records(30);
    {
        codegen::TuningDatabase database(path);
        for (const codegen::TuningRecord& one : wanted) database.put(one);
    }
    for (const char* which : {"", ".mirror"}) {
        const std::string file = path + which, bytes = bytes_of_file(file);
        for (const std::string& instead :
             {std::string(), std::string("no database"), bytes.substr(0, 5000), std::string(9000, '\0')}) {
            write_bytes(file, instead);
            CHECK(read_records(path) == wanted);
            CHECK(sorted(codegen::TuningDatabase(path).records()) == wanted);
            CHECK(codegen::TuningDatabase(path).messages().empty());
        }
        std::filesystem::remove(file);
        CHECK(read_records(path) == wanted);
        CHECK(sorted(codegen::TuningDatabase(path).records()) == wanted);
        CHECK(std::filesystem::exists(file));
    }
}

}  // namespace database_faults_test

// SPDX-License-Identifier: MIT
#include "../../../codegen/disk_cache/loop_folder.hpp"
#include "../../support/folder.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <random>

#include <fcntl.h>
#include <sys/stat.h>

namespace loop_files_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

/// The entry of a key, as large as the entries of steps.
codegen::LoopEntry entry(const std::string& key) {
    codegen::LoopEntry made{.key = key, .name = "adagrad", .loops = "skip tile=64", .target = "cpu"};
    std::mt19937 random(1);
    for (int i = 0; i < 15'000; ++i) made.object += static_cast<char>(random() & 0xffU);
    made.notes = {2, -1, std::int64_t{1} << 40};
    return made;
}

std::string path_of(const codegen::LoopFolder& folder, const std::string& key) {
    return folder.path() + "/" + codegen::loop_file_name(key);
}

/// Flips bits of one byte, `times` times from the start; returns how many of these files were loaded.
int loaded_of_flipped(int times) {
    const Folder place;
    const codegen::LoopFolder folder(place / "jit");
    const std::string whole = codegen::to_bytes(entry("a key"));
    std::mt19937 random(2);
    int loaded = 0;
    for (int i = 0; i < times; ++i) {
        std::string damaged = whole;
        char& byte = damaged[i < 300 ? static_cast<std::size_t>(i) : random() % damaged.size()];
        byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1 + random() % 255));
        write_bytes(path_of(folder, "a key"), damaged);
        if (folder.find("a key")) ++loaded;
        REQUIRE(!std::filesystem::exists(path_of(folder, "a key")));
    }
    return loaded;
}

}  // namespace

TEST_CASE("loops come back from the disk as they were", "[disk_cache]") {
    const Folder place;
    const codegen::LoopFolder folder(place / "jit");
    CHECK(!folder.find("a key"));
    for (const std::string& key : {std::string("a key"), std::string("with \0 and \n", 11), std::string()}) {
        REQUIRE(folder.keep(entry(key)) == "");
        CHECK(folder.find(key) == entry(key));
    }
    const codegen::LoopEntry empty{.key = "empty"};
    REQUIRE(folder.keep(empty) == "");
    CHECK(folder.find("empty") == empty);
    CHECK(folder.files().size() == 4);
}

TEST_CASE("a file with one wrong byte is not loaded, and removed", "[disk_cache]") {
    CHECK(loaded_of_flipped(1000) == 0);
}
TEST_CASE("of ten thousand files with one wrong byte none is loaded", "[.full]") {
    const int loaded = loaded_of_flipped(10'000);
    WARN("10000 files with a wrong byte, " << loaded << " loaded");
    CHECK(loaded == 0);
}

TEST_CASE("a file that is cut, longer, empty, of another kind or no file is not loaded", "[disk_cache]") {
    const Folder place;
    const codegen::LoopFolder folder(place / "jit");
    const std::string whole = codegen::to_bytes(entry("a key")), path = path_of(folder, "a key");
    for (std::size_t length = 0; length < whole.size(); length += 1 + length / 7) {
        write_bytes(path, whole.substr(0, length));
        INFO(length);
        CHECK(!folder.find("a key"));
        CHECK(!std::filesystem::exists(path));
    }
    for (const std::string& instead : {whole + "x",
                                       std::string("\x7f"
                                                   "ELF"),
                                       std::string(20'000, '\0')}) {
        write_bytes(path, instead);
        CHECK(!folder.find("a key"));
    }
    write_bytes(place / "elsewhere", whole);
    std::filesystem::create_symlink(place / "elsewhere", path);
    CHECK(!folder.find("a key"));
    std::filesystem::remove(path);
    std::filesystem::create_directory(path);
    CHECK(!folder.find("a key"));
    REQUIRE(mkfifo((path + "x").c_str(), 0600) == 0);
    std::filesystem::remove(path);
    std::filesystem::rename(path + "x", path);
    CHECK(!folder.find("a key"));
}

TEST_CASE("loops of another key are not loaded, though they lie where this one's would", "[disk_cache]") {
    const Folder place;
    const codegen::LoopFolder folder(place / "jit");
    REQUIRE(folder.keep(entry("another key")) == "");
    std::filesystem::rename(path_of(folder, "another key"), path_of(folder, "a key"));
    CHECK(!folder.find("a key"));
    CHECK(folder.files().empty());
}

TEST_CASE("what was not used for longest is dropped when there is too much", "[disk_cache]") {
    const Folder place;
    const codegen::LoopFolder folder(place / "jit");
    constexpr int count = 20;
    const auto key = [](int i) { return "key " + std::to_string(100 + i); };
    for (int i = 0; i < count; ++i) {
        REQUIRE(folder.keep(entry(key(i))) == "");
        const timespec then{.tv_sec = 1'700'000'000 + i, .tv_nsec = 0};
        const timespec both[] = {then, then};
        REQUIRE(utimensat(AT_FDCWD, path_of(folder, key(i)).c_str(), both, 0) == 0);
    }
    CHECK(folder.find(key(0)));  // used now
    const auto each = static_cast<std::int64_t>(codegen::to_bytes(entry(key(0))).size());
    folder.trim(each * (count + 1));
    CHECK(folder.files().size() == count);
    folder.trim(each * 12);
    CHECK(folder.files().size() == 9);
    CHECK(folder.find(key(0)));
    CHECK(folder.find(key(count - 1)));
    CHECK(!folder.find(key(1)));
    CHECK(!folder.find(key(10)));
}

TEST_CASE("clearing removes loops, and what killed processes left, and nothing else", "[disk_cache]") {
    const Folder place;
    const codegen::LoopFolder folder(place / "jit");
    REQUIRE(folder.keep(entry("a key")) == "");
    REQUIRE(folder.keep(entry("another key")) == "");
    write_bytes(folder.path() + "/.frisket.new.1.2", "half");
    write_bytes(folder.path() + "/notes.txt", "somebody's");
    CHECK(folder.clear() == 2);
    CHECK(folder.files().empty());
    CHECK(!std::filesystem::exists(folder.path() + "/.frisket.new.1.2"));
    CHECK(std::filesystem::exists(folder.path() + "/notes.txt"));
}

TEST_CASE("keeping loops removes what killed processes left", "[disk_cache]") {
    const Folder place;
    const codegen::LoopFolder folder(place / "jit");
    write_bytes(folder.path() + "/.frisket.new.1.2", "half");
    REQUIRE(folder.keep(entry("a key")) == "");
    CHECK(names_in(folder.path()) == std::vector<std::string>{codegen::loop_file_name("a key")});
}

}  // namespace loop_files_test

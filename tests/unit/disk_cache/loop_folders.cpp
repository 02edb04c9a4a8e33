// SPDX-License-Identifier: MIT
#include "../../../codegen/disk_cache/loop_folder.hpp"
#include "../../../runtime/tensor/error.hpp"
#include "../../support/folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <sys/stat.h>
#include <unistd.h>

namespace loop_folders_test {

using namespace frisket;
using namespace frisket::testing;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

void refuses(const std::string& path, const std::string& sentence) {
    for (const auto access : {codegen::LoopFolder::Access::read, codegen::LoopFolder::Access::write})
        CHECK_THROWS_MATCHES(codegen::LoopFolder(path, access), IoError,
                             MessageMatches(ContainsSubstring(sentence)));
}

unsigned mode_of(const std::string& path) {
    struct stat status{};
    REQUIRE(stat(path.c_str(), &status) == 0);
    return status.st_mode & 07777U;
}

}  // namespace

TEST_CASE("the folder of loops is made for its user alone, with those above it", "[disk_cache]") {
    const Folder place;
    const std::string path = place / "a/b/jit";
    CHECK_THROWS_AS(codegen::LoopFolder(path, codegen::LoopFolder::Access::read), IoError);
    const codegen::LoopFolder folder(path);
    CHECK(mode_of(path) == 0700);
    REQUIRE(folder.keep({.key = "a key"}) == "");
    CHECK(mode_of(path + "/" + codegen::loop_file_name("a key")) == 0600);
}

TEST_CASE("a folder that others may write is refused, through a symbolic link as well", "[disk_cache]") {
    const Folder place;
    const std::string path = place / "jit", link = place / "link";
    std::filesystem::create_directory(path);
    std::filesystem::create_directory_symlink(path, link);
    for (const mode_t mode : {0777U, 0770U, 0702U, 01777U}) {
        REQUIRE(chmod(path.c_str(), mode) == 0);
        refuses(path, "may be written by others");
        refuses(link, "may be written by others");
    }
    for (const mode_t mode : {0755U, 0700U}) {
        REQUIRE(chmod(path.c_str(), mode) == 0);
        CHECK_NOTHROW(codegen::LoopFolder(path));
        CHECK_NOTHROW(codegen::LoopFolder(link));
    }
}

TEST_CASE("a folder of another user's is refused, through a symbolic link as well", "[disk_cache]") {
    const Folder place;
    const std::string path = place / "jit", link = place / "link";
    std::filesystem::create_directory(path);
    std::filesystem::create_directory_symlink(path, link);
    constexpr uid_t nobody = 65534;
    if (chown(path.c_str(), nobody, nobody) != 0) SKIP("only root can give a folder away");
    REQUIRE(chmod(path.c_str(), 0700) == 0);
    refuses(path, "belongs to another user");
    refuses(link, "belongs to another user");
}

TEST_CASE("what is no folder is refused", "[disk_cache]") {
    const Folder place;
    write_bytes(place / "file", "text");
    refuses(place / "file", "cannot be");
    refuses("/proc/jit", "cannot be");
}

}  // namespace loop_folders_test

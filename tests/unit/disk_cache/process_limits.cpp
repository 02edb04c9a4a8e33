// SPDX-License-Identifier: MIT
// What processes get that may write nothing, open nothing, or end at once: the same bytes, and nothing else.
#include "../../../codegen/representation.hpp"
#include "../../support/child.hpp"
#include "../../support/folder.hpp"
#include "../../support/random.hpp"

#include <frisket/frisket.hpp>

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <bit>
#include <cstring>
#include <random>

#include <fcntl.h>
#include <spawn.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

namespace process_limits_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr InOut<"param"> param;
constexpr Masked<"grad"> grad;
constexpr auto descent = step<"descent">(param -= 0.25f * exp(grad));

/// A limit of this process, from a variable, if there is one.
void limit(const char* variable, int resource, rlim_t more) {
    const char* const text = std::getenv(variable);
    if (text == nullptr) return;
    const rlim_t most = std::strtoul(text, nullptr, 10) + more;
    const rlimit both{.rlim_cur = most, .rlim_max = most};
    REQUIRE(setrlimit(static_cast<__rlimit_resource>(resource), &both) == 0);
}

/// The least number that no open file has.
rlim_t open_files() {
    const int next = open("/dev/null", O_RDONLY | O_CLOEXEC);
    REQUIRE(next >= 0);
    close(next);
    return static_cast<rlim_t>(next);
}

/// Output of a child that calls a step.
std::string said(const std::string& environment) {
    const ChildResult child = run_child("child: a step is called within limits", environment);
    INFO(environment << "\n" << child.output.substr(0, 3000));
    CHECK(child.status == 0);
    const auto begin = child.output.find("begin\n"), end = child.output.find("end\n");
    CHECK(begin != std::string::npos);
    CHECK(end != std::string::npos);
    return child.output.substr(begin, end - begin);
}

/// A small file system, full but for a few bytes; absent if none may be made.
class FullFolder {
public:
    FullFolder() : is_there_(mount("tmpfs", folder_.path().c_str(), "tmpfs", 0, "size=16k") == 0) {
        if (is_there_) write_bytes(folder_ / "all", std::string(std::size_t{1} << 20U, 'x'));
    }
    ~FullFolder() {
        if (is_there_) umount(folder_.path().c_str());
    }
    FullFolder(const FullFolder&) = delete;
    FullFolder& operator=(const FullFolder&) = delete;
    bool is_there() const { return is_there_; }
    const Folder& folder() const { return folder_; }

private:
    Folder folder_;
    bool is_there_;
};

/// Compiled loops that are stored; fails if there is anything else.
int kept_in(const std::string& folder) {
    int loops = 0;
    for (const std::string& name : names_in(folder)) {
        INFO(name);
        CHECK(name.ends_with(".loops"));
        ++loops;
    }
    return loops;
}

}  // namespace

TEST_CASE("child: a step is called within limits", "[.]") {
    const Tensor<float> p = full<float>({300, 4}, 1);
    const auto g = random_masked<float>({300, 4}, specified(0.5), Layout::bitmask, 3);
    limit("LIMIT_BYTES", RLIMIT_FSIZE, 0);
    limit("LIMIT_FILES", RLIMIT_NOFILE, open_files());
    std::printf("begin\n");
    std::fflush(stdout);
    jit(descent)(param = p, grad = g);
    for (const float value : std::span(p.data(), static_cast<std::size_t>(p.size())))
        std::printf("%08x", std::bit_cast<std::uint32_t>(value));
    std::printf("\nend\n");
}

TEST_CASE("a step gives the same bytes and prints nothing, whatever its process may write or open",
          "[disk_cache][full]") {
    const Folder place;
    const std::string temporary = place / "tmp", cache = " FRISKET_CACHE_DIR=" + place / "jit";
    std::filesystem::create_directory(temporary);
    const std::string wanted = said("FRISKET_CACHE_DIR=off");
    CHECK(wanted.size() > 20);
    for (const char* where : {"/dev/null", "/none/there", "/proc", temporary.c_str()})
        CHECK(said("TMPDIR=" + std::string(where) + " FRISKET_CACHE_DIR=" + place / std::to_string(*where)) ==
              wanted);
    for (const char* home : {"/proc", "/dev/null", "/none/there"})
        CHECK(said("FRISKET_CACHE_DIR= XDG_CACHE_HOME= HOME=" + std::string(home)) == wanted);
    for (const int bytes : {0, 100, 4096, 20'000, 1 << 20}) {
        CHECK(said("LIMIT_BYTES=" + std::to_string(bytes) + " TMPDIR=" + temporary + cache) == wanted);
        kept_in(place / "jit");
    }
    std::filesystem::remove_all(place / "jit");
    for (const int files : {0, 1, 2, 3, 4, 5, 6, 8, 12, 20}) {
        CHECK(said("LIMIT_FILES=" + std::to_string(files) + " TMPDIR=" + temporary + cache) == wanted);
        kept_in(place / "jit");
    }
    CHECK(names_in(temporary).empty());
}

TEST_CASE("a step gives the same bytes and prints nothing where the disk is full", "[disk_cache]") {
    const Folder place;
    const FullFolder full;
    if (!full.is_there()) SKIP("no small file system can be made here: " << std::strerror(errno));
    const std::string wanted = said("FRISKET_CACHE_DIR=off"), path = full.folder().path().string();
    CHECK(said("TMPDIR=" + path + " FRISKET_CACHE_DIR=" + place / "jit") == wanted);
    CHECK(kept_in(place / "jit") > 0);
    CHECK(said("FRISKET_CACHE_DIR=" + path + "/jit TMPDIR=" + place.path().string()) == wanted);
    CHECK(said("FRISKET_CACHE_DIR= XDG_CACHE_HOME= HOME=" + path + " TMPDIR=" + path) == wanted);
    for (const std::string& name : names_in(full.folder().path()))
        CHECK((name == "all" || name == "jit" || name == ".cache"));
    if (std::filesystem::exists(path + "/jit")) CHECK(names_in(path + "/jit").empty());
}

namespace {

/// This program with a hidden test, in the background and without words.
pid_t started(const std::string& test, std::vector<std::string> variables) {
    for (char** variable = environ; *variable != nullptr; ++variable) variables.emplace_back(*variable);
    std::vector<char*> words;
    for (std::string& variable : variables) words.push_back(variable.data());
    words.push_back(nullptr);
    std::string path = "/proc/self/exe", name = "child: " + test;
    std::array<char*, 3> argv{path.data(), name.data(), nullptr};
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    for (const int file : {STDOUT_FILENO, STDERR_FILENO})
        posix_spawn_file_actions_addopen(&files, file, "/dev/null", O_WRONLY, 0);
    pid_t process = -1;
    REQUIRE(posix_spawn(&process, path.c_str(), &files, nullptr, argv.data(), words.data()) == 0);
    posix_spawn_file_actions_destroy(&files);
    return process;
}

}  // namespace

TEST_CASE("processes that are killed at any moment of their first call leave nothing behind",
          "[disk_cache]") {
    const Folder place;
    std::filesystem::create_directory(place / "tmp");
    std::mt19937 random(11);
    for (int i = 0; i < 30; ++i) {
        const std::string cache = place / ("jit" + std::to_string(i % 3));
        const pid_t process = started("a step is called within limits",
                                      {"TMPDIR=" + place / "tmp", "FRISKET_CACHE_DIR=" + cache});
        usleep(random() % 250'000);
        kill(process, SIGKILL);
        int status = 0;
        REQUIRE(waitpid(process, &status, 0) == process);
    }
    CHECK(names_in(place / "tmp").empty());
    for (int i = 0; i < 3; ++i) {
        const std::string cache = place / ("jit" + std::to_string(i));
        said("FRISKET_CACHE_DIR=" + cache);
        CHECK(kept_in(cache) > 0);
    }
}

TEST_CASE("child: the assembly of a step is shown within limits", "[.]") {
    const Graph step = describe(descent);
    limit("LIMIT_BYTES", RLIMIT_FSIZE, 0);
    limit("LIMIT_FILES", RLIMIT_NOFILE, open_files());
    try {
        const std::string text = codegen::representation_text(step, codegen::Representation::assembly,
                                                              Strategy::skip, find_target({}));
        std::printf("%s\n", text.find("descent") != std::string::npos ? "shown" : "wrong");
    } catch (const IoError& error) { std::printf("refused: %s\n", error.what()); }
}

TEST_CASE("the assembly of a step is shown or refused, whatever its process may write or open",
          "[disk_cache]") {
    const auto is_shown = [](const std::string& environment) {
        const ChildResult child =
            run_child("child: the assembly of a step is shown within limits", environment);
        INFO(environment << "\n" << child.output);
        CHECK(child.status == 0);
        const int shown = count_of(child.output, "shown\n");
        CHECK(shown + count_of(child.output, "refused: frisket: a") == 1);
        return shown == 1;
    };
    CHECK(is_shown("TMPDIR=/dev/null"));
    for (const int files : {0, 1, 2, 3})
        CHECK(is_shown("LIMIT_FILES=" + std::to_string(files)) == (files > 1));
    for (const int bytes : {0, 100'000}) CHECK(!is_shown("LIMIT_BYTES=" + std::to_string(bytes)));
}

}  // namespace process_limits_test

// SPDX-License-Identifier: MIT
// Other files at the path of a saved file: rights, links, and rests of killed writers.
#include "../../../runtime/io/file.hpp"
#include "../../../runtime/io/tensor_files.hpp"
#include "../../support/folder.hpp"
#include "../../support/matchers.hpp"

#include <csignal>
#include <random>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace saved_files_test {

using namespace frisket;
using namespace frisket::testing;
namespace fs = std::filesystem;

namespace {

struct stat status_of(const std::string& path) {
    struct stat status{};
    REQUIRE(lstat(path.c_str(), &status) == 0);
    return status;
}

unsigned mode_of(const std::string& path) { return status_of(path).st_mode & 07777U; }

/// The umask of the process, for a while: rights that new files do not get.
class Mask {
public:
    explicit Mask(mode_t mask) : before_(umask(mask)) {}
    ~Mask() { umask(before_); }
    Mask(const Mask&) = delete;
    Mask& operator=(const Mask&) = delete;

private:
    mode_t before_;
};

float loaded(const std::string& path) { return load_npy<float>(path).data()[0]; }
Tensor<float> filled(float value) { return full<float>({1000}, value); }

/// A process that writes half of a file, prints so, and waits.
pid_t half_way(const std::string& path) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t process = fork();
    REQUIRE(process >= 0);
    if (process == 0) {
        runtime::FileWriter file("a test", path);
        file.write("half", 4);
        if (write(ends[1], "x", 1) != 1) _exit(1);
        for (;;) pause();
    }
    char word = 0;
    REQUIRE(read(ends[0], &word, 1) == 1);
    for (const int end : ends) close(end);
    return process;
}

void end(pid_t process) {
    kill(process, SIGKILL);
    int status = 0;
    REQUIRE(waitpid(process, &status, 0) == process);
}

}  // namespace

TEST_CASE("a file that is replaced keeps its rights, and is at no time open to more") {
    const Folder folder;
    const std::string path = folder / "a.npy";
    const Mask mask(022);
    save_npy(path, filled(0));
    CHECK(mode_of(path) == 0644);
    for (const mode_t mode : {0600U, 0640U, 0666U, 0444U, 0755U}) {
        INFO(mode);
        REQUIRE(chmod(path.c_str(), mode) == 0);
        runtime::FileWriter half("a test", path);
        for (const std::string& name : names_in(folder.path())) CHECK((mode_of(folder / name) & ~mode) == 0);
        save_npy(path, filled(1));
        CHECK(mode_of(path) == mode);
    }
    CHECK(loaded(path) == 1);
    CHECK(names_in(folder.path()).size() == 1);
    const Mask tight(077);
    save_npy(folder / "b.npy", filled(0));
    CHECK(mode_of(folder / "b.npy") == 0600);
}

TEST_CASE("a file that is replaced keeps its owner, if who saves may give files away") {
    const Folder folder;
    const std::string path = folder / "a.npy";
    constexpr unsigned nobody = 65534;
    save_npy(path, filled(0));
    REQUIRE(chmod(path.c_str(), 0640) == 0);
    if (chown(path.c_str(), nobody, nobody) != 0) SKIP("only root can give a file away");
    save_npy(path, filled(1));
    CHECK(status_of(path).st_uid == nobody);
    CHECK(status_of(path).st_gid == nobody);
    CHECK(mode_of(path) == 0640);
    CHECK(loaded(path) == 1);
}

TEST_CASE("what is saved to a symbolic link becomes the file that it stands for") {
    const Folder folder;
    fs::create_directory(folder / "far");
    fs::create_symlink("far/a.npy", folder / "link");
    fs::create_symlink("link", folder / "second");
    save_npy(folder / "second", filled(1));  // the link pointed to nothing: now there is a file
    CHECK(loaded(folder / "far/a.npy") == 1);
    REQUIRE(chmod((folder / "far/a.npy").c_str(), 0600) == 0);
    save_npy(folder / "link", filled(2));
    CHECK(loaded(folder / "far/a.npy") == 2);
    CHECK(mode_of(folder / "far/a.npy") == 0600);
    CHECK(fs::is_symlink(folder / "link"));
    CHECK(fs::is_symlink(folder / "second"));
    CHECK(names_in(folder.path()).size() == 3);
    CHECK(names_in(folder / "far").size() == 1);
}

TEST_CASE("links in a circle are refused and stay, and so does a path that names no file") {
    const Folder folder;
    fs::create_symlink("b", folder / "a");
    fs::create_symlink("a", folder / "b");
    CHECK_THROWS_MATCHES(save_npy(folder / "a", filled(1)), IoError,
                         Catch::Matchers::MessageMatches(
                             Catch::Matchers::ContainsSubstring("Too many levels of symbolic links")));
    CHECK(fs::is_symlink(folder / "a"));
    CHECK_THROWS_AS(save_npy("", filled(1)), IoError);
    CHECK_THROWS_AS(save_npy(folder / "none/", filled(1)), IoError);
    CHECK(names_in(folder.path()).size() == 2);
}

TEST_CASE("another name of a file keeps what it was when the file is replaced") {
    const Folder folder;
    save_npy(folder / "a.npy", filled(1));
    fs::create_hard_link(folder / "a.npy", folder / "kept.npy");
    save_npy(folder / "a.npy", filled(2));
    CHECK(loaded(folder / "a.npy") == 2);
    CHECK(loaded(folder / "kept.npy") == 1);
}

TEST_CASE("a save leaves alone what a living process writes, and removes what a killed one left") {
    const Folder folder;
    const std::string path = folder / "a.npy";
    const pid_t one = half_way(path), other = half_way(folder / "b.npy");
    save_npy(path, filled(1));
    CHECK(names_in(folder.path()).size() == 3);
    end(one);
    write_bytes(folder / ".frisket.newer", "somebody's");
    save_npy(path, filled(2));
    CHECK(names_in(folder.path()).size() == 3);
    end(other);
    save_npy(path, filled(3));
    CHECK(names_in(folder.path()) == std::vector<std::string>{".frisket.newer", "a.npy"});
}

TEST_CASE("a writer that is killed at any moment leaves a whole file, and nothing beside it for long") {
    const Folder folder;
    const std::string path = folder / "a.npy";
    save_npy(path, filled(0));
    std::mt19937 random(5);
    for (int i = 0; i < 40; ++i) {
        const pid_t writer = fork();
        REQUIRE(writer >= 0);
        if (writer == 0)
            for (float value = 1;; ++value) save_npy(path, full<float>({100'000}, value));
        usleep(random() % 10'000);
        end(writer);
        const Tensor<float> found = load_npy<float>(path);
        REQUIRE(same(found, full<float>(found.shape(), found.data()[0])));
    }
    save_npy(path, filled(1));
    CHECK(names_in(folder.path()).size() == 1);
}

TEST_CASE("a save beyond the limit on the size of files is refused, and ends no process") {
    const Folder folder;
    const std::string path = folder / "a.npy";
    save_npy(path, filled(1));
    const pid_t writer = fork();
    REQUIRE(writer >= 0);
    if (writer == 0) {
        const rlimit limit{.rlim_cur = 1000, .rlim_max = 1000};
        if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(2);
        try {
            save_npy(path, filled(2));
        } catch (const IoError& error) {
            _exit(std::string(error.what()).find("too large") != std::string::npos ? 7 : 3);
        }
        _exit(4);
    }
    int status = 0;
    REQUIRE(waitpid(writer, &status, 0) == writer);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 7);
    CHECK(loaded(path) == 1);
    CHECK(names_in(folder.path()).size() == 1);
}

}  // namespace saved_files_test

// SPDX-License-Identifier: MIT
#include "tuning_helpers.hpp"

#include <poll.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <thread>

namespace database_processes_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr int keys = 20;

/// A process that does something, and prints numbers meanwhile.
class Child {
public:
    using Say = std::function<void(int)>;
    explicit Child(const std::function<void(const Say&)>& work) {
        std::array<int, 2> ends{};
        REQUIRE(pipe(ends.data()) == 0);
        process_ = fork();
        REQUIRE(process_ >= 0);
        if (process_ == 0) {
            int status = 0;
            try {
                work([&](int number) {
                    if (write(ends[1], &number, sizeof number) != sizeof number) _exit(3);
                });
            } catch (const Error&) { status = 2; }
            _exit(status);
        }
        close(ends[1]);
        hears_ = ends[0];
    }
    /// Waits until it has printed something.
    void wait_for_word() const {
        constexpr int patience_ms = 20'000;
        pollfd said{.fd = hears_, .events = POLLIN, .revents = 0};
        poll(&said, 1, patience_ms);
    }
    void kill() const { ::kill(process_, SIGKILL); }
    /// Waits for its end; returns its output.
    std::vector<int> end() {
        std::vector<int> said;
        for (int number = 0; read(hears_, &number, sizeof number) == sizeof number;) said.push_back(number);
        close(hears_);
        waitpid(process_, &status_, 0);
        return said;
    }
    int status() const { return WIFEXITED(status_) ? WEXITSTATUS(status_) : -1; }

private:
    pid_t process_ = -1;
    int hears_ = -1;
    int status_ = 0;
};

/// Stores records numbered from `first` on, and prints each that is stored.
void put_from(const std::string& path, int first, int end, const Child::Say& say) {
    codegen::TuningDatabase database(path);
    for (int i = first; i < end; ++i) {
        database.put(record(i % keys, i));
        say(i);
    }
}

/// Checks a database that was written in order up to `last`, and perhaps one further: each key has the last
/// record that was printed, or the further one.
void check_written(const std::vector<codegen::TuningRecord>& found, int last) {
    REQUIRE(static_cast<int>(found.size()) >= std::min(last + 1, keys));
    for (const codegen::TuningRecord& one : found) {
        const auto number = static_cast<int>(one.found_at - record(0).found_at);
        REQUIRE(number > last - keys);
        REQUIRE(number <= last + 1);
        REQUIRE(one == record(number % keys, number));
    }
}

void kill_writers(int times) {
    const Folder folder;
    const std::string path = folder / "tuning.db";
    std::mt19937 random(8);
    int last = -1, committed = 0, with_journal = 0;
    for (int i = 0; i < times; ++i) {
        Child writer([&](const Child::Say& say) { put_from(path, last + 1, 1 << 30, say); });
        if (i % 3 == 0) writer.wait_for_word();
        usleep(random() % 40'000);
        writer.kill();
        const std::vector<int> said = writer.end();
        committed += static_cast<int>(said.size());
        if (!said.empty()) last = said.back();
        with_journal +=
            std::filesystem::exists(path + "-journal") || std::filesystem::exists(path + ".mirror-journal");
        INFO("kill " << i);
        const codegen::TuningDatabase database(path, i % 2 == 0 ? codegen::TuningDatabase::Access::read
                                                                : codegen::TuningDatabase::Access::write);
        check_written(database.records(), last);
        for (const std::string& message : database.messages()) WARN(message);
        REQUIRE(database.messages().empty());
    }
    CHECK(committed > 0);
    if (times >= 500)
        WARN(times << " kills, " << with_journal << " within a transaction, " << committed
                   << " records committed; none lost or wrong");
}

/// Becomes a user without rights, if this is one with all.
void drop_rights() {
    constexpr unsigned nobody = 65534;
    if (geteuid() == 0 && (setegid(nobody) != 0 || seteuid(nobody) != 0)) _exit(4);
}

}  // namespace

TEST_CASE("a writer that is killed at any moment loses nothing that it kept", "[tuning]") {
    kill_writers(25);
}
TEST_CASE("five hundred writers are killed without loss", "[.full]") { kill_writers(500); }

TEST_CASE("eight processes write at once, and all that they keep is there", "[tuning]") {
    const Folder folder;
    const std::string path = folder / "tuning.db";
    constexpr int writers = 8, each = 6;
    std::vector<Child> all;
    for (int writer = 0; writer < writers; ++writer)
        all.emplace_back([&, writer](const Child::Say& say) {
            codegen::TuningDatabase database(path);
            for (int i = 0; i < each; ++i) {
                database.put(record(writer * each + i));
                database.put(record(1000, writer * each + i));  // one that all write
                say(i);
            }
        });
    for (Child& writer : all) {
        CHECK(writer.end().size() == each);
        CHECK(writer.status() == 0);
    }
    const codegen::TuningDatabase database(path);
    CHECK(database.messages().empty());
    const std::vector<codegen::TuningRecord> found = database.records();
    CHECK(found.size() == writers * each + 1);
    for (const codegen::TuningRecord& one : records(writers * each))
        CHECK(std::ranges::count(found, one) == 1);
}

TEST_CASE("threads write at once, each through an object of its own", "[tuning]") {
    const Folder folder;
    const std::string path = folder / "tuning.db";
    constexpr int writers = 4, each = 5;
    std::vector<std::jthread> all;
    for (int writer = 0; writer < writers; ++writer)
        all.emplace_back([&, writer] {
            for (int i = 0; i < each; ++i) codegen::TuningDatabase(path).put(record(writer * each + i));
        });
    all.clear();
    CHECK(read_records(path) == records(writers * each));
    CHECK(codegen::TuningDatabase(path).messages().empty());
}

TEST_CASE("a writer that may write no more bytes loses nothing that it kept", "[tuning]") {
    const Folder folder;
    const std::string path = folder / "tuning.db";
    for (const rlim_t room : {0, 100, 4096, 20'000, 30'000}) {
        std::filesystem::remove(path);
        std::filesystem::remove(path + ".mirror");
        codegen::TuningDatabase(path).put(record(0));
        Child writer([&](const Child::Say& say) {
            std::signal(SIGXFSZ, SIG_IGN);
            const rlimit limit{.rlim_cur = room, .rlim_max = room};
            if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(4);
            const codegen::TuningDatabase opened(path, codegen::TuningDatabase::Access::read);
            if (opened.records().size() == 1) say(0);
            codegen::TuningDatabase database(path);
            for (int i = 1; i < 1000; ++i) {
                database.put(record(i));
                say(i);
            }
        });
        const std::vector<int> said = writer.end();
        INFO(room << " bytes of room, " << said.size() << " records kept");
        CHECK(writer.status() == 2);
        REQUIRE(!said.empty());
        const auto found = read_records(path);
        for (const int key : said) CHECK(std::ranges::count(found, record(key)) == 1);
        CHECK(found.size() <= said.size() + 1);
        codegen::TuningDatabase(path).put(record(2000));
        CHECK(std::ranges::count(read_records(path), record(2000)) == 1);
    }
}

TEST_CASE("a full disk loses nothing that was kept, and can be read", "[tuning]") {
    const Folder folder;
    if (mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=200k") != 0)
        SKIP("no small file system can be made here: " << std::strerror(errno));
    const std::string path = folder / "tuning.db";
    std::vector<int> kept;
    {
        codegen::TuningDatabase database(path);
        for (int i = 0; i < 5000; ++i) try {
                database.put(record(i));
                kept.push_back(i);
            } catch (const IoError&) { break; }
    }
    const auto found = read_records(path);
    const codegen::TuningDatabase opened(path);
    const bool was_full = kept.size() < 5000, is_open = opened.records().size() >= kept.size();
    bool all = true;
    for (const int key : kept) all = all && std::ranges::count(found, record(key)) == 1;
    umount(folder.path().c_str());
    CHECK(was_full);
    CHECK(kept.size() > 10);
    CHECK(is_open);
    CHECK(all);
}

TEST_CASE("a folder that cannot be written is read, and says so", "[tuning]") {
    namespace fs = std::filesystem;
    const Folder folder;
    const std::string path = folder / "tuning.db";
    // A journal that a writer killed within a transaction leaves cannot be rolled back there.
    int last = -1;
    std::mt19937 random(9);
    for (int i = 0; i < 200 && !fs::exists(path + "-journal"); ++i) {
        Child writer([&](const Child::Say& say) { put_from(path, last + 1, 1 << 30, say); });
        usleep(random() % 40'000);
        writer.kill();
        if (const auto said = writer.end(); !said.empty()) last = said.back();
    }
    for (const auto& file : fs::directory_iterator(folder.path()))
        fs::permissions(file, fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read);
    fs::permissions(folder.path(), fs::perms(0555));
    Child reader([&](const Child::Say& say) {
        drop_rights();
        const codegen::TuningDatabase database(path, codegen::TuningDatabase::Access::read);
        for (const codegen::TuningRecord& one : database.records())
            say(static_cast<int>(one.found_at - record(0).found_at));
    });
    const std::vector<int> numbers = reader.end();
    Child writer([&](const Child::Say& say) {
        drop_rights();
        codegen::TuningDatabase database(path);
        say(database.can_write() ? 1 : 0);
        say(static_cast<int>(database.messages().size()));
        say(static_cast<int>(database.records().size()));
        database.put(record(3000));
    });
    const std::vector<int> said = writer.end();
    fs::permissions(folder.path(), fs::perms(0755));
    CHECK(reader.status() == 0);
    CHECK(static_cast<int>(numbers.size()) >= std::min(last + 1, keys));
    for (const int number : numbers) CHECK(number > last - keys);
    CHECK(writer.status() == 2);
    REQUIRE(said.size() == 3);
    CHECK(said[0] == 0);
    CHECK(said[1] >= 1);
    CHECK(said[2] == static_cast<int>(numbers.size()));
}

}  // namespace database_processes_test

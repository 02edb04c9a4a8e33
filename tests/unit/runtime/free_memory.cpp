// SPDX-License-Identifier: MIT
// Free memory, as the system reports it, in folders that replace the system's.
#include "../../../runtime/tensor/free_memory.hpp"
#include "../../../runtime/tensor/memory.hpp"

#include <catch2/catch_test_macros.hpp>

#include <unistd.h>

#include <fstream>
#include <limits>
#include <map>

namespace free_memory_test {

using namespace frisket;

namespace {

constexpr std::int64_t mebi = 1 << 20;

/// The files of a system.
class System {
public:
    explicit System(const std::map<std::string, std::string>& files) {
        for (const auto& [name, text] : files) {
            std::filesystem::create_directories((folder_ / name).parent_path());
            std::ofstream(folder_ / name) << text;
        }
    }
    ~System() { std::filesystem::remove_all(folder_); }
    System(const System&) = delete;
    System& operator=(const System&) = delete;

    runtime::FreeMemory free() const { return runtime::free_memory(folder_); }

private:
    std::filesystem::path folder_ =
        std::filesystem::temp_directory_path() / ("frisket_free_memory_" + std::to_string(getpid()));
};

constexpr const char* machine =
    "MemTotal: 4194304 kB\nMemFree: 5 kB\nMemAvailable:  1048576 kB\nSwapFree: 1024 kB\n";

}  // namespace

TEST_CASE("free memory is what the machine can free, with its swap", "[memory]") {
    trim_result_pool();
    const System system({{"proc/meminfo", machine}, {"proc/stat", ""}});
    CHECK(system.free().bytes == 1025 * mebi);
    CHECK(system.free().limit == "this machine");
}

TEST_CASE("a control group leaves what it does not use or only caches", "[memory]") {
    trim_result_pool();
    const System second({{"proc/meminfo", machine},
                         {"proc/self/cgroup", "0::/outer/inner\n"},
                         {"sys/fs/cgroup/outer/memory.max", "104857600\n"},
                         {"sys/fs/cgroup/outer/memory.current", "94371840\n"},
                         {"sys/fs/cgroup/outer/memory.stat", "anon 1\ninactive_file 20971520\n"},
                         {"sys/fs/cgroup/outer/inner/memory.max", "max\n"},
                         {"sys/fs/cgroup/outer/inner/memory.current", "94371840\n"}});
    CHECK(second.free().bytes == 30 * mebi);
    CHECK(second.free().limit == "the control group of this process");
}

TEST_CASE("a control group of the first version is read as well, and the one that holds it", "[memory]") {
    trim_result_pool();
    const System first({{"proc/meminfo", machine},
                        {"proc/self/cgroup", "5:cpu,cpuacct:/a\n4:memory:/a/b\n"},
                        {"sys/fs/cgroup/memory/memory.limit_in_bytes", "209715200\n"},
                        {"sys/fs/cgroup/memory/memory.usage_in_bytes", "104857600\n"},
                        {"sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n"},
                        {"sys/fs/cgroup/memory/a/b/memory.usage_in_bytes", "5\n"}});
    CHECK(first.free().bytes == 100 * mebi);
}

TEST_CASE("a group that uses more than its limit leaves nothing", "[memory]") {
    trim_result_pool();
    const System full({{"proc/meminfo", machine},
                       {"proc/self/cgroup", "0::/\n"},
                       {"sys/fs/cgroup/memory.max", "1048576\n"},
                       {"sys/fs/cgroup/memory.current", "2097152\n"}});
    CHECK(full.free().bytes == 0);
}

TEST_CASE("a system that says nothing has its memory", "[memory]") {
    const System silent({{"proc/stat", ""}, {"proc/version", ""}});
    CHECK(silent.free().bytes >= mebi);
    CHECK(runtime::free_memory().bytes > 0);
}

TEST_CASE("bytes are printed in units of 1024", "[memory]") {
    CHECK(runtime::bytes_text(0) == "0 bytes");
    CHECK(runtime::bytes_text(1) == "1 byte");
    CHECK(runtime::bytes_text(1023) == "1023 bytes");
    CHECK(runtime::bytes_text(1024) == "1.0 KiB");
    CHECK(runtime::bytes_text(1536) == "1.5 KiB");
    CHECK(runtime::bytes_text(mebi - 1) == "1.0 MiB");
    CHECK(runtime::bytes_text(512 * mebi) == "512.0 MiB");
    CHECK(runtime::bytes_text(std::numeric_limits<std::int64_t>::max()) == "8.0 EiB");
}

}  // namespace free_memory_test

// SPDX-License-Identifier: MIT
#include "free_memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

#include "memory.hpp"

namespace frisket::runtime {

namespace {

using std::filesystem::path;

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

/// The number after a word at the start of a line; nothing if it is missing.
std::optional<std::int64_t> number_after(const path& file, const std::string& word) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::string first;
        std::int64_t number = 0;
        if (words >> first && first == word && words >> number) return number;
    }
    return {};
}

/// The number that a file begins with; nothing if it contains "max".
std::optional<std::int64_t> number_in(const path& file) {
    std::ifstream in(file);
    std::int64_t number = 0;
    if (in >> number) return number;
    return {};
}

std::int64_t of_machine(const path& system) {
    constexpr std::int64_t kibi = 1024;
    const path file = system / "proc/meminfo";
    const auto available = number_after(file, "MemAvailable:");
    if (available) return (*available + number_after(file, "SwapFree:").value_or(0)) * kibi;
    const std::int64_t memory = std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
    return memory > 0 ? memory : unlimited;
}

/// Names of files of a control group, by the version of its interface.
struct GroupFiles { const char *limit, *used, *reclaimed; };
constexpr GroupFiles first_version{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};
constexpr GroupFiles second_version{"memory.max", "memory.current", "inactive_file"};

/// The bytes that a group leaves: files that are cached for it are given up first.
std::int64_t of_group(const path& folder, const GroupFiles& files) {
    const auto limit = number_in(folder / files.limit), used = number_in(folder / files.used);
    if (!limit || !used) return unlimited;
    const std::int64_t cached = number_after(folder / "memory.stat", files.reclaimed).value_or(0);
    return std::max(*limit - std::max(*used - cached, std::int64_t{0}), std::int64_t{0});
}

/// The least that a group and those which contain it leave.
std::int64_t of_groups(const path& root, const path& group, const GroupFiles& files) {
    std::int64_t least = of_group(root, files);
    path folder = root;
    for (const path& name : group.relative_path()) least = std::min(least, of_group(folder /= name, files));
    return least;
}

/// Lines are "4:memory,cpu:/name" in the first version, "0::/name" in the second.
std::int64_t of_control_groups(const path& system) {
    const path mounted = system / "sys/fs/cgroup";
    std::int64_t least = unlimited;
    std::ifstream in(system / "proc/self/cgroup");
    for (std::string line; std::getline(in, line);) {
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        const std::string kinds = "," + line.substr(first + 1, second - first - 1) + ",";
        const path group = line.substr(second + 1);
        if (kinds == ",,")
            least = std::min(least, of_groups(mounted, group, second_version));
        else if (kinds.find(",memory,") != std::string::npos)
            least = std::min(least, of_groups(mounted / "memory", group, first_version));
    }
    return least;
}

/// Bytes that a limit of the process leaves in addition to these pages.
std::int64_t of_limit(int resource, std::int64_t pages) {
    struct rlimit limit{};
    if (::getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0) return unlimited;
    if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > static_cast<rlim_t>(unlimited)) return unlimited;
    const std::int64_t left = static_cast<std::int64_t>(limit.rlim_cur) - pages * ::sysconf(_SC_PAGESIZE);
    return std::max(left, std::int64_t{0});
}

}  // namespace

FreeMemory free_memory(const path& system) {
    FreeMemory free{of_machine(system), "this machine"};
    const auto take = [&](std::int64_t bytes, const char* limit) {
        if (bytes < free.bytes) free = {bytes, limit};
    };
    take(of_control_groups(system), "the control group of this process");
    constexpr std::size_t size = 0, data = 5;
    std::array<std::int64_t, 7> pages{};
    std::ifstream in(system / "proc/self/statm");
    for (std::int64_t& number : pages) in >> number;
    take(of_limit(RLIMIT_AS, pages[size]), "RLIMIT_AS");
    take(of_limit(RLIMIT_DATA, pages[data]), "RLIMIT_DATA");
    if (free.bytes != unlimited) free.bytes += result_pool_use().bytes_kept;
    return free;
}

std::string bytes_text(std::int64_t bytes) {
    constexpr std::array units{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    constexpr double step = 1024;
    if (bytes < static_cast<std::int64_t>(step))
        return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
    auto count = static_cast<double>(bytes) / step;
    std::size_t unit = 0;
    // 1023.95 would be printed as 1024.0.
    for (; count >= step - 0.05 && unit + 1 < units.size(); ++unit) count /= step;
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1f %s", count, units[unit]);
    return text.data();
}

}  // namespace frisket::runtime

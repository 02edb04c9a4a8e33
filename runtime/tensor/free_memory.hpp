// SPDX-License-Identifier: MIT
// Measures the memory that the process can still allocate.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace frisket::runtime {

/// Memory that this process can still take.
struct FreeMemory {
    std::int64_t bytes = 0;
    std::string limit;  ///< "this machine", "the control group of this process", "RLIMIT_AS"
};

/// The least of the machine's free and reclaimable memory (with its swap), the memory that the control groups
/// of the process leave, and the memory that its limits leave.  Memory that the pool of results keeps counts
/// as free.
/// `system`: the folder that has proc and sys.
/// Cost: some files of the system are read.
FreeMemory free_memory(const std::filesystem::path& system = "/");

/// "3 bytes", "512.0 MiB": for people.
std::string bytes_text(std::int64_t bytes);

}  // namespace frisket::runtime

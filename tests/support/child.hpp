// SPDX-License-Identifier: MIT
#pragma once
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>

/// Tests that need a process of their own: values read once (environment, number of threads), and output.
namespace frisket::testing {

struct ChildResult {
    int status = 0;
    std::string output;  ///< stdout and stderr
};

/// Runs a hidden test of this program in another process; `environment` is "NAME=value NAME=value".
inline ChildResult run_child(const std::string& test, const std::string& environment) {
    std::array<char, 4096> path{};
    const auto length = readlink("/proc/self/exe", path.data(), path.size() - 1);
    if (length <= 0) throw std::runtime_error("no path of this program");
    const std::string command = "env " + environment + " '" +
                                std::string(path.data(), static_cast<std::size_t>(length)) + "' '" + test +
                                "' 2>&1";
    FILE* pipe = popen(command.c_str(), "r");
    if (!pipe) throw std::runtime_error("no process for " + test);
    ChildResult result;
    std::array<char, 4096> buffer{};
    for (std::size_t read = 0; (read = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
        result.output.append(buffer.data(), read);
    result.status = pclose(pipe);
    return result;
}

/// Prints "N threads", the count of this process now.
inline void print_threads() {
    int threads = 0;
    for ([[maybe_unused]] const auto& one : std::filesystem::directory_iterator("/proc/self/task")) ++threads;
    std::printf("%d threads\n", threads);
}

/// Number of times that a text occurs in another.
inline int count_of(const std::string& text, const std::string& part) {
    int count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
    return count;
}

}  // namespace frisket::testing

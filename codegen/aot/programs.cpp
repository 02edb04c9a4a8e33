// SPDX-License-Identifier: MIT
#include "programs.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <exception>
#include <thread>

#include "../../runtime/support/joined.hpp"
#include "../../runtime/tensor/error.hpp"

namespace frisket::aot {

ProgramEnd end_of_program(const std::vector<std::string>& command) {
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    pid_t process = 0;
    if (const int error = posix_spawnp(&process, words[0], nullptr, nullptr, words.data(), environ);
        error != 0)
        return {.error = error};
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {}
    return {.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)};
}

void run_program(const std::vector<std::string>& command) {
    const ProgramEnd end = end_of_program(command);
    if (end.error != 0)
        throw IoError("build: " + command[0] + " cannot be started: " + std::strerror(end.error) +
                      ": install g++, or name a compiler of C++20 in CXX");
    if (end.status != 0) throw IoError("build: this command failed: " + runtime::joined(command, {}, " "));
}

void run_programs(const std::vector<std::vector<std::string>>& commands) {
    std::vector<std::exception_ptr> errors(commands.size());
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        for (std::size_t i = next++; i < commands.size(); i = next++) try {
                run_program(commands[i]);
            } catch (...) { errors[i] = std::current_exception(); }
    };
    {
        std::vector<std::jthread> others;
        const std::size_t most = std::max(std::thread::hardware_concurrency(), 1U);
        for (std::size_t i = 1; i < std::min(most, commands.size()); ++i) others.emplace_back(work);
        work();
    }
    for (const std::exception_ptr& error : errors)
        if (error) std::rethrow_exception(error);
}

}  // namespace frisket::aot

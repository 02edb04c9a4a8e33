// SPDX-License-Identifier: MIT
#include "program_end.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace frisket::cli {

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

}  // namespace frisket::cli

// SPDX-License-Identifier: MIT
#include "linker.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include "../../runtime/error.hpp"
#include "loop_runtime_object.hpp"

namespace frisket {

namespace {

namespace fs = std::filesystem;

/// The words of $CC, "ccache gcc" for instance, or cc.
std::vector<std::string> linker_words() {
    const char* const variable = std::getenv("CC");
    std::istringstream text(variable != nullptr ? variable : "");
    std::vector<std::string> words;
    for (std::string word; text >> word;) words.push_back(word);
    if (words.empty()) words.emplace_back("cc");
    return words;
}

/// Runs a program without a shell; what it prints goes into a file.  Gives its exit status.
int run(std::vector<std::string> words, const fs::path& printed) {
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, printed.c_str(), O_WRONLY | O_CREAT, 0600);
    posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    pid_t process = -1;
    const int code = posix_spawnp(&process, argv[0], &files, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    if (code != 0) throw IoError("linker: " + words[0] + " cannot be run: " + std::strerror(code));
    int status = 0;
    while (waitpid(process, &status, 0) < 0)
        // A program may leave the ends of its children to the system: then what was made tells.
        if (errno != EINTR) return 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/// `object`: empty for none.
std::string link(const PassingFolder& folder, const fs::path& object) {
    const fs::path runtime = folder.path() / "runtime.o", library = folder.path() / "loops.so",
                   printed = folder.path() / "printed";
    std::ofstream(runtime, std::ios::binary)
        .write(reinterpret_cast<const char*>(loop_runtime_object), sizeof loop_runtime_object);
    std::vector<std::string> words = linker_words();
    const std::string program = words[0];
    words.insert(words.end(), {"-shared", "-nostartfiles", "-s", "-Wl,-Bsymbolic", "-Wl,-z,defs", "-o",
                               library.string(), runtime.string()});
    if (!object.empty()) words.push_back(object.string());
    words.emplace_back("-lm");
    const int status = run(words, printed);
    std::string bytes = bytes_of_file(library).value_or("");
    if (status == 0 && !bytes.empty()) return bytes;
    const std::string text = bytes_of_file(printed).value_or("");
    throw IoError("linker: " + program + " -shared fails: " + text.substr(0, text.find('\n')));
}

}  // namespace

std::string linker_path() {
    const std::string program = linker_words()[0];
    if (program.find('/') != program.npos) return access(program.c_str(), X_OK) == 0 ? program : "";
    const char* const variable = std::getenv("PATH");
    std::istringstream folders(variable != nullptr ? variable : "");
    for (std::string folder; std::getline(folders, folder, ':');)
        if (const fs::path path = fs::path(folder) / program; access(path.c_str(), X_OK) == 0)
            return path.string();
    return "";
}

std::string linked(const PassingFolder& folder, const fs::path& object) { return link(folder, object); }

const std::string& linker_fault() {
    static const std::string fault = [] {
        if (linker_path().empty()) return "no " + linker_words()[0] + " in PATH";
        try {
            const PassingFolder folder;
            link(folder, {});
        } catch (const std::exception& error) { return std::string(error.what()); }
        return std::string();
    }();
    return fault;
}

}  // namespace frisket

// SPDX-License-Identifier: MIT
#include "compiling_program.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "../codegen/tuning/records/machine.hpp"
#include "../runtime/tensor/error.hpp"

namespace frisket::cli {

namespace {

namespace fs = std::filesystem;

/// Output of a program; empty if it cannot be started.
std::string output_of(std::vector<std::string> command) {
    std::vector<char*> words;
    for (std::string& word : command) words.push_back(word.data());
    words.push_back(nullptr);
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return "";
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t process = 0;
    const int error = posix_spawnp(&process, words[0], &files, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    close(ends[1]);
    std::string text;
    std::array<char, 4096> part{};
    for (ssize_t count = 0; error == 0 && (count = read(ends[0], part.data(), part.size())) != 0;) {
        if (count > 0) text.append(part.data(), static_cast<std::size_t>(count));
        if (count < 0 && errno != EINTR) break;
    }
    close(ends[0]);
    while (error == 0 && waitpid(process, nullptr, 0) < 0 && errno == EINTR) {}
    return text;
}

struct CompilingProgram {
    fs::path path;
    bool is_installed = false;
};

CompilingProgram compiling_program() {
    const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
    const fs::path beside = folder / "frisket-compile";
    if (fs::exists(beside)) return {.path = beside};
    return {.path = folder / FRISKET_COMPILE_PROGRAM, .is_installed = true};
}

/// True if the loader finds libHalide for a program.
bool finds_halide(const fs::path& program) {
    setenv("LD_TRACE_LOADED_OBJECTS", "1", 1);
    const std::string libraries = output_of({program.string()});
    unsetenv("LD_TRACE_LOADED_OBJECTS");
    const auto halide = libraries.find("libHalide");
    return halide == libraries.npos ||
           !libraries.substr(halide, libraries.find('\n', halide) - halide).ends_with("=> not found");
}

/// Puts the folder of libHalide first on the loader's path: the folder of Halide_DIR, else that of the wheel.
void prefer_halide() {
    fs::path folder;
    if (const char* const given = std::getenv("Halide_DIR"); given != nullptr && *given != '\0') {
        folder = fs::path(given) / "../..";
    } else {
        folder = output_of({"python3", "-c",
                            "import importlib.util as u; s = u.find_spec('halide'); "
                            "print(s.submodule_search_locations[0] if s else '', end='')"});
        folder /= "lib64";
    }
    if (!fs::exists(folder / "libHalide.so")) return;
    const char* const before = std::getenv("LD_LIBRARY_PATH");
    const std::string more = before != nullptr && *before != '\0' ? std::string(":") + before : "";
    setenv("LD_LIBRARY_PATH", (folder.string() + more).c_str(), 1);
}

}  // namespace

std::string why_not_compiling() {
    const CompilingProgram program = compiling_program();
    if (!fs::exists(program.path))
        return program.path.string() + " is not there, which compiles: install all of frisket";
    // In a build, the program knows the libHalide that it was linked to.
    if (!program.is_installed && finds_halide(program.path)) return "";
    prefer_halide();
    if (finds_halide(program.path)) return "";
    return "libHalide.so was not found: python3 -m pip install halide==" + codegen::halide_version() +
           ", or name the folder of HalideConfig.cmake in Halide_DIR";
}

void compile_instead(char** argv) {
    if (const std::string why = why_not_compiling(); !why.empty()) throw IoError(why);
    const std::string program = compiling_program().path.string();
    argv[0] = const_cast<char*>(program.c_str());
    execv(argv[0], argv);
    throw IoError(program + " cannot be started: " + std::strerror(errno));
}

}  // namespace frisket::cli

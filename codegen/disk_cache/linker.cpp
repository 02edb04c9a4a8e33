// SPDX-License-Identifier: MIT
#include "linker.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <sstream>
#include <vector>

#include "../../runtime/tensor/error.hpp"
#include "files.hpp"
#include "loop_runtime_object.hpp"

namespace frisket::codegen {

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

/// Files of this process that a started program has.
struct Given {
    std::span<const int> files;  ///< under their own numbers
    int printed;                 ///< takes what it prints
};

/// Runs a program without a shell; nothing if there is no such program.
std::optional<pid_t> start(std::vector<std::string> words, const Given& given) {
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, given.printed, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, given.printed, STDERR_FILENO);
    // Onto itself: from there on it is not closed when the program begins.
    for (const int file : given.files) posix_spawn_file_actions_adddup2(&actions, file, file);
    pid_t process = -1;
    const runtime::NoSizeSignal quiet;
    const int code = posix_spawnp(&process, argv[0], &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (code == ENOENT || code == EACCES || code == ENOEXEC) return {};
    if (code != 0) throw IoError("linker: " + words[0] + " cannot be run: " + std::strerror(code));
    return process;
}

/// The exit status of a program that was started.
int end_of(pid_t process) {
    int status = 0;
    while (waitpid(process, &status, 0) < 0)
        // A program may leave the ends of its children to the system: then what was made tells.
        if (errno != EINTR) return 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/// One way to have what a linker writes, without a file on disk.
enum class Output { memory, pipe };

/// All that comes out of a pipe, until its other end is closed.
std::string bytes_from(const runtime::Descriptor& pipe) {
    std::string bytes;
    std::array<char, 16384> part{};
    for (;;) {
        const ssize_t count = read(pipe.number(), part.data(), part.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return bytes;
        bytes.append(part.data(), static_cast<std::size_t>(count));
    }
}

struct Pipe {
    runtime::Descriptor out, in;
    Pipe() {
        std::array<int, 2> ends{};
        if (pipe2(ends.data(), O_CLOEXEC) != 0)
            throw IoError(std::string("linker: a pipe cannot be made: ") + std::strerror(errno));
        out = runtime::Descriptor(ends[0]);
        in = above_standard(runtime::Descriptor(ends[1]));
    }
};

/// `object`: empty for none.
Linked link(std::string_view object, Output output) {
    const MemoryFile runtime(
        {reinterpret_cast<const char*>(loop_runtime_object), sizeof loop_runtime_object});
    const MemoryFile loops(object), printed;
    std::optional<MemoryFile> library;
    std::optional<Pipe> pipe;
    if (output == Output::memory)
        library.emplace();
    else
        pipe.emplace();
    const int written = library ? library->number() : pipe->in.number();
    std::vector<std::string> words = linker_words();
    const std::string program = words[0];
    words.insert(words.end(), {"-shared", "-nostartfiles", "-s", "-Wl,-Bsymbolic", "-Wl,-z,defs", "-o",
                               "/proc/self/fd/" + std::to_string(written), runtime.path()});
    if (!object.empty()) words.push_back(loops.path());
    words.emplace_back("-lm");
    const std::array files{runtime.number(), loops.number(), written};
    const std::optional<pid_t> process =
        start(std::move(words), {.files = files, .printed = printed.number()});
    if (!process) return {.library = "", .fault = "linker: " + program + " cannot be run"};
    std::string bytes;
    if (pipe) {
        pipe->in = runtime::Descriptor();
        bytes = bytes_from(pipe->out);
    }
    const int status = end_of(*process);
    if (library) bytes = library->bytes();
    if (status == 0 && !bytes.empty()) return {.library = std::move(bytes), .fault = ""};
    const std::string text = printed.bytes();
    return {.library = "",
            .fault = "linker: " + program + " -shared fails: " + text.substr(0, text.find('\n'))};
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

// Linkers of one kind write the parts of a file in any order, which a pipe does not have; those of the other
// write a file beside it and rename that, unless what stands there is no regular file.
Linked linked(std::string_view object) {
    static std::atomic<Output> known{Output::memory};
    const Output first = known, second = first == Output::memory ? Output::pipe : Output::memory;
    Linked made = link(object, first);
    if (made.fault.empty()) return made;
    Linked otherwise = link(object, second);
    if (!otherwise.fault.empty()) return made;
    known = second;
    return otherwise;
}

const std::string& linker_fault() {
    static const std::string fault = [] {
        if (linker_path().empty()) return "no " + linker_words()[0] + " in PATH";
        try {
            return linked({}).fault;
        } catch (const IoError& error) { return std::string(error.what()); }
    }();
    return fault;
}

}  // namespace frisket::codegen

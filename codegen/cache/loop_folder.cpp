// SPDX-License-Identifier: MIT
#include "loop_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <memory>

#include "../../runtime/error.hpp"
#include "../files.hpp"
#include "../user_path.hpp"

namespace frisket {

namespace {

constexpr std::string_view unfinished = ".new.";  // how names of files begin that are being written

struct CloseFile {
    int file;
    ~CloseFile() { close(file); }
};

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
    throw IoError("loops on disk: " + path + " " + why +
                  ": name a folder of your own in FRISKET_CACHE_DIR, or write FRISKET_CACHE_DIR=off");
}

/// Made with its mode, so that at no time others may write it.
void make_folder(const std::string& path) {
    std::error_code error;
    const auto above = std::filesystem::path(path).parent_path();
    if (!above.empty()) std::filesystem::create_directories(above, error);
    if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
        refuse(path, std::string("cannot be made: ") + std::strerror(errno));
}

/// Why a folder's entries may not be run, or an empty text.
std::string why_unsafe(const struct stat& status) {
    if (status.st_uid != geteuid()) return "belongs to another user, and what lies there would be run";
    if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return "may be written by others, and what lies there would be run";
    return "";
}

}  // namespace

std::string loop_folder_path() { return user_path("FRISKET_CACHE_DIR", "frisket/jit"); }

LoopFolder::LoopFolder(std::string path, Access access) : path_(std::move(path)) {
    if (access == Access::write) make_folder(path_);
    folder_ = open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder_ < 0) refuse(path_, std::string("cannot be opened: ") + std::strerror(errno));
    // Of what was opened, whatever its name stands for by now; all that follows goes through it.
    struct stat status{};
    const std::string why = fstat(folder_, &status) == 0 ? why_unsafe(status) : std::strerror(errno);
    if (why.empty()) return;
    close(folder_);
    refuse(path_, why);
}

LoopFolder::~LoopFolder() { close(folder_); }

std::optional<std::string> LoopFolder::bytes_of(const std::string& name) const {
    const int file = openat(folder_, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return {};
    const CloseFile closing{file};
    struct stat status{};
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > most_bytes)
        return std::string();
    std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
    std::size_t got = 0;
    while (got < bytes.size()) {
        const ssize_t read_now = read(file, bytes.data() + got, bytes.size() - got);
        if (read_now < 0 && errno == EINTR) continue;
        if (read_now <= 0) break;
        got += static_cast<std::size_t>(read_now);
    }
    bytes.resize(got);
    return bytes;
}

std::optional<LoopEntry> LoopFolder::find(const std::string& key) const {
    const std::string name = loop_file_name(key);
    const std::optional<std::string> bytes = bytes_of(name);
    if (!bytes) return {};
    std::optional<LoopEntry> entry = parse_loop_entry(*bytes);
    if (!entry || entry->key != key) {
        unlinkat(folder_, name.c_str(), 0);
        return {};
    }
    utimensat(folder_, name.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);  // used now
    return entry;
}

std::string LoopFolder::keep(const LoopEntry& entry) const {
    static std::atomic<unsigned> count{0};
    const std::string bytes = to_bytes(entry), name = loop_file_name(entry.key);
    const std::string fresh =
        std::string(unfinished) + std::to_string(getpid()) + "." + std::to_string(count++);
    const auto fail = [&] {
        const std::string why = path_ + ": " + std::strerror(errno);
        unlinkat(folder_, fresh.c_str(), 0);
        return why;
    };
    const int file =
        openat(folder_, fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0) return path_ + ": " + std::strerror(errno);
    const bool is_written = write_all(file, bytes);
    if (close(file) != 0 || !is_written) return fail();
    if (renameat(folder_, fresh.c_str(), folder_, name.c_str()) != 0) return fail();
    // The name is a hash: one write in sixteen looks at how much there is.
    if (name[0] == '0') trim(most_bytes);
    return "";
}

std::vector<std::string> LoopFolder::names() const {
    std::vector<std::string> names;
    const int own = openat(folder_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (own < 0) return names;
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(fdopendir(own), closedir);
    if (stream == nullptr) {
        close(own);
        return names;
    }
    while (const dirent* const found = readdir(stream.get())) names.emplace_back(found->d_name);
    return names;
}

std::vector<LoopFolder::File> LoopFolder::files() const {
    std::vector<File> files;
    for (std::string& name : names()) {
        struct stat status{};
        if (!is_loop_file_name(name) || fstatat(folder_, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        files.push_back({std::move(name), status.st_size, status.st_mtime});
    }
    std::ranges::sort(files, std::greater<>(), &File::used_at);
    return files;
}

std::optional<LoopEntry> LoopFolder::entry_in(const File& file) const {
    const std::optional<std::string> bytes = bytes_of(file.name);
    return bytes ? parse_loop_entry(*bytes) : std::nullopt;
}

int LoopFolder::clear() const {
    int removed = 0;
    for (const std::string& name : names()) {
        if (!is_loop_file_name(name) && !name.starts_with(unfinished)) continue;
        if (unlinkat(folder_, name.c_str(), 0) == 0 && is_loop_file_name(name)) ++removed;
    }
    return removed;
}

void LoopFolder::trim(std::int64_t most) const {
    constexpr std::time_t patience = 3600;  // no process writes an entry for so long
    for (const std::string& name : names()) {
        struct stat status{};
        if (name.starts_with(unfinished) &&
            fstatat(folder_, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            status.st_mtime + patience < std::time(nullptr))
            unlinkat(folder_, name.c_str(), 0);
    }
    std::vector<File> known = files();
    std::int64_t bytes = 0;
    for (const File& file : known) bytes += file.bytes;
    if (bytes <= most) return;
    for (; !known.empty() && bytes > most - most / 4; known.pop_back()) {
        unlinkat(folder_, known.back().name.c_str(), 0);
        bytes -= known.back().bytes;
    }
}

}  // namespace frisket

// SPDX-License-Identifier: MIT
#include "loop_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include "../../runtime/io/replacement.hpp"
#include "../../runtime/tensor/error.hpp"
#include "user_path.hpp"

namespace frisket::codegen {

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
    throw IoError("loops on disk: " + path + " " + why +
                  ": name a folder of your own in FRISKET_CACHE_DIR, or write FRISKET_CACHE_DIR=off");
}

/// Made with its mode, so that no other user may write it at any time.
void make_folder(const std::string& path) {
    std::error_code error;
    const auto above = std::filesystem::path(path).parent_path();
    if (!above.empty()) std::filesystem::create_directories(above, error);
    if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
        refuse(path, std::string("cannot be made: ") + std::strerror(errno));
}

/// The reason why a folder's entries may not be run, or an empty text.
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
    folder_ = runtime::Descriptor(open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder_.is_open()) refuse(path_, std::string("cannot be opened: ") + std::strerror(errno));
    // Status of the opened folder, whatever its name refers to by now; all that follows goes through it.
    struct stat status{};
    const std::string why = fstat(folder_.number(), &status) == 0 ? why_unsafe(status) : std::strerror(errno);
    if (!why.empty()) refuse(path_, why);
}

std::optional<std::string> LoopFolder::bytes_of(const std::string& name) const {
    const runtime::Descriptor file(
        openat(folder_.number(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file.is_open()) return {};
    struct stat status{};
    if (fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > most_bytes)
        return std::string();
    std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
    std::size_t got = 0;
    while (got < bytes.size()) {
        const ssize_t read_now = read(file.number(), bytes.data() + got, bytes.size() - got);
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
        unlinkat(folder_.number(), name.c_str(), 0);
        return {};
    }
    utimensat(folder_.number(), name.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);  // used now
    return entry;
}

std::string LoopFolder::keep(const LoopEntry& entry) const {
    const std::string bytes = to_bytes(entry), name = loop_file_name(entry.key);
    runtime::remove_abandoned(folder_.number());
    runtime::Replacement file;
    int error = file.open(folder_.number(), 0600);
    if (error == 0) error = file.write(bytes.data(), bytes.size());
    if (error == 0) error = file.replace(name, runtime::Replacement::Durable::no);
    if (error != 0) return path_ + ": " + std::strerror(error);
    // The name is a hash: one write in sixteen looks at how much there is.
    if (name[0] == '0') trim(most_bytes);
    return "";
}

std::vector<std::string> LoopFolder::names() const {
    std::vector<std::string> names;
    runtime::Descriptor own(openat(folder_.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!own.is_open()) return names;
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(fdopendir(own.number()), closedir);
    if (stream == nullptr) return names;
    own.release();
    while (const dirent* const found = readdir(stream.get())) names.emplace_back(found->d_name);
    return names;
}

std::vector<LoopFolder::File> LoopFolder::files() const {
    std::vector<File> files;
    for (std::string& name : names()) {
        struct stat status{};
        if (!is_loop_file_name(name) ||
            fstatat(folder_.number(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
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
    for (const std::string& name : names())
        if (is_loop_file_name(name) && unlinkat(folder_.number(), name.c_str(), 0) == 0) ++removed;
    runtime::remove_abandoned(folder_.number());
    return removed;
}

void LoopFolder::trim(std::int64_t most) const {
    std::vector<File> known = files();
    std::int64_t bytes = 0;
    for (const File& file : known) bytes += file.bytes;
    if (bytes <= most) return;
    for (; !known.empty() && bytes > most - most / 4; known.pop_back()) {
        unlinkat(folder_.number(), known.back().name.c_str(), 0);
        bytes -= known.back().bytes;
    }
}

}  // namespace frisket::codegen

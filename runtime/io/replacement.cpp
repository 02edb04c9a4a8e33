// SPDX-License-Identifier: MIT
#include "replacement.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <memory>
#include <string_view>
#include <vector>

namespace frisket::runtime {

namespace {

constexpr std::string_view prefix = ".frisket.new.";

/// Another one at each call, of all processes that see this system's numbers of processes.
std::string next_name() {
    static std::atomic<unsigned> count{0};
    return std::string(prefix) + std::to_string(getpid()) + "." + std::to_string(count++);
}

bool is_same(const struct stat& one, const struct stat& other) {
    return one.st_ino == other.st_ino && one.st_dev == other.st_dev;
}

/// Locks a file that was just made; false if another process took it for abandoned before.  On a system
/// without locks, the lock is skipped and no file is ever taken for abandoned.
bool has_kept(int file) {
    if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
    struct stat status{};
    return fstat(file, &status) == 0 && status.st_nlink > 0;
}

std::vector<std::string> names_in(int folder) {
    std::vector<std::string> names;
    Descriptor own(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!own.is_open()) return names;
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(fdopendir(own.number()), closedir);
    if (stream == nullptr) return names;
    own.release();
    while (const dirent* const found = readdir(stream.get()))
        if (std::string_view(found->d_name).starts_with(prefix)) names.emplace_back(found->d_name);
    return names;
}

void remove_if_abandoned(int folder, const std::string& name) {
    constexpr int flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    Descriptor file(openat(folder, name.c_str(), O_RDWR | flags));  // locks over a network want that
    if (!file.is_open()) file = Descriptor(openat(folder, name.c_str(), O_RDONLY | flags));
    struct stat opened{}, named{};
    if (!file.is_open() || fstat(file.number(), &opened) != 0) return;
    if (!S_ISREG(opened.st_mode) || opened.st_uid != geteuid()) return;
    if (flock(file.number(), LOCK_EX | LOCK_NB) != 0) return;
    // Its writer may have ended well meanwhile: then the name is gone, or another file's.
    if (fstatat(folder, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 && is_same(opened, named))
        unlinkat(folder, name.c_str(), 0);
}

/// Some file systems have nothing to be synchronized, and say so.
int synchronized(int file) {
    while (fsync(file) != 0) {
        if (errno == EINTR) continue;
        return errno == EINVAL || errno == ENOTSUP || errno == ENOSYS ? 0 : errno;
    }
    return 0;
}

}  // namespace

Replacement::~Replacement() {
    if (file_.is_open()) unlinkat(folder_, name_.c_str(), 0);
}

int Replacement::open(int folder, mode_t mode) {
    folder_ = folder;
    for (;;) {
        name_ = next_name();
        Descriptor file(
            openat(folder, name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
        if (!file.is_open() && errno == EEXIST) continue;
        if (!file.is_open()) return errno;
        if (!has_kept(file.number())) continue;
        file_ = std::move(file);
        return 0;
    }
}

int Replacement::take_rights_of(const struct stat& other) {
    struct stat own{};
    if (fstat(file_.number(), &own) != 0) return errno;
    mode_t mode = other.st_mode & 0777U;
    const bool is_same_owner = own.st_uid == other.st_uid && own.st_gid == other.st_gid;
    const auto takes = [&](uid_t user) { return fchown(file_.number(), user, other.st_gid) == 0; };
    if (!is_same_owner && !takes(other.st_uid) && !takes(own.st_uid))
        mode = (mode & 0707U) | (mode & 07U) << 3U;
    // File systems without rights refuse to set them, even as they are.
    if ((own.st_mode & 0777U) == mode || fchmod(file_.number(), mode) == 0) return 0;
    return errno;
}

int Replacement::replace(const std::string& name, Durable durable) {
    if (durable == Durable::yes)
        if (const int error = synchronized(file_.number()); error != 0) return error;
    if (renameat(folder_, name_.c_str(), folder_, name.c_str()) != 0) return errno;
    const int closed = file_.close();
    if (closed != 0 || durable == Durable::no) return closed;
    const int error = synchronized(folder_);
    return error == EBADF ? 0 : error;  // a folder that may be searched, but not read
}

void remove_abandoned(int folder) {
    for (const std::string& name : names_in(folder)) remove_if_abandoned(folder, name);
}

}  // namespace frisket::runtime

// SPDX-License-Identifier: MIT
#include "file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "../../../runtime/tensor/error.hpp"

namespace frisket::codegen {

FileLock::FileLock(const std::string& path) : file_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    constexpr std::chrono::seconds patience{60};
    constexpr std::chrono::milliseconds pause{2};
    if (file_ < 0) throw IoError(path + ": cannot be opened: " + std::strerror(errno));
    const auto end = std::chrono::steady_clock::now() + patience;
    while (flock(file_, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK && std::chrono::steady_clock::now() < end) {
            std::this_thread::sleep_for(pause);
            continue;
        }
        const std::string why =
            errno == EWOULDBLOCK ? "another process has held it for a minute" : std::strerror(errno);
        close(file_);
        throw IoError(path + ": cannot be locked: " + why);
    }
}

FileLock::~FileLock() { close(file_); }

}  // namespace frisket::codegen

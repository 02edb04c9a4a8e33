// SPDX-License-Identifier: MIT
#include "descriptor.hpp"

#include <unistd.h>

#include <cerrno>
#include <ctime>

namespace frisket::runtime {

namespace {

sigset_t size_signal() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    return set;
}

}  // namespace

Descriptor::~Descriptor() {
    if (is_open()) ::close(number_);
}

int Descriptor::close() noexcept {
    // After EINTR as well the number may be another file's by now.
    return ::close(std::exchange(number_, -1)) == 0 || errno == EINTR ? 0 : errno;
}

NoSizeSignal::NoSizeSignal() noexcept {
    const sigset_t set = size_signal();
    sigset_t pending;
    was_pending_ = sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &set, &before_);
}

NoSizeSignal::~NoSizeSignal() {
    const int error = errno;
    const sigset_t set = size_signal();
    const timespec none{.tv_sec = 0, .tv_nsec = 0};
    if (!was_pending_)
        while (sigtimedwait(&set, nullptr, &none) < 0 && errno == EINTR) {}
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
}

int write_all(int file, const void* from, std::size_t bytes) noexcept {
    const NoSizeSignal quiet;
    const auto* rest = static_cast<const char*>(from);
    while (bytes > 0) {
        const ssize_t written = ::write(file, rest, bytes);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return errno;
        if (written == 0) return EIO;
        rest += written;
        bytes -= static_cast<std::size_t>(written);
    }
    return 0;
}

}  // namespace frisket::runtime

// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <csignal>
#include <cstddef>
#include <utility>

/// Open files of the system's, below streams: shared by writers of files.
namespace frisket::runtime {

/// An open file, closed at its end.
class Descriptor {
public:
    explicit Descriptor(int number = -1) noexcept : number_(number) {}
    ~Descriptor();
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }

    bool is_open() const noexcept { return number_ >= 0; }
    int number() const noexcept { return number_; }
    /// Gives the number up, to whoever closes it instead.
    int release() noexcept { return std::exchange(number_, -1); }
    /// Gives errno, or 0: some systems say only now that the disk is full.
    int close() noexcept;

private:
    int number_;
};

/// While it lives, a write beyond the limit on the size of files returns EFBIG to this thread, and to
/// processes that it starts, instead of a signal that ends the process.
class NoSizeSignal {
public:
    NoSizeSignal() noexcept;
    ~NoSizeSignal();
    NoSizeSignal(const NoSizeSignal&) = delete;
    NoSizeSignal& operator=(const NoSizeSignal&) = delete;

private:
    sigset_t before_{};
    bool was_pending_ = false;
};

/// Gives errno, or 0 if all was written.
int write_all(int file, const void* from, std::size_t bytes) noexcept;

}  // namespace frisket::runtime

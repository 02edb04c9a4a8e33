// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <string>

namespace frisket::codegen {

/// Keeps other processes, and other threads, from holding the same lock while it lives.  The system takes it
/// from a process that ends, however it ends.
class FileLock {
public:
    /// Makes the file if it is missing.
    /// Errors: IoError if it cannot be opened, or another process holds it for too long.
    explicit FileLock(const std::string& path);
    ~FileLock();
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

private:
    int file_;
};

}  // namespace frisket::codegen

// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <sys/stat.h>

#include <string>

#include "descriptor.hpp"

namespace frisket::runtime {

/// A file that takes the place of another when it is whole: written beside it, in a folder that is open,
/// under a name of its own.  A lock on it says that its writer lives; what writers left that were killed has
/// none, and is removed by the next one.  Functions give errno, or 0.
class Replacement {
public:
    /// Says if the file and its name must be on the disk when replace() returns.  Entries of a cache with
    /// checksums can do without: an entry damaged by a power loss is made anew.
    enum class Durable : bool { no, yes };

    Replacement() = default;
    ~Replacement();
    Replacement(const Replacement&) = delete;
    Replacement& operator=(const Replacement&) = delete;

    /// Makes it, with these rights at most (the process's mask takes some away).
    int open(int folder, mode_t mode);
    int write(const void* from, std::size_t bytes) { return write_all(file_.number(), from, bytes); }
    /// Gives it the owner and the rights of another file; rights of a group that it cannot have are those of
    /// everyone.
    int take_rights_of(const struct stat& other);
    int replace(const std::string& name, Durable durable);

private:
    int folder_ = -1;
    std::string name_;
    Descriptor file_;
};

/// Removes from a folder what writers of this user left there that are no more.
void remove_abandoned(int folder);

}  // namespace frisket::runtime

// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <sys/stat.h>

#include <string>

#include "descriptor.hpp"

namespace frisket::runtime {

/// A file that replaces another when it is whole: written in the same folder, which is open, under a name of
/// its own.  A lock on it shows that its writer lives; a file left by a killed writer has no lock, and is
/// removed by the next writer.  Functions return errno, or 0.
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
    /// Gives it the owner and the rights of another file; if it cannot have the group, the group's rights
    /// become everyone's rights.
    int take_rights_of(const struct stat& other);
    int replace(const std::string& name, Durable durable);

private:
    int folder_ = -1;
    std::string name_;
    Descriptor file_;
};

/// Removes from a folder the files that ended writers of this user left there.
void remove_abandoned(int folder);

}  // namespace frisket::runtime

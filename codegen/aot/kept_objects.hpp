// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <cstddef>
#include <filesystem>
#include <string>

#include "library.hpp"

namespace frisket::aot {

/// Writes a file unless it holds this already, so that targets that depend on it are rebuilt only if it
/// changed.
/// Errors: IoError.
void write_if_changed(const std::filesystem::path& file, const std::string& text);

/// Writes the object file of a step for a target, NAME_STEP_TARGET.o, unless the object of an earlier build
/// has the same inputs; adds the loops of a planned step to the step, which has room for them.
/// Errors: IoError, Bug.
void make_object(const Library& library, LibraryStep& step, std::size_t target,
                 const std::filesystem::path& folder);

/// Writes the kernels of a target that is a device, NAME_devices_TARGET.o, likewise, and adds them to the
/// target.  Others have none.
/// Errors: IoError, Bug.
void make_device_kernels(Library& library, std::size_t target, const std::filesystem::path& folder);

}  // namespace frisket::aot

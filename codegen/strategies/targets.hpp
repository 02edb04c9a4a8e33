// SPDX-License-Identifier: MIT
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace frisket {

/// Names a target of the table, "cpu" or "opencl" for instance.  The default is $FRISKET_TARGET, or "cpu".
struct TargetName { std::string name; };

/// Errors: none here; jit() throws TargetError for an unknown or absent one, listing those there are.
inline TargetName target(std::string_view name) { return {std::string(name)}; }

/// A row of the table of targets.
struct TargetRow {
    std::string_view name;         ///< frisket's
    std::string_view halide;       ///< Halide's target string
    bool gpu;                      ///< whether loops run as kernels of a device
    const char* driver = nullptr;  ///< the shared library that a device needs
};

/// THE table of targets.
std::span<const TargetRow> targets();
/// The row of a name; an empty name is the default.  Errors: TargetError listing the names there are.
const TargetRow& find_target(const TargetName& target);
/// Errors: TargetError if the target is unknown, or absent on this machine, listing those there are.
const TargetRow& check_present(const TargetName& target);
/// Why the target cannot run on this machine, or an empty text.
std::string why_absent(const TargetRow& target);

}  // namespace frisket

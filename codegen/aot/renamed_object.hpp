// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace frisket::aot {

/// Names of the symbols of an object.
struct ObjectNames {
    std::span<const std::string> kept;  ///< names of functions that are called from elsewhere
    std::string base;                   ///< prefix of the names of all other functions
    std::span<const std::pair<std::string_view, std::string_view>> runtime = {};  ///< undefined functions
};

/// A relocatable ELF object of 64 bits whose functions outside of ObjectNames::kept, and their sections, are
/// numbered: the compiler numbers them together with all that it compiles at the time, so each build would
/// have other bytes.
/// Errors: Bug if the bytes are no such object.
std::string renamed_object(std::string_view object, const ObjectNames& names);

}  // namespace frisket::aot

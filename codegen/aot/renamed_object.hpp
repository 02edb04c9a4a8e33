// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace frisket::aot {

/// A relocatable ELF object of 64 bits with some of its symbols under other names.
/// Errors: Bug if the bytes are no such object.
std::string renamed_object(std::string object,
                           std::span<const std::pair<std::string_view, std::string_view>> names);

}  // namespace frisket::aot

// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <string>

namespace frisket {

/// Where something of the user's is kept: what the environment variable says, or `below` in the user's cache
/// folder ($XDG_CACHE_HOME, ~/.cache); empty if the variable is "off", or there is no such folder.
std::string user_path(const char* variable, const std::string& below);

}  // namespace frisket

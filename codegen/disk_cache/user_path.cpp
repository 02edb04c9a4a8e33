// SPDX-License-Identifier: MIT
#include "user_path.hpp"

#include <cstdlib>

namespace frisket::codegen {

namespace {

std::string value_of(const char* variable) {
    const char* const value = std::getenv(variable);
    return value != nullptr ? value : "";
}

}  // namespace

std::string user_path(const char* variable, const std::string& below) {
    if (const std::string wanted = value_of(variable); !wanted.empty()) return wanted == "off" ? "" : wanted;
    if (const std::string cache = value_of("XDG_CACHE_HOME"); !cache.empty()) return cache + "/" + below;
    const std::string home = value_of("HOME");
    return home.empty() ? "" : home + "/.cache/" + below;
}

}  // namespace frisket::codegen

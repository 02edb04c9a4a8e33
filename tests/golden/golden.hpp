// SPDX-License-Identifier: MIT
#pragma once
#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace frisket::testing {

/// Compares a text with a file of this folder, to the letter.  FRISKET_UPDATE_GOLDEN=1 writes it: read it
/// then.
inline void check_golden(const std::string& file, const std::string& text) {
    const std::string path = std::string(FRISKET_GOLDEN_DIR) + "/" + file;
    if (std::getenv("FRISKET_UPDATE_GOLDEN")) {
        std::ofstream(path) << text;
        return;
    }
    std::ifstream in(path);
    if (!in) FAIL(file << " is missing: run with FRISKET_UPDATE_GOLDEN=1, then read it");
    std::stringstream wanted;
    wanted << in.rdbuf();
    INFO(file << " differs: run with FRISKET_UPDATE_GOLDEN=1, then read what changed");
    CHECK(text == wanted.str());
}

}  // namespace frisket::testing

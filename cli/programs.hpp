// SPDX-License-Identifier: MIT
// Finds the files that programs of frisket are compiled with.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace frisket::cli {

/// Files that a program of frisket is compiled with and linked to.
struct Parts {
    std::filesystem::path include;              ///< has frisket/aot.hpp
    std::filesystem::path libraries;            ///< has libfrisket_aot.a
    std::vector<std::filesystem::path> shared;  ///< libHalide and SQLite, as this program runs on them
};
/// The files beside this program, as they were built or installed.
/// Errors: IoError naming what is not there.
Parts find_parts();

/// Path of bench/report.py, linked beside this program in a build or installed with it.
std::string find_page_script();

}  // namespace frisket::cli

// SPDX-License-Identifier: MIT
#pragma once
#include "runner.hpp"

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace conformance {

/// Numbers of cases of each operation that hold when their masked inputs are stored in each layout, by the
/// interpreter and by compiled loops: docs/operations.md.
class LayoutTable {
public:
    /// `compiled`: the program that runs the second column.
    explicit LayoutTable(Backend compiled);

    /// Runs a case in every layout that can hold its inputs.  Threads: may be called from several.
    void add(const Json& test);
    /// Cases that failed, one a line; empty if none did.
    std::string failures() const;
    /// The page.
    std::string text() const;

private:
    struct Cell {
        int interpreted = 0;
        int compiled = 0;
    };
    bool holds(const Json& test, const Backend& backend, frisket::Layout layout, bool& fits);

    Backend interpreter_;
    Backend compiled_;
    std::map<std::string, std::map<frisket::Layout, Cell>> rows_;
    std::vector<std::string> failures_;
    mutable std::mutex mutex_;
};

}  // namespace conformance

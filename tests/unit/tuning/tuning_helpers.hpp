// SPDX-License-Identifier: MIT
#pragma once
#include "../../../codegen/tuning/records/database.hpp"
#include "../../../runtime/tensor/error.hpp"
#include "../../support/folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <filesystem>

namespace frisket::testing {

/// The record of a key, which a number names; `found` numbers the found schedule.
inline codegen::TuningRecord record(int key, int found = 0) {
    codegen::TuningRecord made;
    made.step = "step adagrad_" + std::to_string(key) + "\n  %0 = grad * grad\n" + std::string(key % 40, '.');
    made.target = "cpu";
    made.machine = "a processor, x86-64-linux-avx2";
    made.build = "frisket 0.1.0, Halide 21.0.0";
    made.call = {
        .layout = Layout::bitmask, .elements = key % 30, .row_length = 5, .density = -key, .lines = -3};
    made.schedule = "skip tile=" + std::to_string(found);
    made.gain = 1.0 + 0.01 * found;
    made.default_s = 0.25;
    made.best_s = made.default_s / made.gain;
    made.found_at = 1'700'000'000 + found;
    return made;
}

/// Records in one order.
inline std::vector<codegen::TuningRecord> sorted(std::vector<codegen::TuningRecord> records) {
    std::ranges::sort(records, {}, &codegen::TuningRecord::step);
    return records;
}

inline std::vector<codegen::TuningRecord> records(int count) {
    std::vector<codegen::TuningRecord> made;
    for (int key = 0; key < count; ++key) made.push_back(record(key));
    return sorted(made);
}

inline std::vector<codegen::TuningRecord> read_records(const std::string& path) {
    return sorted(codegen::TuningDatabase(path, codegen::TuningDatabase::Access::read).records());
}

}  // namespace frisket::testing

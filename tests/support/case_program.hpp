// SPDX-License-Identifier: MIT
#pragma once
#include <frisket/frisket.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace CLI {
class App;
}

/// Programs that run cases of JSON files, schema 1: inputs, threads, and the closing line.
namespace frisket::testing {

using Json = nlohmann::json;

enum class Outcome { passed, failed, skipped };

struct Verdict {
    Outcome outcome = Outcome::passed;
    std::string text = {};  ///< failure: the fault; skip: the reason
};

struct CaseSettings {
    std::vector<std::string> paths;
    std::string via = "interpret";
    std::string filter;
    std::string layout;
    std::string table;
    int sample = 1;  ///< in each row of ids, "unary/abs", every so many-th case runs, from the first on
    unsigned threads = std::max(1u, std::thread::hardware_concurrency());
    bool verbose = false;
};

/// The options that all of these programs have; `layout_help` and `table_help` describe two of them.
void add_case_options(CLI::App& app, CaseSettings& settings, const std::string& layout_help,
                      const std::string& table_help);

/// The sampled cases of all files among those that have the filter in their id, in the order of the files'
/// names; a folder means its .json files, without index.json.
/// Errors: IoError beginning with `program`.
std::vector<Json> cases_of(const CaseSettings& settings, const std::string& program);

/// Runs cases on several threads; verdicts come in the order of the cases.
std::vector<Verdict> run_cases(const std::vector<Json>& cases, unsigned threads,
                               const std::function<Verdict(const Json&)>& run_one);

/// Prints failures, reasons of skips under `heading`, and the closing line; returns true if any failed.
bool print_verdicts(const std::vector<Json>& cases, const std::vector<Verdict>& verdicts, bool verbose,
                    std::string_view heading);

/// The exit status of `run`; 77 if this machine lacks the target, 2 after other errors, which are printed.
int run_case_program(const CaseSettings& settings, const std::function<int()>& run);

}  // namespace frisket::testing

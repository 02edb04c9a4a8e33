// SPDX-License-Identifier: MIT
#include "case_program.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iostream>

namespace frisket::testing {

namespace {

std::vector<std::filesystem::path> files_of(const std::vector<std::string>& paths) {
    std::vector<std::filesystem::path> files;
    for (const std::string& path : paths) {
        if (!std::filesystem::is_directory(path)) {
            files.emplace_back(path);
            continue;
        }
        for (const auto& entry : std::filesystem::directory_iterator(path))
            if (entry.path().extension() == ".json" && entry.path().filename() != "index.json")
                files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
}

/// The first two parts of an id.
std::string traits_of(const std::string& id) { return id.substr(0, id.find('/', id.find('/') + 1)); }

}  // namespace

void add_case_options(CLI::App& app, CaseSettings& settings, const std::string& layout_help,
                      const std::string& table_help) {
    std::vector<std::string> layouts;
    for (const Layout layout : all_layouts()) layouts.emplace_back(name_of(layout));
    app.add_option("paths", settings.paths, "files, or folders of them")
        ->required()
        ->check(CLI::ExistingPath);
    app.add_option("--via", settings.via, "interpret, jit (the default target), or the name of a target")
        ->capture_default_str();
    app.add_option("--filter", settings.filter, "only cases with this text in their id");
    app.add_option("--sample", settings.sample,
                   "of each row of ids, \"unary/abs\", every so many-th case, from the first on")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--layout", settings.layout, layout_help)->check(CLI::IsMember(layouts));
    app.add_option("--table", settings.table, table_help);
    app.add_option("--threads", settings.threads, "how many cases run at once")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_flag("--verbose", settings.verbose, "a line for every case");
}

std::vector<Json> cases_of(const CaseSettings& settings, const std::string& program) {
    std::vector<Json> cases;
    std::map<std::string, int> seen;  // cases seen so far of each row
    for (const auto& path : files_of(settings.paths)) {
        std::ifstream in(path);
        if (!in) throw IoError(program + ": cannot read " + path.string());
        const Json file = Json::parse(in);
        if (file.value("schema", 0) != 1)
            throw IoError(program + ": " + path.string() + " is not of schema 1");
        for (const Json& test : file.at("cases")) {
            const auto id = test.at("id").get<std::string>();
            if (id.find(settings.filter) == std::string::npos) continue;
            if (seen[traits_of(id)]++ % settings.sample == 0) cases.push_back(test);
        }
    }
    return cases;
}

std::vector<Verdict> run_cases(const std::vector<Json>& cases, unsigned threads,
                               const std::function<Verdict(const Json&)>& run_one) {
    std::vector<Verdict> verdicts(cases.size());
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        for (std::size_t i = next++; i < cases.size(); i = next++) verdicts[i] = run_one(cases[i]);
    };
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < threads; ++i) others.emplace_back(work);
    work();
    others.clear();
    return verdicts;
}

bool print_verdicts(const std::vector<Json>& cases, const std::vector<Verdict>& verdicts, bool verbose,
                    std::string_view heading) {
    std::map<Outcome, int> counts;
    std::map<std::string, int> skips;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const auto& [outcome, text] = verdicts[i];
        const std::string id = cases[i].at("id");
        ++counts[outcome];
        if (outcome == Outcome::skipped) ++skips[text];
        if (outcome == Outcome::failed) std::cout << "FAILED  " << id << ": " << text << "\n";
        if (verbose && outcome == Outcome::passed) std::cout << "passed  " << id << "\n";
        if (verbose && outcome == Outcome::skipped) std::cout << "skipped " << id << ": " << text << "\n";
    }
    std::vector<std::pair<int, std::string>> reasons;
    for (const auto& [reason, count] : skips) reasons.emplace_back(-count, reason);
    std::ranges::sort(reasons);
    if (!reasons.empty()) std::cout << heading << "\n";
    for (const auto& [count, reason] : reasons) std::cout << "  " << -count << "  " << reason << "\n";
    std::cout << counts[Outcome::passed] << " passed, " << counts[Outcome::failed] << " failed, "
              << counts[Outcome::skipped] << " skipped" << std::endl;
    return counts[Outcome::failed] > 0;
}

int run_case_program(const CaseSettings& settings, const std::function<int()>& run) {
    try {
        return run();
    } catch (const TargetError& error) {
        const bool is_known =
            std::ranges::find(known_targets(), settings.via, &TargetRow::name) != known_targets().end();
        std::cout << (is_known ? "SKIP: " : "") << error.what() << "\n";
        return is_known ? 77 : 2;
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return 2;
    }
}

}  // namespace frisket::testing

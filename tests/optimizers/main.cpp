// SPDX-License-Identifier: MIT
#include "case.hpp"
#include "table.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <thread>

using namespace goldens;

namespace {

const char* const description =
    R"(Runs golden trajectories of optimizers (JSON, schema 1) in float64 and float32, and compares parameter
and state after every step.

  optimizers goldens/                       every file of a folder, through the interpreter
  optimizers goldens/adam.json --via jit    compiled loops
  optimizers goldens/ --layout bitmask      the same cases, gradients stored as bit masks
  optimizers goldens/ --table FILE          a table of optimizers and layouts: docs/optimizers.md

The last line is "N passed, N failed, N skipped"; the exit status is 1 if any failed, and 77 if nothing ran
because this machine lacks the target.)";

struct Settings {
    std::vector<std::string> paths;
    std::string via = "interpret";
    std::string filter;
    std::string layout;
    std::string table;
    unsigned threads = std::max(1u, std::thread::hardware_concurrency());
    bool verbose = false;
};

std::vector<std::filesystem::path> files_of(const std::vector<std::string>& paths) {
    std::vector<std::filesystem::path> files;
    for (const std::string& path : paths) {
        if (!std::filesystem::is_directory(path)) files.emplace_back(path);
        if (!std::filesystem::is_directory(path)) continue;
        for (const auto& entry : std::filesystem::directory_iterator(path))
            if (entry.path().extension() == ".json" && entry.path().filename() != "index.json")
                files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
}

std::vector<Json> cases_of(const Settings& settings) {
    std::vector<Json> cases;
    for (const auto& path : files_of(settings.paths)) {
        std::ifstream in(path);
        if (!in) throw frisket::IoError("optimizers: cannot read " + path.string());
        const Json file = Json::parse(in);
        if (file.value("schema", 0) != 1)
            throw frisket::IoError("optimizers: " + path.string() + " is not of schema 1");
        for (const Json& test : file.at("cases"))
            if (test.at("id").get<std::string>().find(settings.filter) != std::string::npos)
                cases.push_back(test);
    }
    return cases;
}

/// Runs cases on several threads; verdicts come in the order of the cases.
std::vector<Verdict> run_cases(const std::vector<Json>& cases, const Options& options, unsigned threads) {
    std::vector<Verdict> verdicts(cases.size());
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        for (std::size_t i = next++; i < cases.size(); i = next++) verdicts[i] = run_case(cases[i], options);
    };
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < threads; ++i) others.emplace_back(work);
    work();
    return others.clear(), verdicts;
}

int run(const Settings& settings) {
    Options options{.interpret = settings.via == "interpret", .target = {}, .layout = {}};
    if (settings.via != "interpret" && settings.via != "jit")
        options.target = frisket::TargetName{settings.via};
    if (!settings.layout.empty()) options.layout = frisket::parse_layout(settings.layout);
    if (!options.interpret) frisket::check_present(options.target);
    const std::vector<Json> cases = cases_of(settings);
    SupportTable table;
    if (!settings.table.empty()) {
        table = support_table(cases);
        std::ofstream(settings.table) << table.text;
    }
    for (const std::string& failure : table.failures) std::cout << "FAILED  " << failure << "\n";
    const std::vector<Verdict> verdicts = run_cases(cases, options, settings.threads);
    std::map<Outcome, int> counts;
    std::map<std::string, int> reasons;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const Verdict& verdict = verdicts[i];
        ++counts[verdict.outcome];
        const std::string id = cases[i].at("id");
        if (verdict.outcome == Outcome::failed) std::cout << "FAILED  " << id << ": " << verdict.text << "\n";
        if (verdict.outcome == Outcome::skipped) ++reasons[verdict.text];
        if (settings.verbose && verdict.outcome == Outcome::passed) std::cout << "passed  " << id << "\n";
    }
    if (!reasons.empty()) std::cout << "skipped:\n";
    for (const auto& [reason, count] : reasons) std::cout << "  " << count << "  " << reason << "\n";
    std::cout << counts[Outcome::passed] << " passed, " << counts[Outcome::failed] << " failed, "
              << counts[Outcome::skipped] << " skipped" << std::endl;
    return counts[Outcome::failed] > 0 || !table.failures.empty() ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{description, "optimizers"};
    Settings settings;
    std::vector<std::string> layouts;
    for (const frisket::Layout layout : frisket::all_layouts())
        layouts.emplace_back(frisket::name_of(layout));
    app.add_option("paths", settings.paths, "files, or folders of them")
        ->required()
        ->check(CLI::ExistingPath);
    app.add_option("--via", settings.via, "interpret, jit (the default target), or the name of a target")
        ->capture_default_str();
    app.add_option("--filter", settings.filter, "only cases with this text in their id");
    app.add_option("--layout", settings.layout, "store gradients in this layout where it can hold them")
        ->check(CLI::IsMember(layouts));
    app.add_option("--table", settings.table,
                   "try every optimizer with every layout besides, and write what held to this file");
    app.add_option("--threads", settings.threads, "how many cases run at once")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_flag("--verbose", settings.verbose, "a line for every case");
    CLI11_PARSE(app, argc, argv);
    try {
        return run(settings);
    } catch (const frisket::TargetError& error) {
        const bool is_known = std::ranges::find(frisket::targets(), settings.via,
                                                &frisket::TargetRow::name) != frisket::targets().end();
        std::cout << (is_known ? "SKIP: " : "") << error.what() << "\n";
        return is_known ? 77 : 2;
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return 2;
    }
}

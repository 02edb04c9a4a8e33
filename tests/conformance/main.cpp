// SPDX-License-Identifier: MIT
#include "runner.hpp"
#include "table.hpp"

#include "../../codegen/targets.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <thread>

using namespace conformance;

namespace {

const char* const description =
    R"(Runs reference cases (JSON, schema 1) and compares value, mask, dtype, shape and storage, or the error.
Every case runs in all ways that there are: by the runtime alone, as an expression, as a step, several results
as one step; each twice, with other bytes where nothing is specified.

  conformance cases/                              every file of a folder, through the interpreter
  conformance cases/unary.json --via jit          compiled loops
  conformance cases --filter sqrt --verbose       the cases with sqrt in their id, one line each
  conformance cases --layout bitmask --via jit    the same cases, masked inputs stored as bit masks
  conformance cases --via jit --table FILE        a table of operations and layouts: docs/operations.md

A case that needs what does not exist yet is skipped, and says what; the reasons are counted at the end.
The last line is "N passed, N failed, N skipped"; the exit status is 1 if any failed, and 77 if nothing ran
because this machine lacks the target.)";

struct Settings {
    std::vector<std::string> paths;
    std::string via = "interpret";
    std::string filter;
    std::string layout;
    std::string table;
    int tier = 2;
    unsigned threads = std::max(1u, std::thread::hardware_concurrency());
    bool verbose = false;
};

class Tally {
public:
    void add(const std::string& id, const Verdict& verdict, bool verbose) {
        ++counts_[verdict.outcome];
        if (verdict.outcome == Outcome::skipped) ++skips_[verdict.text];
        if (verdict.outcome == Outcome::failed) std::cout << "FAILED  " << id << ": " << verdict.text << "\n";
        if (!verbose || verdict.outcome == Outcome::failed) return;
        if (verdict.outcome == Outcome::passed) std::cout << "passed  " << id << "\n";
        if (verdict.outcome == Outcome::skipped)
            std::cout << "skipped " << id << ": " << verdict.text << "\n";
    }
    void print() {
        std::vector<std::pair<int, std::string>> reasons;
        for (const auto& [reason, count] : skips_) reasons.emplace_back(-count, reason);
        std::ranges::sort(reasons);
        if (!reasons.empty()) std::cout << "skipped for want of:\n";
        for (const auto& [count, reason] : reasons) std::cout << "  " << -count << "  " << reason << "\n";
        std::cout << counts_[Outcome::passed] << " passed, " << counts_[Outcome::failed] << " failed, "
                  << counts_[Outcome::skipped] << " skipped" << std::endl;
    }
    bool any_failed() { return counts_[Outcome::failed] > 0; }

private:
    std::map<Outcome, int> counts_;
    std::map<std::string, int> skips_;
};

std::vector<std::filesystem::path> files_of(const std::vector<std::string>& paths) {
    std::vector<std::filesystem::path> files;
    for (const std::string& path : paths) {
        if (!std::filesystem::is_directory(path)) {
            files.emplace_back(path);
            continue;
        }
        for (const auto& entry : std::filesystem::directory_iterator(path)) {
            if (entry.path().extension() == ".json") files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    return files;
}

/// The cases of a file that are asked for.
std::vector<Json> cases_of(const std::filesystem::path& path, const Settings& settings) {
    std::ifstream in(path);
    if (!in) throw frisket::IoError("conformance: cannot read " + path.string());
    const Json file = Json::parse(in);
    if (file.value("schema", 0) != 1)
        throw frisket::IoError("conformance: " + path.string() + " is not of schema 1");
    std::vector<Json> cases;
    for (const Json& test : file.at("cases")) {
        const std::string id = test.at("id");
        if (test.value("tier", 1) <= settings.tier && id.find(settings.filter) != std::string::npos)
            cases.push_back(test);
    }
    return cases;
}

/// Runs cases on several threads; verdicts come in the order of the cases.
std::vector<Verdict> run_cases(const std::vector<Json>& cases, const Options& options, unsigned threads,
                               LayoutTable* table) {
    std::vector<Verdict> verdicts(cases.size());
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        for (std::size_t i = next++; i < cases.size(); i = next++) {
            verdicts[i] = run_case(cases[i], options);
            if (table) table->add(cases[i]);
        }
    };
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < threads; ++i) others.emplace_back(work);
    work();
    others.clear();
    return verdicts;
}

int run(const Settings& settings) {
    Options options{.backend = backend_of(settings.via), .layout = {}};
    if (!settings.layout.empty()) options.layout = frisket::parse_layout(settings.layout);
    std::vector<Json> cases;
    for (const auto& path : files_of(settings.paths))
        std::ranges::move(cases_of(path, settings), std::back_inserter(cases));
    LayoutTable table(options.backend);
    const bool wants_table = !settings.table.empty();
    const std::vector<Verdict> verdicts =
        run_cases(cases, options, settings.threads, wants_table ? &table : nullptr);
    if (wants_table) std::ofstream(settings.table) << table.text();
    std::cout << table.failures();
    Tally tally;
    for (std::size_t i = 0; i < cases.size(); ++i)
        tally.add(cases[i].at("id"), verdicts[i], settings.verbose);
    tally.print();
    return tally.any_failed() || !table.failures().empty() ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{description, "conformance"};
    Settings settings;
    std::vector<std::string> layouts;
    for (frisket::Layout layout : frisket::all_layouts()) layouts.emplace_back(frisket::name_of(layout));
    app.add_option("paths", settings.paths, "files, or folders of them")
        ->required()
        ->check(CLI::ExistingPath);
    app.add_option("--via", settings.via, "interpret, jit (the default target), or the name of a target")
        ->capture_default_str();
    app.add_option("--tier", settings.tier, "cases up to this tier: 1 = core, 2 = rare functions too")
        ->capture_default_str();
    app.add_option("--filter", settings.filter, "only cases with this text in their id");
    app.add_option("--layout", settings.layout, "store masked inputs in this layout instead of the case's")
        ->check(CLI::IsMember(layouts));
    app.add_option("--table", settings.table,
                   "run the cases in every layout besides, and write what held to this file");
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

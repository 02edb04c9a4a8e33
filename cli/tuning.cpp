// SPDX-License-Identifier: MIT
#include "tuning.hpp"

#include "../codegen/tuning/records/database.hpp"
#include "../codegen/tuning/records/machine.hpp"
#include "../codegen/tuning/records/record_text.hpp"
#include "../runtime/tensor/error.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <iostream>

namespace frisket::cli {

namespace {

const char* const tuning_examples = R"(Examples:
  frisket tuning ls                            what was found for this machine and this build
  frisket tuning ls --all                      and for others
  frisket tuning export schedules.tsv          as text, to be kept with a project
  frisket tuning merge schedules.tsv box.db    take what others found: of two results for one thing the later
  frisket tuning clear                         forget everything

The database is $FRISKET_TUNING_DB, or frisket/tuning.db in ~/.cache; --db names another.)";

std::string path_of(const std::string& given) {
    const std::string path = given.empty() ? codegen::default_tuning_path() : given;
    if (path.empty())
        throw IoError(
            "tuning: there is no tuning database, since FRISKET_TUNING_DB is \"off\" or there is no home "
            "folder: name a file with --db");
    return path;
}

void say(const codegen::TuningDatabase& database) {
    for (const std::string& message : database.messages())
        std::cerr << (message.starts_with("frisket: ") ? "" : "frisket: ") << message << "\n";
}

std::string counted(std::size_t count) {
    return std::to_string(count) + (count == 1 ? " record" : " records");
}

/// A step's text begins with its name, "step adagrad", that of an expression with its outermost operations,
/// "expression add(x0, x1)".
std::string name_of_step(const codegen::TuningRecord& record) {
    constexpr std::size_t most = 18;
    const std::string first = record.step.substr(0, record.step.find('\n'));
    const auto space = first.find(' ');
    const std::string name = first.substr(space == first.npos ? 0 : space + 1);
    return first.starts_with("expression ") ? name.substr(0, most)
                                            : name.substr(0, name.find_first_of(" :("));
}

std::string day(std::int64_t seconds) {
    std::array<char, 32> text{};
    const auto time = static_cast<std::time_t>(seconds);
    std::tm parts{};
    if (gmtime_r(&time, &parts) == nullptr) return "-";
    std::strftime(text.data(), text.size(), "%Y-%m-%d", &parts);
    return text.data();
}

std::string line_of(const codegen::TuningRecord& record) {
    std::array<char, 256> text{};
    std::snprintf(text.data(), text.size(), "%-18s %-8s 2^%-3d %-14s %6.2f  %-10s  ",
                  name_of_step(record).c_str(), std::string(name_of(record.call.layout)).c_str(),
                  record.call.elements, record.target.c_str(), record.gain, day(record.found_at).c_str());
    return text.data() + (record.schedule.empty() ? "default" : record.schedule);
}

void list(const std::string& path, bool all) {
    const codegen::TuningDatabase database(path, codegen::TuningDatabase::Access::read);
    say(database);
    const std::vector<codegen::TuningRecord> found = database.records();
    std::vector<std::string> lines;
    for (const codegen::TuningRecord& record : found)
        if (all || codegen::is_found_here(record)) lines.push_back(line_of(record));
    std::ranges::sort(lines);
    if (!lines.empty())
        std::cout << "step               layout   size  target           gain  found       schedule\n";
    for (const std::string& line : lines) std::cout << line << "\n";
    std::cout << path << ": " << counted(found.size());
    if (!all && lines.size() < found.size())
        std::cout << ", " << found.size() - lines.size() << " of another machine or build (--all)";
    std::cout << "\n";
}

/// Opens a database for writing.  Errors: IoError if it cannot be written.
codegen::TuningDatabase open(const std::string& path) {
    codegen::TuningDatabase database(path);
    if (!database.can_write())
        throw IoError(database.messages().at(0).substr(std::string("frisket: ").size()));
    return database;
}

void merge(const std::string& path, const std::vector<std::string>& files) {
    codegen::TuningDatabase database = open(path);
    for (const std::string& file : files) {
        const int taken = database.merge(file);
        std::cout << file << ": " << counted(static_cast<std::size_t>(taken)) << " taken\n";
    }
    say(database);
    std::cout << path << ": " << counted(database.records().size()) << "\n";
}

void clear(const std::string& path) {
    codegen::TuningDatabase database = open(path);
    const std::size_t count = database.records().size();
    database.clear();
    std::cout << path << ": " << counted(count) << " removed\n";
}

void export_to(const std::string& path, const std::string& file) {
    const codegen::TuningDatabase database(path, codegen::TuningDatabase::Access::read);
    say(database);
    const std::vector<codegen::TuningRecord> found = database.records();
    if (found.empty()) throw IoError("tuning: " + path + " has no records: nothing is written");
    codegen::write_export(file, found);
    std::cout << file << ": " << counted(found.size()) << "\n";
}

}  // namespace

void add_tuning(CLI::App& app) {
    struct Settings {
        std::string database, file;
        std::vector<std::string> files;
        bool all = false;
    };
    const auto settings = std::make_shared<Settings>();
    CLI::App* const verb = app.add_subcommand("tuning", "list, merge, export or clear what tuning found");
    verb->footer(tuning_examples);
    verb->require_subcommand(1);
    verb->fallthrough();
    verb->add_option("--db", settings->database, "the database, instead of the user's");

    CLI::App* const ls = verb->add_subcommand("ls", "a line for each record");
    ls->add_flag("--all", settings->all, "those of other machines and builds too");
    ls->callback([settings] { list(path_of(settings->database), settings->all); });

    CLI::App* const merging =
        verb->add_subcommand("merge", "take the records of other databases and exports");
    merging->add_option("FILE", settings->files, "databases, or files that `export` wrote")->required();
    merging->callback([settings] { merge(path_of(settings->database), settings->files); });

    verb->add_subcommand("clear", "remove all records")->callback([settings] {
        clear(path_of(settings->database));
    });

    CLI::App* const exporting = verb->add_subcommand("export", "write all records as text");
    exporting->add_option("FILE", settings->file, "the text to write")->required();
    exporting->callback([settings] { export_to(path_of(settings->database), settings->file); });
}

}  // namespace frisket::cli

// SPDX-License-Identifier: MIT
#include "cache.hpp"

#include "../codegen/disk_cache/loop_folder.hpp"
#include "../runtime/tensor/error.hpp"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <array>
#include <cstdio>
#include <ctime>
#include <iostream>

namespace frisket::cli {

namespace {

const char* const cache_examples = R"(Examples:
  frisket cache ls                             the loops on disk, those last used first
  frisket cache clear                          remove them all: each is compiled again when it is next needed
  FRISKET_SHOW=cache ./my_program              which loops a program reads, and which it compiles, and why
  FRISKET_CACHE_DIR=off ./my_program           without the disk

Loops are kept in $FRISKET_CACHE_DIR, or frisket/jit in ~/.cache.  Those that were not used for longest are dropped
when there are more than 256 MiB; what another build of frisket or another processor made is never read.)";

std::string folder_path() {
    const std::string path = codegen::loop_folder_path();
    if (path.empty())
        throw IoError(
            "cache: no loops are kept, since FRISKET_CACHE_DIR is \"off\" or there is no home folder: name a "
            "folder in FRISKET_CACHE_DIR");
    return path;
}

std::string minute(std::int64_t seconds) {
    std::array<char, 32> text{};
    const auto time = static_cast<std::time_t>(seconds);
    std::tm parts{};
    if (gmtime_r(&time, &parts) == nullptr) return "-";
    std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M", &parts);
    return text.data();
}

std::string line_of(const codegen::LoopFolder::File& file, const std::optional<codegen::LoopEntry>& entry) {
    std::array<char, 128> text{};
    std::snprintf(text.data(), text.size(), "%-20s %-14s %9lld  %s  ",
                  (entry ? entry->name : "damaged").c_str(), (entry ? entry->target : "-").c_str(),
                  static_cast<long long>(file.bytes), minute(file.used_at).c_str());
    return text.data() + (entry ? entry->loops : file.name);
}

void list() {
    const std::string path = folder_path();
    std::vector<codegen::LoopFolder::File> files;
    if (access(path.c_str(), F_OK) == 0) {
        const codegen::LoopFolder folder(path, codegen::LoopFolder::Access::read);
        files = folder.files();
        if (!files.empty())
            std::cout << "step                 target             bytes  used, UTC         loops\n";
        for (const codegen::LoopFolder::File& file : files)
            std::cout << line_of(file, folder.entry_in(file)) << "\n";
    }
    std::int64_t bytes = 0;
    for (const codegen::LoopFolder::File& file : files) bytes += file.bytes;
    std::cout << path << ": " << files.size() << " loops, " << bytes << " bytes\n";
}

void clear() {
    const std::string path = folder_path();
    const int removed = access(path.c_str(), F_OK) == 0
                            ? codegen::LoopFolder(path, codegen::LoopFolder::Access::read).clear()
                            : 0;
    std::cout << path << ": " << removed << " loops removed\n";
}

}  // namespace

void add_cache(CLI::App& app) {
    CLI::App* const verb = app.add_subcommand("cache", "compiled loops on disk");
    verb->footer(cache_examples);
    verb->require_subcommand(1);
    verb->add_subcommand("ls", "a line for each")->callback(list);
    verb->add_subcommand("clear", "remove them all")->callback(clear);
}

}  // namespace frisket::cli

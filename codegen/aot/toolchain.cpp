// SPDX-License-Identifier: MIT
#include "toolchain.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <sstream>

#include "../../runtime/tensor/memory.hpp"
#include "programs.hpp"

namespace frisket::aot {

namespace fs = std::filesystem;

Words with(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

Words compiler_named(const std::string& name) {
    const char* const flags = std::getenv("CXXFLAGS");
    std::istringstream words(flags == nullptr ? "" : flags);
    return with({name, "-std=c++20"}, {std::istream_iterator<std::string>(words), {}});
}

std::string compiler_of_environment() {
    const char* const given = std::getenv("CXX");
    return given != nullptr && *given != '\0' ? given : "c++";
}

bool is_device(const std::string& target) {
    const auto row = std::ranges::find(known_targets(), target, &TargetRow::name);
    return row != known_targets().end() && row->gpu;
}

Words compiling(const Toolchain& tools, const fs::path& folder, const Words& headers,
                const std::string& source, const std::string& object) {
    Words command =
        with(tools.compiler, {"-O2", "-fPIC", "-ffp-contract=off", "-Wno-psabi", "-ffunction-sections",
                              "-fdata-sections", "-I" + (folder / "include").string()});
    for (const std::string& header : headers) command.push_back("-I" + header);
    return with(std::move(command), {"-I" + tools.include.string(), "-c", source, "-o", object});
}

Words compile_sources(const Toolchain& tools, const KernelFiles& files, const Words& headers) {
    Words objects;
    std::vector<Words> commands;
    const auto file = [&](const std::string& name) { return (files.folder / name).string(); };
    const auto add = [&](const std::string& name) {
        objects.push_back(file(name + ".cpp.o"));
        commands.push_back(compiling(tools, files.folder, headers, file(name + ".cpp"), objects.back()));
    };
    add(files.name + "_library");
    for (const std::string& step : files.steps) {
        add(files.name + "_" + step);
        for (std::size_t i = 0; i < files.targets.size(); ++i)
            objects.push_back(file(files.name + "_" + step + "_" + std::to_string(i) + ".o"));
    }
    if (std::ranges::any_of(files.targets, is_device)) objects.push_back(file(files.name + "_devices.o"));
    for (std::size_t i = 0; i < files.targets.size(); ++i)
        if (is_device(files.targets[i]))
            objects.push_back(file(files.name + "_devices_" + std::to_string(i) + ".o"));
    run_programs(commands);
    return objects;
}

void place(const fs::path& from, const fs::path& to) {
    fs::create_directories(to.parent_path());
    fs::copy_file(from, to, fs::copy_options::overwrite_existing);
}

void place_headers(const KernelFiles& files, const fs::path& out) {
    for (const char* const kind : {".h", ".hpp"})
        place(files.folder / "include" / (files.name + kind), out / "include" / (files.name + kind));
    place(files.folder / (files.name + ".pc"), out / "lib/pkgconfig" / (files.name + ".pc"));
}

fs::path link_shared(const Toolchain& tools, const KernelFiles& files, const Words& objects,
                     const std::string& version, const fs::path& out) {
    // The headers include it: a shared library needs no frisket in addition.
    place(tools.include / "frisket/c_api.h", out / "include/frisket/c_api.h");
    place_headers(files, out);
    const std::string base = "lib" + files.name + ".so",
                      soname = base + "." + version.substr(0, version.find('.'));
    const fs::path folder = out / "lib", made = folder / (base + "." + version);
    const Words linked =
        with(tools.compiler, {"-shared", "-o", made.string(), "-Wl,-soname," + soname,
                              "-Wl,--version-script=" + (files.folder / (files.name + ".map")).string(),
                              "-Wl,--no-undefined", "-Wl,--gc-sections"});
    run_program(with(with(linked, objects),
                     {"-L" + tools.libraries.string(), "-lfrisket_plans", "-lfrisket_runtime", "-pthread"}));
    for (const std::string& name : {soname, base}) {
        if (name == made.filename()) continue;
        fs::remove(folder / name);
        fs::create_symlink(made.filename(), folder / name);
    }
    return made;
}

}  // namespace frisket::aot

// SPDX-License-Identifier: MIT
#include "aot.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>

#include "kept_objects.hpp"
#include "library.hpp"
#include "processes.hpp"

namespace frisket::aot {

namespace {

using Options = std::map<std::string, std::vector<std::string>, std::less<>>;

/// Options that may be left out.
constexpr std::string_view optional[] = {"--layouts", "--schedules", "--shapes", "--shared", "--family"};

Options parse(int argc, const char* const* argv) {
    Options options{{"--name", {}},    {"--header", {}},  {"--out", {}},
                    {"--layouts", {}}, {"--targets", {}}, {"--schedules", {}},
                    {"--shapes", {}},  {"--shared", {}},  {"--family", {}}};
    std::vector<std::string>* current = nullptr;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (const auto option = options.find(word); option != options.end())
            current = &option->second;
        else if (current && !word.starts_with("--"))
            current->push_back(word);
        else
            throw ValueError("the compiler of kernels does not know " + word);
    }
    for (const auto& [name, words] : options)
        if (words.empty() && std::ranges::find(optional, name) == std::end(optional))
            throw ValueError("the compiler of kernels needs " + name);
    return options;
}

/// Does something for a step; an error of the user's that does not name the step gets its name.
template <class Body>
void for_step(const std::string& name, Body&& body) {
    try {
        body();
    } catch (const Error& error) {
        const std::string text = error.text();
        if (error.code() == ErrorCode::bug || text.starts_with(name + ":")) throw;
        raise(error.code(), name + ": " + text);
    }
}

/// The objects of all steps and targets, several at once, each in a process of its own: Halide numbers the
/// names of all that a process compiles, and the bytes of a loop follow from the order of its names.
/// Errors: the first step's.
void make_objects(Library& library, const std::filesystem::path& out) {
    const std::vector<LibraryStep*> parts = library.parts();
    const std::size_t targets = library.targets.size(), of_parts = parts.size() * targets;
    const std::size_t count = of_parts + targets;
    for (LibraryStep* const part : parts) part->planned.resize(targets);
    const auto make = [&](std::size_t i) {
        if (i >= of_parts) return make_device_kernels(library, i - of_parts, out);
        LibraryStep& step = *parts[i / targets];
        for_step(step.signature.name, [&] { make_object(library, step, i % targets, out); });
    };
    run_in_processes(count, make);
    // Objects of the processes stay on disk; an object that no process could make is refused here.
    for (std::size_t i = 0; i < count; ++i) make(i);
}

void write_library(Library& library, const std::filesystem::path& out) {
    std::filesystem::create_directories(out / "include");
    make_objects(library, out);
    for (const LibraryStep& step : library.steps)
        write_if_changed(out / (library.name + "_" + step.name + ".cpp"), step_source(library, step));
    for (const LibraryStep& one : library.optimizers)
        write_if_changed(out / (library.name + "_" + one.name + ".cpp"), optimizer_source(library, one));
    write_if_changed(out / (library.name + "_library.cpp"), library_source(library));
    if (library.has_devices())
        write_if_changed(out / (library.name + "_devices.o"), device_runtime_object(library));
    write_if_changed(out / (library.name + ".map"), exported_symbols(library));
    write_if_changed(out / (library.name + ".pc"), pkg_config(library));
    write_if_changed(out / "include" / (library.name + ".h"), c_header(library));
    write_if_changed(out / "include" / (library.name + ".hpp"), cpp_header(library));
}

}  // namespace

namespace {

/// Fills in steps and optimizers.
void add_parts(Library& library, const LibraryRequest& request, const NamedParts& parts) {
    const StepUse use{request.layouts, request.shapes, library.has_devices()};
    for (const NamedStep* const given : parts.steps) {
        const NamedStep& step = *given;
        if (!step.step_name.empty()) {
            for_step(std::string(step.step_name), [&] { library.steps.push_back(planned_step(step, use)); });
            continue;
        }
        Graph graph = graph_of(step);
        for_step(std::string(graph.name),
                 [&] { library.steps.push_back(library_step(step.name, std::move(graph), use)); });
        library.steps.back().recordings.assign(step.recordings.begin(), step.recordings.end());
    }
    for (const NamedOptimizer& optimizer : parts.optimizers)
        for_step(last_part(optimizer.name),
                 [&] { library.optimizers.push_back(optimizer_part(optimizer, use)); });
}

}  // namespace

std::vector<std::string> make_library(const LibraryRequest& request, const NamedParts& parts) {
    Library library{.name = request.name, .header = request.header, .version = request.version};
    library.targets = library_targets(request.targets, request.family);
    add_parts(library, request, parts);
    std::vector<std::string> notes;
    for (const std::string& file : request.schedules)
        for (std::string& note : add_schedules(library, file)) notes.push_back(std::move(note));
    write_library(library, request.out);
    return notes;
}

int compile(int argc, const char* const* argv, const NamedParts& parts) noexcept {
    try {
        const Options options = parse(argc, argv);
        const auto first = [&](std::string_view option, const char* otherwise) {
            const std::vector<std::string>& words = options.find(option)->second;
            return words.empty() ? otherwise : words.front();
        };
        const LibraryRequest request{.name = first("--name", ""),
                                     .header = first("--header", ""),
                                     .version = first("--shared", ""),
                                     .family = first("--family", "host"),
                                     .out = first("--out", ""),
                                     .layouts = options.at("--layouts"),
                                     .targets = options.at("--targets"),
                                     .shapes = options.at("--shapes"),
                                     .schedules = options.at("--schedules")};
        for (const std::string& note : make_library(request, parts)) std::cerr << note << '\n';
        return 0;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}

}  // namespace frisket::aot

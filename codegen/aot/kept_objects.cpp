// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "kept_objects.hpp"

#include <fstream>
#include <functional>
#include <iomanip>
#include <iterator>
#include <optional>
#include <sstream>

#include "../../runtime/tensor/error.hpp"
#include "../jit/compiled_loops.hpp"
#include "../loops/linked_loops.hpp"

namespace frisket::aot {

namespace {

namespace fs = std::filesystem;

std::optional<std::string> text_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) return {};
    return std::string(std::istreambuf_iterator<char>(in), {});
}

void add_to(codegen::KeyText& key, const WantedLoops& loops) {
    for (const WantedLoop& loop : loops) key.add(codegen::loop_key(loop.graph, loop.form).text());
}

/// All inputs of an object.
codegen::KeyText key_of(const Library& library, const LibraryStep& step, std::size_t target) {
    codegen::KeyText key = codegen::build_key();
    key.add(library.name).add(step.name).add(library.targets[target].halide);
    const bool is_device = library.targets[target].is_device();
    if (is_device || step.wanted) {
        add_to(key, is_device ? *step.on_device : *step.wanted);
        if (!step.planned_schedules.empty()) add_to(key, step.planned_schedules[target].loops);
    } else {
        for (const Schedule& schedule : schedules_of(library, step, target))
            key.add(codegen::loop_key(step.graph, {.schedule = schedule}).text());
    }
    return key;
}

std::string text_of(const LoopKey& hash) {
    std::ostringstream text;
    text << std::hex << std::setfill('0') << std::setw(16) << hash.high << std::setw(16) << hash.low;
    return text.str();
}

std::string text_of(const std::string& key, const std::vector<LibraryLoop>& loops) {
    std::ostringstream text;
    text << key << "\n" << loops.size() << "\n";
    for (const LibraryLoop& loop : loops) {
        text << loop.key.high << " " << loop.key.low << " " << loop.function << " " << loop.kernels << " "
             << loop.notes.size();
        for (const std::int64_t note : loop.notes) text << " " << note;
        text << "\n";
    }
    return text.str();
}

/// The loops of an object with this key; nothing if its key is another.
std::optional<std::vector<LibraryLoop>> kept_loops(const fs::path& file, const std::string& key) {
    std::ifstream in(file);
    std::string known;
    std::size_t count = 0;
    if (!(in >> known >> count) || known != key) return {};
    std::vector<LibraryLoop> loops;
    for (std::size_t i = 0; i < count; ++i) {
        LibraryLoop& loop = loops.emplace_back();
        std::size_t notes = 0;
        if (!(in >> loop.key.high >> loop.key.low >> loop.function >> loop.kernels >> notes)) return {};
        for (std::size_t k = 0; k < notes; ++k)
            if (!(in >> loop.notes.emplace_back())) return {};
    }
    return loops;
}

}  // namespace

void write_if_changed(const fs::path& file, const std::string& text) {
    if (text_of(file) == text) return;
    std::ofstream out(file, std::ios::binary);
    out << text << std::flush;
    if (!out) throw IoError(file.string() + " cannot be written");
}

namespace {

/// Makes BASE.o of a folder, and the file next to it that names its inputs; `loops` become the object's
/// loops.  `make()` returns its bytes, and changes the loops.
void make_unless_kept(const fs::path& folder, const std::string& base, const codegen::KeyText& from,
                      std::vector<LibraryLoop>& loops, const std::function<std::string()>& make) {
    const fs::path object = folder / (base + ".o"), notes = folder / (base + ".key");
    const std::string key = text_of(codegen::linked_key(from.text()));
    if (auto kept = kept_loops(notes, key); kept && fs::exists(object)) {
        loops = std::move(*kept);
        return;
    }
    fs::remove(notes);  // it comes back when the object is whole
    write_if_changed(object, make());
    write_if_changed(notes, text_of(key, loops));
}

}  // namespace

void make_object(const Library& library, LibraryStep& step, std::size_t target, const fs::path& folder) {
    const bool is_planned = step.wanted || library.targets[target].is_device();
    const std::string base = library.name + "_" + step.name + "_" + std::to_string(target);
    make_unless_kept(folder, base, key_of(library, step, target), step.planned[target], [&] {
        return is_planned ? planned_object(library, step, target) : loops_object(library, step, target);
    });
}

void make_device_kernels(Library& library, std::size_t target, const fs::path& folder) {
    LibraryTarget& row = library.targets[target];
    if (!row.is_device()) return;
    row.kernels = device_kernels_of(library, target);
    codegen::KeyText key = codegen::build_key();
    key.add(library.name).add(row.halide);
    for (const LibraryDeviceKernel& kernel : row.kernels) key.add(kernel.name).add(name_of(kernel.dtype));
    std::vector<LibraryLoop> none;
    make_unless_kept(folder, library.name + "_devices_" + std::to_string(target), key, none,
                     [&] { return device_kernels_object(library, target); });
}

}  // namespace frisket::aot

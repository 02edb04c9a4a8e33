// SPDX-License-Identifier: MIT
#include "build.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "../codegen/aot/aot.hpp"
#include "../codegen/aot/kept_objects.hpp"
#include "../codegen/aot/programs.hpp"
#include "../codegen/aot/toolchain.hpp"
#include "../runtime/tensor/error.hpp"
#include "programs.hpp"

namespace frisket::cli {

namespace {

namespace fs = std::filesystem;
using aot::compiling;
using aot::is_device;
using aot::place;
using aot::run_program;
using aot::with;
using aot::Words;

/// True for a name in C++, with its namespaces if they are allowed.
bool is_name(std::string_view text, bool with_namespaces) {
    bool begins = true;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == ':' && with_namespaces) {
            begins = true;
        } else if ((std::isalpha(byte) == 0 && c != '_') && (begins || std::isdigit(byte) == 0)) {
            return false;
        } else {
            begins = false;
        }
    }
    return !begins;
}

void check(const BuildSettings& settings) {
    if (!is_name(settings.name, false))
        throw ValueError(
            "build: \"" + settings.name +
            "\" is no name for a kernel library: it becomes a name in C, so letters, digits and _");
    if (settings.steps.empty() && settings.functions.empty() && settings.optimizers.empty())
        throw ValueError("build: " + settings.name +
                         ": there is nothing to compile: name --steps, --functions or --optimizers");
    if (!fs::exists(settings.from))
        throw IoError("build: " + settings.name + ": the header " + settings.from + " is not there");
    if (!settings.shared.empty() && !settings.optimizers.empty())
        throw ValueError(
            "build: " + settings.name +
            ": optimizers are C++, and a shared library exports C functions alone: leave --shared out");
    if (settings.cross.empty() != settings.compiler.empty())
        throw ValueError(
            "build: " + settings.name +
            ": --cross and --compiler go together: a frisket for other processors, and their compiler");
    if (!settings.cross.empty() && !fs::is_directory(settings.cross))
        throw IoError("build: --cross " + settings.cross + ": there is no such folder");
    for (const Words* const names : {&settings.steps, &settings.functions, &settings.optimizers})
        for (const std::string& name : *names) {
            if (!is_name(name, true))
                throw ValueError("build: " + settings.name + ": \"" + name +
                                 "\" is no name of a variable of " + settings.from);
            if (name == settings.name)
                throw ValueError("build: " + settings.name +
                                 ": the library and its step have one name: call the library " + name +
                                 "_kernels, for instance");
        }
}

/// The headers and libraries of a frisket that was installed to a folder.
Parts parts_in(const fs::path& prefix) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(prefix))
        if (entry.path().filename() == "libfrisket_plans.a")
            return {fs::absolute(prefix / "include"), fs::absolute(entry.path().parent_path()), {}};
    throw IoError("build: --cross " + prefix.string() + ": no libfrisket_plans.a is there");
}

/// A build of a kernel library: intermediate files are stored in OUT/NAME.kernels, and are taken again by the
/// next build.
class Build {
public:
    explicit Build(const BuildSettings& settings)
        : settings_(settings),
          out_(fs::absolute(settings.out)),
          header_(fs::absolute(settings.from)),
          dir_(out_ / (settings.name + ".kernels")) {
        const Parts linked = settings.cross.empty() ? parts_ : parts_in(settings.cross);
        tools_ = {.include = linked.include, .libraries = linked.libraries};
        host_ = {aot::compiler_of_environment(), "-std=c++20"};
        tools_.compiler = aot::compiler_named(settings.cross.empty() ? host_[0] : settings.compiler);
        if (settings.cross.empty()) host_ = tools_.compiler;
    }

    void run() {
        fs::create_directories(dir_);
        run_program(with({compiling_program()}, arguments()));
        compile_sources();
        if (settings_.shared.empty())
            archive();
        else
            std::cout << link_shared(tools_, files(), objects_, settings_.shared, out_).string() << "\n";
    }

private:
    std::string qualified(const std::string& name) const {
        return "::" + (settings_.name_space.empty() ? "" : settings_.name_space + "::") + name;
    }
    /// The source of the steps, the object that the compiling program and the library have in common.
    std::string steps_source() const {
        std::string steps, listed, optimizers, parts;
        for (const Words* const names : {&settings_.steps, &settings_.functions})
            for (const std::string& name : *names) {
                steps += "extern constinit const frisket::aot::NamedStep " + aot::last_part(name) +
                         " = FRISKET_STEP(" + qualified(name) + ");\n";
                listed += "    &described::" + aot::last_part(name) + ",\n";
            }
        for (const std::string& name : settings_.optimizers)
            optimizers += "    FRISKET_OPTIMIZER(" + qualified(name) + "),\n";
        std::string text = "// Made by frisket build.\n#include <frisket/aot.hpp>\n\n#include \"" +
                           header_.string() + "\"\n\nnamespace " + settings_.name +
                           " {\n\nnamespace described {\n" + steps + "}  // namespace described\n\n";
        const auto add = [&](const std::string& name, const std::string& type, const std::string& rows) {
            if (rows.empty()) return;
            text += "constexpr " + type + " all_" + name + "[] = {\n" + rows + "};\n";
            parts += (parts.empty() ? "." : ", .") + name + " = all_" + name;
        };
        add("steps", "const frisket::aot::NamedStep*", listed);
        add("optimizers", "frisket::aot::NamedOptimizer", optimizers);
        return text + "extern constinit const frisket::aot::NamedParts described_parts = {" + parts +
               "};\n\n}  // namespace " + settings_.name + "\n";
    }

    std::string main_source() const {
        return "// Made by frisket build.\n#include <frisket/aot_tables.hpp>\n\nnamespace " + settings_.name +
               " {\nextern const frisket::aot::NamedParts described_parts;\n}\n\n"
               "int main(int argc, char** argv) { return frisket::aot::compile(argc, argv, " +
               settings_.name + "::described_parts); }\n";
    }

    Words headers() const { return {header_.parent_path().string()}; }
    aot::KernelFiles files() const {
        aot::KernelFiles files{.name = settings_.name, .folder = dir_, .targets = settings_.targets};
        for (const Words* const names : {&settings_.steps, &settings_.functions, &settings_.optimizers})
            for (const std::string& name : *names) files.steps.push_back(aot::last_part(name));
        return files;
    }

    /// Makes the program that compiles the library.
    std::string compiling_program() {
        const fs::path steps = dir_ / "steps.cpp", main = dir_ / "compile.cpp",
                       made = dir_ / (settings_.name + "_compile");
        const std::string object = steps.string() + ".o";
        aot::write_if_changed(steps, steps_source());
        aot::write_if_changed(main, main_source());
        // The files that the library depends on, for build systems.
        run_program(
            with(compiling({host_, parts_.include, {}}, dir_, headers(), steps.string(), object),
                 {"-MD", "-MF", (dir_ / (settings_.name + ".d")).string(), "-MT", library().string()}));
        Words command = with(host_, {"-I" + parts_.include.string(), main.string(), object, "-o",
                                     made.string(), "-L" + parts_.libraries.string()});
        for (const char* const part : {"aot", "optim", "compiler", "plans", "runtime"})
            command.push_back("-lfrisket_" + std::string(part));
        for (const fs::path& library : parts_.shared) {
            command.push_back(library.string());
            command.push_back("-Wl,-rpath," + library.parent_path().string());
        }
        run_program(with(std::move(command), {"-pthread", "-ldl"}));
        return made.string();
    }

    Words arguments() const {
        Words words{"--name", settings_.name, "--header", header_.filename().string(),
                    "--out",  dir_.string()};
        const auto add = [&](const char* option, const Words& values) {
            if (!values.empty()) words = with(with(std::move(words), {option}), values);
        };
        add("--layouts", settings_.layouts);
        add("--targets", settings_.targets);
        add("--shapes", settings_.shapes);
        if (!settings_.schedules.empty()) add("--schedules", {fs::absolute(settings_.schedules).string()});
        if (!settings_.shared.empty()) add("--shared", {settings_.shared});
        const auto processor = std::ranges::find_if_not(settings_.targets, is_device);
        if (!settings_.cross.empty() && processor != settings_.targets.end()) add("--family", {*processor});
        return words;
    }

    void compile_sources() {
        const fs::path steps = dir_ / "steps.cpp";
        const std::string object = steps.string() + ".o";  // as the compiling program has it
        if (!settings_.cross.empty()) run_program(compiling(tools_, dir_, headers(), steps.string(), object));
        objects_ = with({object}, aot::compile_sources(tools_, files(), headers()));
    }

    /// The archiver, of other processors the one beside their compiler, of the same name: x-ar beside x-g++.
    std::string archiver() const {
        const std::string& compiler = settings_.compiler;
        const auto dash = compiler.rfind('-');
        return compiler.substr(0, dash == compiler.npos ? 0 : dash + 1) + "ar";
    }

    /// The library that is made.
    fs::path library() const {
        if (settings_.shared.empty()) return out_ / "lib" / ("lib" + settings_.name + ".a");
        return out_ / "lib" / ("lib" + settings_.name + ".so." + settings_.shared);
    }

    void archive() const {
        aot::place_headers(files(), out_);
        // NAME.hpp includes it.
        const fs::path header = out_ / "include" / header_.filename();
        if (!fs::exists(header) || !fs::equivalent(header, header_)) place(header_, header);
        const fs::path made = library();
        fs::remove(made);
        run_program(with({archiver(), "rcs", made.string()}, objects_));
        std::cout << made.string() << "\n";
    }

    const BuildSettings& settings_;
    const Parts parts_ = find_parts();
    const fs::path out_, header_, dir_;
    Words host_;            // the compiler of this processor, and its flags
    aot::Toolchain tools_;  // compiler and libraries of the processors that the library is for
    Words objects_;
};

}  // namespace

void build(const BuildSettings& settings) {
    check(settings);
    Build(settings).run();
}

}  // namespace frisket::cli

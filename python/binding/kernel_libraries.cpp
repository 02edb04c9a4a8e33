// SPDX-License-Identifier: MIT
// Libraries of kernels that are compiled ahead of time from recorded functions and steps.
#include "kernel_libraries.hpp"

#include "../../codegen/aot/aot.hpp"
#include "../../codegen/aot/library.hpp"
#include "../../codegen/aot/shape_forms.hpp"
#include "../../codegen/aot/toolchain.hpp"
#include "interpreter_lock.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <filesystem>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace frisket::python {

namespace {

using Words = std::vector<std::string>;
using GivenParameter = std::tuple<std::string, std::string, std::string>;  ///< name, kind, dtype

/// A step or a function as Python recorded it.
struct RecordedStep {
    std::string name;  ///< "::adagrad"
    std::vector<GivenParameter> given;
    std::size_t result_count;
    bool has_shapes;
    Words recordings;

    std::vector<StepSymbol> parameters = {};
    std::vector<std::string_view> texts = {};
    aot::NamedStep step = {};

    /// Fills in `step`, which refers to the other members.
    void prepare() {
        for (const auto& [parameter, kind, dtype] : given)
            parameters.push_back({parameter, parse_symbol_kind(kind), parse_dtype(dtype)});
        texts.assign(recordings.begin(), recordings.end());
        step = {.name = name.c_str(),
                .parameters = parameters,
                .result_count = result_count,
                .recordings = texts};
        if (has_shapes) step.step_name = std::string_view(name).substr(2);
    }
};

/// The extents of each parameter, for each form of shapes that is for a step.
std::vector<std::vector<Words>> shape_forms(const std::string& step, const std::vector<GivenParameter>& given,
                                            const Words& shapes) {
    std::vector<Parameter> parameters;
    for (const auto& [name, kind, dtype] : given)
        parameters.push_back({name, parse_symbol_kind(kind), parse_dtype(dtype)});
    std::vector<std::vector<Words>> forms;
    for (const std::string& words : shapes)
        if (const auto own = aot::words_for(step, words))
            forms.push_back(aot::shape_form(*own, parameters).extents);
    return forms;
}

using GivenStep = std::tuple<std::string, std::vector<GivenParameter>, std::size_t, bool, Words>;

/// Makes a shared library of recorded steps.  Returns its path, and sentences about schedules.
std::pair<std::string, Words> build_library(const std::string& name, const std::string& header,
                                            const std::vector<GivenStep>& given,
                                            const std::map<std::string, Words>& options,
                                            const std::string& version, const std::string& directory,
                                            const std::string& package) try {
    const ReleasedLock released;
    const std::filesystem::path out = std::filesystem::absolute(directory), parts = package;
    std::vector<RecordedStep> steps;
    aot::KernelFiles files{
        .name = name, .folder = out / (name + ".kernels"), .targets = options.at("targets")};
    for (const auto& [step, parameters, results, has_shapes, recordings] : given) {
        steps.push_back({"::" + step, parameters, results, has_shapes, recordings});
        files.steps.push_back(step);
    }
    std::vector<const aot::NamedStep*> named;
    for (RecordedStep& step : steps) {
        step.prepare();
        named.push_back(&step.step);
    }
    const aot::LibraryRequest request{.name = name,
                                      .header = header,
                                      .version = version,
                                      .out = files.folder,
                                      .layouts = options.at("layouts"),
                                      .targets = files.targets,
                                      .shapes = options.at("shapes"),
                                      .schedules = options.at("schedules")};
    const Words notes = aot::make_library(request, {.steps = {named.data(), named.size()}});
    const aot::Toolchain tools{.compiler = aot::compiler_named(aot::compiler_of_environment()),
                               .include = parts / "include",
                               .libraries = parts / "lib"};
    const Words objects = aot::compile_sources(tools, files);
    return {aot::link_shared(tools, files, objects, version, out).string(), notes};
} catch (const std::filesystem::filesystem_error& error) {
    throw IoError("build: " + error.path1().string() + " cannot be written: " + error.code().message() +
                  ": name another directory");
}

}  // namespace

void add_kernel_libraries(nb::module_& module) {
    module.def("shape_forms", &shape_forms);
    module.def("build_library", &build_library);
    module.def("dtype_named",
               [](const std::string& name) { return std::string(name_of(parse_dtype(name))); });
}

}  // namespace frisket::python

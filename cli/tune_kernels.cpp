// SPDX-License-Identifier: MIT
#include "../codegen/aot/aot.hpp"
#include "../runtime/support/joined.hpp"
#include "../runtime/tensor/error.hpp"
#include "command.hpp"
#include "search.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>

/// The program NAME_tune that frisket_add_kernels makes.
namespace frisket::aot {

namespace {

struct Settings {
    std::string step, layout = "bitmask", target;
    Shape shape{4096, 4096};
    std::vector<std::string> numbers;
    cli::SearchSettings search;
};

std::string last_part(std::string_view name) { return std::string(name.substr(name.rfind(':') + 1)); }

std::string names_of(std::span<const NamedStep> steps) {
    return runtime::joined(steps, [](const NamedStep& step) { return last_part(step.name); });
}

Graph step_of(const std::string& name, const std::string& program, std::span<const NamedStep> steps) {
    for (const NamedStep& step : steps)
        if (last_part(step.name) == name) return step.describe();
    throw ValueError(program + ": there is no step \"" + name + "\": there are " + names_of(steps));
}

/// The numbers of the step that --number gives.
std::vector<optim::Number> numbers_of(const Graph& step, const std::vector<std::string>& given) {
    std::vector<optim::Number> numbers;
    for (const std::string& word : given) {
        const std::string_view name = std::string_view(word).substr(0, word.find('='));
        const bool is_known = std::ranges::any_of(step.symbols, [&](const Symbol& symbol) {
            return symbol.name == name && symbol.kind == SymbolKind::scalar;
        });
        double value = 0;
        const char* const end = word.data() + word.size();
        const char* const begin = word.data() + std::min(name.size() + 1, word.size());
        const auto [stop, error] = std::from_chars(begin, end, value);
        const bool is_number = error == std::errc() && stop == end;
        if (!is_known || !is_number)
            throw ValueError(step.name + ": --number " + word +
                             ": wanted a Scalar of the step and its value, lr=0.1 for instance");
        numbers.push_back({name, value});
    }
    return numbers;
}

DType parameter_dtype(const Graph& step) {
    const Signature signature = signature_of(step);
    if (signature.outputs.empty())
        throw ValueError(step.name + ": writes no tensor: there are no loops to tune");
    return signature.parameters[static_cast<std::size_t>(signature.outputs.front())].dtype;
}

void tune(const Settings& settings, Graph step) {
    std::vector<optim::Number> numbers = numbers_of(step, settings.numbers);
    const DType dtype = parameter_dtype(step);
    cli::tune_step({.graph = std::move(step),
                    .numbers = [&](const Shape&) { return numbers; },
                    .dtype = dtype,
                    .shape = settings.shape,
                    .layout = settings.layout,
                    .target = settings.target},
                   settings.search);
}

std::string examples(const std::string& program, const std::string& step) {
    return "Examples:\n  " + program + " " + step + " --shape 1000000,64 --layout rows --density 0.01\n  " +
           program + " " + step +
           " --shape 4096,4096 --mask mask.npy --budget 60\n"
           "\n"
           "What is found is kept in the tuning database, for kernels that are compiled just in time.  Those "
           "of this\n"
           "library take it from a file: `frisket tuning export tuned.tsv`, then SCHEDULES tuned.tsv in its\n"
           "frisket_add_kernels.  For kernels of another target than host say which, --target x86-64-avx2 "
           "for instance.\n"
           "Ctrl-C ends the search and keeps what was found until then.";
}

}  // namespace

int tune(const char* library, int argc, const char* const* argv, std::initializer_list<NamedStep> steps) {
    const std::string program = std::string(library) + "_tune";
    Settings settings;
    CLI::App app{"Looks for the fastest schedule of a step of " + std::string(library) + " on this machine.",
                 program};
    app.footer(examples(program, last_part(steps.begin()->name)));
    app.add_option("STEP", settings.step, "one of " + names_of(steps))->required();
    app.add_option("--layout", settings.layout, "of the Masked symbols")->capture_default_str();
    app.add_option("--target", settings.target, "of the table that `frisket doctor` prints");
    app.add_option("--shape", settings.shape, "of all tensors")->delimiter(',')->capture_default_str();
    app.add_option("--number", settings.numbers, "a Scalar's value, NAME=VALUE, else 1; may be given again");
    add_search_options(app, settings.search);
    app.callback([&] { tune(settings, step_of(settings.step, program, steps)); });
    return cli::run_command(app, argc, argv);
}

}  // namespace frisket::aot

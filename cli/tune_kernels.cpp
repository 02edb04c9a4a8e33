// SPDX-License-Identifier: MIT
#include "../codegen/aot/aot.hpp"
#include "../runtime/support/joined.hpp"
#include "../runtime/tensor/error.hpp"
#include "command.hpp"
#include "search.hpp"
#include "show_step.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <map>

/// The program NAME_tune that frisket_add_kernels makes.
namespace frisket::aot {

namespace {

struct Settings {
    std::string name, layout = "bitmask", target;
    Shape shape{4096, 4096};
    std::vector<std::string> numbers, shapes;
    cli::SearchSettings search;
    cli::ShowOptions show;
};

[[noreturn]] void refuse_name(const std::string& program, const std::string& name, const std::string& known) {
    throw ValueError(program + ": there is no step \"" + name + "\": there are " + known);
}

/// Steps and expressions of a library.
struct Library {
    std::string program;
    std::span<const NamedStep> steps;
    std::span<const NamedExpression> expressions;

    std::string names() const {
        const auto name = [](const auto& one) { return last_part(one.name); };
        return runtime::joined(steps, name) + (steps.empty() || expressions.empty() ? "" : ", ") +
               runtime::joined(expressions, name);
    }
};

/// A word NAME=VALUE, cut at its first '='.  Errors: ValueError if it has none.
std::pair<std::string, std::string> cut(const std::string& what, const std::string& option,
                                        const std::string& word, const std::string& wanted) {
    const auto equals = word.find('=');
    if (equals == word.npos) throw ValueError(what + ": " + option + " " + word + ": wanted " + wanted);
    return {word.substr(0, equals), word.substr(equals + 1)};
}

/// A Scalar's value by --number.
struct GivenNumber {
    std::string word, name;
    double value = 0;
};

std::vector<GivenNumber> numbers_of(const std::string& what, const std::vector<std::string>& given) {
    std::vector<GivenNumber> numbers;
    const std::string wanted = "a Scalar of the step and its value, lr=0.1 for instance";
    for (const std::string& word : given) {
        const auto [name, text] = cut(what, "--number", word, wanted);
        double value = 0;
        const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || stop != text.data() + text.size())
            throw ValueError(what + ": --number " + word + ": wanted " + wanted);
        numbers.push_back({word, name, value});
    }
    return numbers;
}

/// The numbers of a step.  Errors: ValueError if it has no Scalar of such a name.
std::vector<optim::Number> numbers_of(const Graph& step, const std::vector<GivenNumber>& given) {
    std::vector<optim::Number> numbers;
    for (const GivenNumber& number : given) {
        const auto symbol = std::ranges::find(step.symbols, number.name, &Symbol::name);
        if (symbol == step.symbols.end() || symbol->kind != SymbolKind::scalar)
            throw ValueError(step.name + ": --number " + number.word +
                             ": wanted a Scalar of the step and its value, lr=0.1 for instance");
        numbers.push_back({symbol->name, number.value});
    }
    return numbers;
}

/// The shapes that --shape-of specifies.
std::map<std::string, Shape> shapes_of(const std::string& what, const std::vector<std::string>& given) {
    std::map<std::string, Shape> shapes;
    for (const std::string& word : given) {
        const std::string wanted = "a symbol of the expression and its extents, x=1024,64 for instance";
        const auto [name, text] = cut(what, "--shape-of", word, wanted);
        Shape& shape = shapes[name];
        for (const char *at = text.data(), *end = at + text.size(); at < end;) {
            std::int64_t extent = 0;
            const auto [stop, error] = std::from_chars(at, end, extent);
            const bool is_extent = error == std::errc() && extent >= 0 && (stop == end || *stop == ',');
            if (!is_extent) throw ValueError(what + ": --shape-of " + word + ": wanted " + wanted);
            shape.push_back(extent);
            at = stop == end ? end : stop + 1;
        }
    }
    return shapes;
}

DType parameter_dtype(const Graph& step) {
    const Signature signature = signature_of(step);
    if (!step.results.empty()) return step[step.results.front()].result_dtype();
    if (signature.outputs.empty())
        throw ValueError(step.name + ": writes no tensor: there are no loops to tune");
    return signature.parameters[static_cast<std::size_t>(signature.outputs.front())].dtype;
}

void tune_graph(const Settings& settings, const Graph& step) {
    const std::vector<GivenNumber> given = numbers_of(step.name, settings.numbers);
    const std::vector<optim::Number> numbers = numbers_of(step, given);
    cli::tune_step({.graph = step,
                    .numbers = [&](const Shape&) { return numbers; },
                    .dtype = parameter_dtype(step),
                    .shape = settings.shape,
                    .layout = settings.layout,
                    .target = settings.target},
                   settings.search);
}

void tune_expression(const Settings& settings, const NamedExpression& expression) {
    const std::vector<GivenNumber> given = numbers_of(settings.name, settings.numbers);
    std::vector<optim::Number> numbers;
    for (const GivenNumber& number : given) numbers.push_back({number.name, number.value});
    cli::tune_expression({.name = settings.name,
                          .emit = expression.emit,
                          .shape = settings.shape,
                          .shapes = shapes_of(settings.name, settings.shapes),
                          .numbers = numbers,
                          .layout = settings.layout,
                          .target = settings.target},
                         settings.search);
}

/// The graph of a step or a function; with operations on whole tensors, for the shapes of the options.
Graph graph_of(const NamedStep& step, const Settings& settings) {
    if (step.describe != nullptr) return step.describe();
    const std::map<std::string, Shape> given = shapes_of(settings.name, settings.shapes);
    std::vector<Shape> shapes;
    for (const StepSymbol& symbol : step.parameters) {
        const auto own = given.find(std::string(symbol.name));
        shapes.push_back(!is_tensor(symbol.kind) ? Shape{}
                         : own != given.end()    ? own->second
                                                 : settings.shape);
    }
    return step.describe_for(shapes);
}

void tune(const Settings& settings, const Library& library) {
    for (const NamedStep& step : library.steps)
        if (last_part(step.name) == settings.name) return tune_graph(settings, graph_of(step, settings));
    for (const NamedExpression& expression : library.expressions)
        if (last_part(expression.name) == settings.name) return tune_expression(settings, expression);
    refuse_name(library.program, settings.name, library.names());
}

void show(Settings& settings, const Library& library) {
    settings.show.layout = settings.layout;
    settings.show.target = settings.target;
    for (const NamedStep& step : library.steps) {
        if (last_part(step.name) != settings.name) continue;
        if (step.result_count > 0 && settings.show.stage != "graph")
            throw ValueError(library.program + ": " + settings.name +
                             " is a function, whose loops depend on its arguments: call it with "
                             "FRISKET_SHOW=plan or FRISKET_SHOW=loops, or show --stage graph");
        return cli::show_step(graph_of(step, settings), settings.show);
    }
    const auto name = [](const NamedStep& one) { return last_part(one.name); };
    refuse_name(library.program, settings.name, runtime::joined(library.steps, name));
}

std::string examples(const Library& library) {
    const std::string& program = library.program;
    std::string text = "Examples:\n";
    if (!library.steps.empty()) {
        const std::string step = "  " + program + " " + last_part(library.steps[0].name);
        text += step + " --shape 1000000,64 --layout rows --density 0.01\n" + step +
                " --shape 4096,4096 --mask mask.npy --budget 60\n  " + program + " show " +
                last_part(library.steps[0].name) + " --stage plan\n";
    }
    if (!library.expressions.empty())
        text += "  " + program + " " + last_part(library.expressions[0].name) +
                " --shape 1024,1024 --layout strided --density 0.5\n";
    text +=
        "\nWhat is found is kept in the tuning database, where eval finds it, and kernels that are compiled "
        "just in time.\n";
    if (!library.steps.empty())
        text +=
            "Those of this library take it from a file: `frisket tuning export tuned.tsv`, then SCHEDULES "
            "tuned.tsv in its\nfrisket_add_kernels.  For kernels of another target than host say which, "
            "--target x86-64-avx2 for instance.\n";
    return text + "Ctrl-C ends the search and keeps what was found until then.";
}

}  // namespace

int tune(const char* library, int argc, const char* const* argv, std::initializer_list<NamedStep> steps,
         std::initializer_list<NamedExpression> expressions, const char* page_script) {
    const Library all{std::string(library) + "_tune", steps, expressions};
    Settings settings;
    settings.search.page_script = page_script;
    const std::string what = expressions.size() == 0 ? "a step" : "a step or an expression";
    CLI::App app{"Looks for the fastest schedule of " + what + " of " + library + " on this machine.",
                 all.program};
    app.footer(examples(all));
    app.require_subcommand(0, 1);
    const std::string known = "one of " + all.names();
    const auto add_step_options = [&](CLI::App& to) {
        to.add_option("STEP", settings.name, known);
        to.add_option("--layout", settings.layout, "of the Masked symbols")->capture_default_str();
        to.add_option("--target", settings.target, "of the table that `frisket doctor` prints");
        to.add_option("--shape", settings.shape, "of all tensors")->delimiter(',')->capture_default_str();
    };
    add_step_options(app);
    const std::string shape_of = "another shape for a symbol, x=1024,64; may be given again";
    app.add_option("--shape-of", settings.shapes, shape_of);
    app.add_option("--number", settings.numbers, "a Scalar's value, NAME=VALUE, else 1; may be given again");
    add_search_options(app, settings.search);
    CLI::App* const verb = app.add_subcommand("show", "print a step at a stage of its way to loops");
    verb->footer(cli::stages_text());
    add_step_options(*verb);
    verb->get_option("STEP")->required();
    verb->add_option("--shape-of", settings.shapes, shape_of);
    add_show_options(*verb, settings.show);
    verb->callback([&] { show(settings, all); });
    app.callback([&] {
        if (!app.get_subcommands().empty()) return;
        if (settings.name.empty()) throw ValueError(all.program + ": STEP is missing: name " + known);
        tune(settings, all);
    });
    return cli::run_command(app, argc, argv);
}

}  // namespace frisket::aot

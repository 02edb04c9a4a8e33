// SPDX-License-Identifier: MIT
#include "aot.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <filesystem>
#include <iostream>
#include <map>
#include <thread>

#include "../../ir/planner/shaped_step.hpp"
#include "../../runtime/layouts/layout_traits.hpp"
#include "../jit/halide_runtime.hpp"
#include "../loops/ready_step.hpp"
#include "kept_objects.hpp"
#include "library.hpp"
#include "sample_calls.hpp"

namespace frisket::aot {

namespace {

using Options = std::map<std::string, std::vector<std::string>, std::less<>>;

Options parse(int argc, const char* const* argv) {
    Options options{{"--name", {}},    {"--header", {}},    {"--out", {}},   {"--layouts", {}},
                    {"--targets", {}}, {"--schedules", {}}, {"--shapes", {}}};
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
        if (words.empty() && name != "--layouts" && name != "--schedules" && name != "--shapes")
            throw ValueError("the compiler of kernels needs " + name);
    return options;
}

/// The layouts of one word: "coo" for each Masked symbol, or "grad=coo,mask=strided".
std::vector<Layout> layouts_of(const std::string& step, const std::vector<std::string>& masked,
                               std::string_view word, const auto& walked) {
    if (word.find('=') == word.npos) return std::vector<Layout>(masked.size(), walked(parse_layout(word)));
    std::vector<Layout> layouts(masked.size());
    std::vector<bool> given(masked.size());
    while (!word.empty()) {
        const std::string_view part = word.substr(0, word.find(','));
        word = part.size() == word.size() ? "" : word.substr(part.size() + 1);
        const auto equals = part.find('=');
        const auto symbol = std::ranges::find(masked, part.substr(0, equals));
        if (equals == part.npos || symbol == masked.end())
            throw LayoutError(
                step + ": LAYOUTS says " + std::string(part) +
                ", and the step has no Masked symbol of that name: write SYMBOL=LAYOUT for each");
        layouts[static_cast<std::size_t>(symbol - masked.begin())] =
            walked(parse_layout(part.substr(equals + 1)));
        given[static_cast<std::size_t>(symbol - masked.begin())] = true;
    }
    if (const auto missing = std::ranges::find(given, false); missing != given.end())
        throw LayoutError(step + ": LAYOUTS gives no layout to " +
                          masked[static_cast<std::size_t>(missing - given.begin())] +
                          ": write SYMBOL=LAYOUT for each");
    return layouts;
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

/// The objects of all steps and targets, several at once.  Errors: the first step's.
void make_objects(Library& library, const std::filesystem::path& out) {
    const std::size_t targets = library.targets.size(), count = library.steps.size() * targets;
    for (LibraryStep& step : library.steps) step.planned.resize(targets);
    std::vector<std::exception_ptr> errors(count);
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        for (std::size_t i = next++; i < count; i = next++) try {
                LibraryStep& step = library.steps[i / targets];
                for_step(step.signature.name, [&] { make_object(library, step, i % targets, out); });
            } catch (...) { errors[i] = std::current_exception(); }
    };
    constexpr unsigned most = 16;  // each takes some hundred MB
    const unsigned threads = std::min(std::max(std::thread::hardware_concurrency(), 1U), most);
    {
        std::vector<std::jthread> others;
        for (unsigned i = 1; i < threads; ++i) others.emplace_back(work);
        work();
    }
    for (const std::exception_ptr& error : errors)
        if (error) std::rethrow_exception(error);
}

void write_library(Library& library, const std::filesystem::path& out) {
    std::filesystem::create_directories(out / "include");
    make_objects(library, out);
    for (const LibraryStep& step : library.steps)
        write_if_changed(out / (library.name + "_" + step.name + ".cpp"), step_source(library, step));
    write_if_changed(out / (library.name + "_library.cpp"), library_source(library));
    make_runtime(out / (library.name + "_runtime.o"));
    write_if_changed(out / "include" / (library.name + ".h"), c_header(library));
    write_if_changed(out / "include" / (library.name + ".hpp"), cpp_header(library));
}

/// Names of the Masked parameters.
std::vector<std::string> masked_of(const Signature& signature) {
    std::vector<std::string> masked;
    for (const Parameter& parameter : signature.parameters)
        if (parameter.kind == SymbolKind::masked) masked.push_back(parameter.name);
    return masked;
}

}  // namespace

LibraryStep library_step(std::string cpp_name, Graph graph, std::span<const std::string> layouts) {
    LibraryStep step{.cpp_name = std::move(cpp_name), .graph = std::move(graph)};
    step.name = step.cpp_name.substr(step.cpp_name.rfind(':') + 1);
    step.signature = signature_of(step.graph);
    step.numbers = ir::ScalarProgram::of(step.graph);
    const std::vector<std::string> masked = masked_of(step.signature);
    std::vector<bool> wanted(strategy_count);
    auto want = [&](Strategy strategy) { wanted[static_cast<std::size_t>(strategy)] = true; };
    want(Strategy::strided);
    if (masked.empty())
        want(Strategy::dense);
    else if (layouts.empty())
        throw LayoutError(step.graph.name + ": LAYOUTS names no layout: name one or more");
    for (const std::string& word : layouts) {
        if (masked.empty()) break;
        std::vector<Layout> met = layouts_of(step.graph.name, masked, word, runtime::kernel_layout);
        if (std::ranges::find(step.layouts, met) != step.layouts.end()) continue;
        step.layouts.push_back(std::move(met));
        for (const Strategy strategy : kernel::strategies_for(step.signature, step.layouts.back()))
            want(strategy);
    }
    for (const StrategyInfo& known : strategies)
        if (wanted[static_cast<std::size_t>(known.strategy)]) step.strategies.push_back(known.strategy);
    return step;
}

namespace {

/// The results of a function by the loops of a provider.
std::vector<Result> evaluated(const NamedStep& function, std::span<const Argument> arguments,
                              const codegen::LoopProvider& loops) {
    std::vector<std::string_view> names;
    for (const StepSymbol& symbol : function.parameters) names.push_back(symbol.name);
    plan::ShapedFunction planned(names, function.describe_for,
                                 [&](const Graph& graph, std::span<const Argument> ordered) {
                                     return codegen::evaluate_graph(graph, ordered, loops);
                                 });
    return planned.call(arguments);
}

}  // namespace

LibraryStep planned_step(const NamedStep& given, std::span<const std::string> layouts,
                         std::span<const std::string> shapes) {
    LibraryStep step{.cpp_name = given.name};
    step.name = step.cpp_name.substr(step.cpp_name.rfind(':') + 1);
    step.graph.name = given.step_name;
    step.signature.name = given.step_name;
    step.signature.has_shapes = true;
    step.result_count = given.result_count;
    for (const StepSymbol& symbol : given.parameters)
        step.signature.parameters.push_back({std::string(symbol.name), symbol.kind, symbol.dtype});
    const std::vector<std::string> masked = masked_of(step.signature);
    if (!masked.empty() && layouts.empty())
        throw LayoutError(step.signature.name + ": LAYOUTS names no layout: name one or more");
    const auto as_given = [](Layout layout) { return layout; };
    for (const std::string& word : layouts) {
        if (masked.empty()) break;
        std::vector<Layout> met = layouts_of(step.signature.name, masked, word, as_given);
        if (std::ranges::find(step.layouts, met) == step.layouts.end())
            step.layouts.push_back(std::move(met));
    }
    SampledCalls calls{step.signature.parameters, {}, step.layouts};
    for (const std::string& words : shapes)
        if (const auto own = words_for(step.name, words))
            calls.forms.push_back(shape_form(*own, step.signature.parameters));
    const bool are_usual = calls.forms.empty();
    if (are_usual) calls.forms = usual_forms(step.signature.parameters);
    step.wanted = wanted_loops(calls, are_usual,
                               [&](std::span<const Argument> arguments, const codegen::LoopProvider& loops) {
                                   if (given.result_count > 0)
                                       return static_cast<void>(evaluated(given, arguments, loops));
                                   const Graph graph = given.describe_for(shapes_of(arguments));
                                   codegen::ready_step(graph, arguments, loops)->run();
                               });
    return step;
}

int compile(int argc, const char* const* argv, std::initializer_list<NamedStep> steps) noexcept {
    try {
        const Options options = parse(argc, argv);
        Library library{.name = options.at("--name").front(), .header = options.at("--header").front()};
        library.targets = library_targets(options.at("--targets"));
        for (const NamedStep& step : steps) {
            if (step.describe_for != nullptr) {
                for_step(std::string(step.step_name), [&] {
                    library.steps.push_back(
                        planned_step(step, options.at("--layouts"), options.at("--shapes")));
                });
                continue;
            }
            Graph graph = step.describe();
            for_step(std::string(graph.name), [&] {
                library.steps.push_back(library_step(step.name, std::move(graph), options.at("--layouts")));
            });
        }
        for (const std::string& file : options.at("--schedules"))
            for (const std::string& note : add_schedules(library, file)) std::cerr << note << '\n';
        write_library(library, options.at("--out").front());
        return 0;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}

}  // namespace frisket::aot

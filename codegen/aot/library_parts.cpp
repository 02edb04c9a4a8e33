// SPDX-License-Identifier: MIT
#include "aot.hpp"

#include <algorithm>
#include <exception>

#include "../../ir/passes/recording.hpp"
#include "../../runtime/layouts/layout_traits.hpp"
#include "library.hpp"
#include "shape_forms.hpp"

/// The parts of a kernel library, before their loops are compiled.
namespace frisket::aot {

namespace {

using LayoutRows = std::vector<std::vector<Layout>>;

/// The layouts of one word: "coo" for each Masked symbol, or "grad=coo,mask=strided".
std::vector<Layout> layouts_of(const std::string& step, const std::vector<std::string>& masked,
                               std::string_view word, Layout (*walked)(Layout)) {
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

/// Names of the Masked parameters.
std::vector<std::string> masked_of(const Signature& signature) {
    std::vector<std::string> masked;
    for (const Parameter& parameter : signature.parameters)
        if (parameter.kind == SymbolKind::masked) masked.push_back(parameter.name);
    return masked;
}

/// The layouts of all words, each once.  Errors: LayoutError for words that do not fit the step.
LayoutRows layout_rows(const Signature& signature, std::span<const std::string> words,
                       Layout (*walked)(Layout)) {
    const std::vector<std::string> masked = masked_of(signature);
    if (masked.empty()) return {};
    if (words.empty()) throw LayoutError(signature.name + ": LAYOUTS names no layout: name one or more");
    LayoutRows rows;
    for (const std::string& word : words) {
        std::vector<Layout> met = layouts_of(signature.name, masked, word, walked);
        if (std::ranges::find(rows, met) == rows.end()) rows.push_back(std::move(met));
    }
    return rows;
}

Layout as_given(Layout layout) { return layout; }

/// The forms of SHAPES that are meant for a step.
std::vector<ShapeForm> asked_forms(const LibraryStep& step, std::span<const std::string> shapes) {
    std::vector<ShapeForm> forms;
    for (const std::string& words : shapes)
        if (const auto own = words_for(step.name, words))
            forms.push_back(shape_form(*own, step.signature.parameters));
    return forms;
}

}  // namespace

namespace {

/// Errors of calls of some shapes and layouts, which are no error of a step unless all have one.
class Attempts {
public:
    template <class Body>
    void make(Body&& body) {
        try {
            body();
            has_succeeded_ = true;
        } catch (const Error& error) {
            if (error.code() == ErrorCode::bug) throw;
            error_ = std::current_exception();
        }
    }
    /// Errors: the last, if all attempts had one.
    void check() const {
        if (!has_succeeded_ && error_) std::rethrow_exception(error_);
    }

private:
    bool has_succeeded_ = false;
    std::exception_ptr error_;
};

/// Adds the loops of a graph for each row of layouts that can hold the shapes of its symbols.
void add_loops(LoopCollector& loops, const Graph& graph, std::span<const std::vector<Layout>> rows,
               bool has_threads) {
    if (rows.empty()) return loops.add(graph, {}, has_threads);
    const bool has_shapes = graph.shaped || !graph.results.empty();
    for (const std::vector<Layout>& layouts : rows) {
        auto layout = layouts.begin();
        const bool can_hold = std::ranges::all_of(graph.symbols, [&](const Symbol& symbol) {
            return symbol.kind != SymbolKind::masked || runtime::can_hold(*layout++, symbol.shape);
        });
        if (can_hold || !has_shapes) loops.add(graph, layouts, has_threads);
    }
}

}  // namespace

LibraryStep library_step(std::string cpp_name, Graph graph, const StepUse& use) {
    LibraryStep step{.cpp_name = std::move(cpp_name), .graph = std::move(graph)};
    step.name = last_part(step.cpp_name);
    step.signature = signature_of(step.graph);
    step.numbers = ir::ScalarProgram::of(step.graph);
    std::vector<bool> wanted(strategy_count);
    auto want = [&](Strategy strategy) { wanted[static_cast<std::size_t>(strategy)] = true; };
    want(Strategy::strided);
    if (masked_of(step.signature).empty()) want(Strategy::dense);
    step.layouts = layout_rows(step.signature, use.layouts, runtime::kernel_layout);
    if (use.has_devices) {
        LoopCollector loops(true);
        add_loops(loops, step.graph, layout_rows(step.signature, use.layouts, as_given), true);
        step.on_device = loops.wanted();
    }
    for (const std::vector<Layout>& row : step.layouts)
        for (const Strategy strategy : kernel_calls::strategies_for(step.signature, row)) want(strategy);
    for (const StrategyInfo& known : strategies)
        if (wanted[static_cast<std::size_t>(known.strategy)]) step.strategies.push_back(known.strategy);
    return step;
}

Graph graph_of(const NamedStep& step, std::span<const Shape> shapes) {
    if (!step.recordings.empty()) return ir::recorded_graph(last_part(step.name), step.recordings, shapes);
    return step.describe != nullptr ? step.describe() : step.describe_for(shapes);
}

LibraryStep planned_step(const NamedStep& given, const StepUse& use) {
    LibraryStep step{.cpp_name = given.name};
    step.recordings.assign(given.recordings.begin(), given.recordings.end());
    step.name = last_part(step.cpp_name);
    step.graph.name = given.step_name;
    step.signature.name = given.step_name;
    step.signature.has_shapes = true;
    step.result_count = given.result_count;
    for (const StepSymbol& symbol : given.parameters)
        step.signature.parameters.push_back({std::string(symbol.name), symbol.kind, symbol.dtype});
    step.layouts = layout_rows(step.signature, use.layouts, as_given);
    std::vector<ShapeForm> forms = asked_forms(step, use.shapes);
    const bool are_usual = forms.empty();
    if (are_usual) forms = usual_forms(step.signature.parameters);
    const auto wanted_of = [&](LoopCollector loops) {
        Attempts all;
        for (const ShapeForm& form : forms) {
            Attempts of_form;
            for (const auto& [extents, has_threads] : extent_classes(form))
                of_form.make([&] {
                    add_loops(loops, graph_of(given, form.shapes(extents)), step.layouts, has_threads);
                });
            if (!are_usual) of_form.check();  // a form that was asked for by name
            all.make([&] { of_form.check(); });
        }
        all.check();
        return loops.wanted();
    };
    step.wanted = wanted_of(LoopCollector(false));
    if (use.has_devices) step.on_device = wanted_of(LoopCollector(true));
    return step;
}

namespace {

/// The graphs of an optimizer with the layouts that they are compiled for; elementwise graphs once.
class OptimizerLoops {
public:
    OptimizerLoops(LayoutRows layouts, bool on_device) : layouts_(std::move(layouts)), loops_(on_device) {}

    void add(const Graph& graph, std::span<const Layout> only, bool has_threads) {
        const bool has_shapes = graph.shaped || !graph.results.empty();
        if (!has_shapes && std::ranges::find(elementwise_, graph) != elementwise_.end()) return;
        if (!has_shapes) elementwise_.push_back(graph);
        LayoutRows own;
        for (const Layout layout : only) own.push_back({layout});
        std::span<const std::vector<Layout>> rows;
        if (!masked_of(signature_of(graph)).empty()) rows = own.empty() ? layouts_ : own;
        attempts_.make([&] { add_loops(loops_, graph, rows, has_threads); });
    }
    /// Errors: the last, if no graph could be planned.
    WantedLoops wanted() const {
        attempts_.check();
        return loops_.wanted();
    }

private:
    const LayoutRows layouts_;
    LoopCollector loops_;
    std::vector<Graph> elementwise_;
    Attempts attempts_;
};

}  // namespace

LibraryStep optimizer_part(const NamedOptimizer& optimizer, const StepUse& use) {
    LibraryStep part{.cpp_name = optimizer.name, .name = last_part(optimizer.name)};
    part.signature.name = part.name;
    part.signature.parameters = {{"param", SymbolKind::in_out, DType::float32}};
    std::vector<ShapeForm> forms = asked_forms(part, use.shapes);
    if (forms.empty()) forms = usual_forms(part.signature.parameters);
    Signature gradient;
    gradient.name = part.name;
    gradient.parameters = {{"grad", SymbolKind::masked, DType::float32}};
    part.layouts = layout_rows(gradient, use.layouts, as_given);
    // Gradients that minimize() makes, for any LAYOUTS.
    for (const Layout layout : {Layout::dense, Layout::strided})
        if (std::ranges::find(part.layouts, std::vector{layout}) == part.layouts.end())
            part.layouts.push_back({layout});
    const auto wanted_of = [&](bool on_device) {
        OptimizerLoops loops(part.layouts, on_device);
        for (const ShapeForm& form : forms)
            for (const auto& [extents, has_threads] : extent_classes(form))
                for (const auto& [graph, only] : optimizer.graphs(form.shapes(extents).front()))
                    loops.add(graph, only, has_threads);
        return loops.wanted();
    };
    part.wanted = wanted_of(false);
    if (use.has_devices) part.on_device = wanted_of(true);
    return part;
}

}  // namespace frisket::aot

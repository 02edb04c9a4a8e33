// SPDX-License-Identifier: MIT
#include "aot.hpp"

#include <algorithm>

#include "../../ir/planner/shaped_step.hpp"
#include "../../runtime/layouts/layout_traits.hpp"
#include "../loops/ready_step.hpp"
#include "library.hpp"
#include "recorded_device.hpp"
#include "sample_calls.hpp"

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

/// The loops that an elementwise step needs on a device.
WantedLoops elementwise_on_device(const LibraryStep& step, const LayoutRows& layouts) {
    std::vector<Shape> shapes;
    for (const Parameter& parameter : step.signature.parameters)
        shapes.push_back(is_tensor(parameter.kind) ? Shape{8, 16} : Shape{});
    const RecordedDevice& loops = RecordedDevice::make();
    const Tried tried = try_calls(
        step.signature.parameters, shapes, layouts,
        [&](std::span<const Argument> arguments, const codegen::LoopProvider& from) {
            from.kernel(step.graph)->call(arguments);
        },
        loops);
    if (!tried.has_run && tried.error) std::rethrow_exception(tried.error);
    return loops.wanted();
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
    if (use.has_devices)
        step.on_device = elementwise_on_device(step, layout_rows(step.signature, use.layouts, as_given));
    for (const std::vector<Layout>& row : step.layouts)
        for (const Strategy strategy : kernel_calls::strategies_for(step.signature, row)) want(strategy);
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
    planning::ShapedFunction planned(names, function.describe_for,
                                     [&](planning::ShapedFunction& self, std::span<const Argument> given) {
                                         const planning::ShapedFunction::Call call = self.bound(given);
                                         return loops.evaluate(call.graph->graph, call.arguments);
                                     });
    return planned.call(arguments);
}

}  // namespace

LibraryStep planned_step(const NamedStep& given, const StepUse& use) {
    LibraryStep step{.cpp_name = given.name};
    step.name = last_part(step.cpp_name);
    step.graph.name = given.step_name;
    step.signature.name = given.step_name;
    step.signature.has_shapes = true;
    step.result_count = given.result_count;
    for (const StepSymbol& symbol : given.parameters)
        step.signature.parameters.push_back({std::string(symbol.name), symbol.kind, symbol.dtype});
    step.layouts = layout_rows(step.signature, use.layouts, as_given);
    SampledCalls calls{step.signature.parameters, asked_forms(step, use.shapes), step.layouts};
    const bool are_usual = calls.forms.empty();
    if (are_usual) calls.forms = usual_forms(step.signature.parameters);
    const auto wanted_of = [&](const auto& record) {
        const auto run = [&](std::span<const Argument> arguments, const codegen::LoopProvider& loops) {
            if (given.result_count > 0) return static_cast<void>(evaluated(given, arguments, loops));
            const Graph graph = given.describe_for(shapes_of(arguments));
            codegen::ready_step(graph, arguments, loops)->run();
        };
        try_forms(calls, are_usual, run, record);
        return record.wanted();
    };
    step.wanted = wanted_of(RecordedLoops::make());
    if (use.has_devices) step.on_device = wanted_of(RecordedDevice::make());
    return step;
}

namespace {

/// Runs a graph of an optimizer: an expression, a step with shapes, or an elementwise step, whose loops on
/// the processor do not depend on what arguments hold.
void run_graph(const Graph& graph, std::span<const Argument> arguments, const codegen::LoopProvider& loops) {
    if (!graph.results.empty())
        loops.evaluate(graph, arguments);
    else if (graph.shaped)
        codegen::ready_step(graph, arguments, loops)->run();
    else if (const auto kernel = loops.kernel(graph, arguments); kernel && !loops.device().is_cpu())
        kernel->call(arguments);
}

/// The graphs of an optimizer with the layouts that they are compiled for; elementwise ones once.
template <class Record>
class OptimizerSamples {
public:
    explicit OptimizerSamples(LayoutRows layouts) : layouts_(std::move(layouts)) {}

    void add(const Graph& graph, std::span<const Layout> only, const Shape& param) {
        const bool has_shapes = graph.shaped || !graph.results.empty();
        if (!has_shapes && std::ranges::find(elementwise_, graph) != elementwise_.end()) return;
        if (!has_shapes) elementwise_.push_back(graph);
        const Signature signature = signature_of(graph);
        std::vector<Shape> shapes;
        for (const Parameter& parameter : signature.parameters) {
            const auto symbol = std::ranges::find(graph.symbols, parameter.name, &Symbol::name);
            shapes.push_back(!is_tensor(parameter.kind) ? Shape{} : has_shapes ? symbol->shape : param);
        }
        LayoutRows own;
        for (const Layout layout : only) own.push_back({layout});
        std::span<const std::vector<Layout>> rows;
        if (!masked_of(signature).empty()) rows = own.empty() ? layouts_ : own;
        const Tried tried = try_calls(
            signature.parameters, shapes, rows,
            [&](std::span<const Argument> arguments, const codegen::LoopProvider& loops) {
                run_graph(graph, arguments, loops);
            },
            loops_);
        has_run_ = has_run_ || tried.has_run;
        if (tried.error) error_ = tried.error;
    }
    /// Errors: the last, if no call could be made.
    const WantedLoops& wanted() const {
        if (!has_run_ && error_) std::rethrow_exception(error_);
        return loops_.wanted();
    }

private:
    const LayoutRows layouts_;
    const Record& loops_ = Record::make();
    std::vector<Graph> elementwise_;
    bool has_run_ = false;
    std::exception_ptr error_;
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
    // Gradients that minimize() makes, whatever LAYOUTS says.
    for (const Layout layout : {Layout::dense, Layout::strided})
        if (std::ranges::find(part.layouts, std::vector{layout}) == part.layouts.end())
            part.layouts.push_back({layout});
    const auto wanted_of = [&](auto samples) {
        for (const ShapeForm& form : forms)
            for (const auto& extents : sample_extents(form)) {
                const Shape param = form.shapes(extents).front();
                for (const auto& [graph, only] : optimizer.graphs(param)) samples.add(graph, only, param);
            }
        return samples.wanted();
    };
    part.wanted = wanted_of(OptimizerSamples<RecordedLoops>(part.layouts));
    if (use.has_devices) part.on_device = wanted_of(OptimizerSamples<RecordedDevice>(part.layouts));
    return part;
}

}  // namespace frisket::aot

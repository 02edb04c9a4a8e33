// SPDX-License-Identifier: MIT
// Compiled functions and steps, and how they read the objects of a call.
#include "functions.hpp"

#include "../../codegen/explain.hpp"
#include "tools.hpp"

#include <algorithm>

namespace frisket::python {

namespace {

/// Calls of a trace that may compile: those of its first two, and of each layout its first.
constexpr int calls_that_compile = 2;

}  // namespace

Call::Call(const std::vector<std::string>& names, const nb::list& objects) : Call(names.size()) {
    if (objects.size() != names.size())
        throw BindingError("a call has " + std::to_string(objects.size()) + " arguments, wanted " +
                           std::to_string(names.size()));
    for (const nb::handle object : objects) add(object.ptr());
}

void Call::add(PyObject* object) {
    given_.push_back(given(object));
    const Given& read = given_.back();
    arguments_.push_back(read.argument());
    size_ += read.size();
    if (like_ == nullptr && read.kind == Given::Kind::tensor &&
        array_type_of(object).access == Access::exchange)
        like_ = object;
}

void Call::clear() noexcept {
    arguments_.clear();
    given_.clear();
    size_ = 0;
    like_ = nullptr;
}

Function::Function(Graph graph, std::vector<std::string> names, const std::string& target)
    : graph_(std::make_shared<const Graph>(std::move(graph))),
      names_(std::make_shared<const std::vector<std::string>>(std::move(names))) {
    std::vector<StepSymbol> parameters;
    for (const std::string& name : *names_) parameters.push_back({.name = name});
    function_ = shaped_function(
        parameters,
        [graph = graph_, names = names_](std::span<const Shape> shapes) {
            for (const Symbol& symbol : graph->symbols) {
                const auto place = std::ranges::find(*names, symbol.name) - names->begin();
                if (shapes[static_cast<std::size_t>(place)] != symbol.shape)
                    throw ShapeError(graph->name + ": " + symbol.name + " has shape " +
                                     to_string(shapes[static_cast<std::size_t>(place)]) +
                                     ", and was traced with " + to_string(symbol.shape));
            }
            return *graph;
        },
        TargetName{target});
}

std::vector<Result> Function::run(const Call& call) {
    const bool is_long = call.size() >= elements_to_release || calls_++ < calls_that_compile;
    return released_if(is_long, [&] { return function_->call(call.arguments()); });
}

nb::list Function::call(const nb::list& objects) {
    const Call call(*names_, objects);
    std::vector<Result> results = run(call);
    return to_python(results, call.like());
}

std::string Function::explain(const nb::list& objects) const {
    const Call call(*names_, objects);
    const std::vector<Argument> arguments = ordered(call);
    return detail::explained(detail::PlanForm::full, Run::no, {},
                             [&](const ir::ExpressionContext::Evaluate& evaluate) {
                                 static_cast<void>(evaluate(*graph_, arguments));
                             });
}

/// Arguments in the order of the graph's symbols.
std::vector<Argument> Function::ordered(const Call& call) const {
    std::vector<Argument> arguments;
    for (const Symbol& symbol : graph_->symbols)
        arguments.push_back(call.arguments()[static_cast<std::size_t>(
            std::ranges::find(*names_, symbol.name) - names_->begin())]);
    return arguments;
}

nb::list Function::tune(const nb::list& objects, double seconds, std::uint64_t seed) const {
    const Call call(*names_, objects);
    return tune_results(seconds, seed, [&](const TuneOptions& options) {
        return std::vector{frisket::tune(*graph_, ordered(call), options)};
    });
}

Step::Step(Graph graph, std::vector<std::string> names, const std::string& target,
           const std::string& schedule)
    : graph_(std::move(graph)), names_(std::move(names)), target_{target}, schedule_(schedule) {
    for (const Symbol& symbol : graph_.symbols)
        places_.push_back(static_cast<std::size_t>(std::ranges::find(names_, symbol.name) - names_.begin()));
    is_in_order_ = places_.size() == names_.size();
    for (std::size_t i = 0; i < places_.size(); ++i) is_in_order_ = is_in_order_ && places_[i] == i;
    if (!graph_.shaped) {
        kernel_ = compiled();
        return;
    }
    if (!schedule_.empty())
        throw ScheduleError(graph_.name +
                            ": a schedule is of elementwise operations, and this step has others: "
                            "leave it out, and write fk.tune(step, ...)");
    shaped_ = shaped_step(
        [graph = graph_](std::span<const Shape> shapes) {
            for (std::size_t i = 0; i < graph.symbols.size(); ++i)
                if (shapes[i] != graph.symbols[i].shape)
                    throw ShapeError(graph.name + ": " + graph.symbols[i].name + " has shape " +
                                     to_string(shapes[i]) + ", and was traced with " +
                                     to_string(graph.symbols[i].shape));
            return graph;
        },
        target_);
}

CompiledKernel Step::compiled() const {
    return schedule_.empty() ? jit(graph_, target_) : jit(graph_, frisket::schedule(schedule_), target_);
}

std::span<const Argument> Step::ordered(const Call& call, std::vector<Argument>& memory) const {
    if (is_in_order_) return call.arguments();
    memory.reserve(places_.size());
    for (const std::size_t place : places_) memory.push_back(call.arguments()[place]);
    return memory;
}

void Step::run(const Call& call) {
    std::vector<Argument> memory;
    const std::span<const Argument> arguments = ordered(call, memory);
    const bool is_long = call.size() >= elements_to_release || calls_++ < calls_that_compile;
    released_if(is_long, [&] { kernel_ ? kernel_->call(arguments) : shaped_->call(arguments); });
}

std::string Step::explain(const nb::list& objects) const {
    const Call call(names_, objects);
    std::vector<Argument> memory;
    return detail::explained(detail::PlanForm::full, graph_, ordered(call, memory));
}

nb::list Step::tune(const nb::list& objects, double seconds, std::uint64_t seed) {
    const Call call(names_, objects);
    std::vector<Argument> memory;
    const std::span<const Argument> arguments = ordered(call, memory);
    return tune_results(seconds, seed, [&](const TuneOptions& options) {
        if (graph_.shaped) return tune_parts(graph_, arguments, options);
        std::vector found{frisket::tune(graph_, arguments, options)};
        keep(found.front(), options.database);
        kernel_ = compiled();  // finds what was kept
        return found;
    });
}

void add_functions(nb::module_& module) {
    nb::class_<Function>(module, "Function")
        .def("__call__", &Function::call)
        .def("explain", &Function::explain)
        .def("tune", &Function::tune)
        .def("__str__", &Function::text);
    nb::class_<Step>(module, "Step")
        .def("__call__", &Step::call)
        .def("explain", &Step::explain)
        .def("tune", &Step::tune)
        .def("__str__", &Step::text);
}

}  // namespace frisket::python

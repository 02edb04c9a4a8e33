// SPDX-License-Identifier: MIT
// Compiled functions and steps, and how they read the objects of a call.
#include "functions.hpp"

#include <algorithm>

namespace frisket::python {

namespace {

/// Calls of a trace that may compile: those of its first two, and of each layout its first.
constexpr int calls_that_compile = 2;

/// Returns a traced graph for calls of its shapes.  `names`: arguments, in the order of the shapes.
planning::ShapedGraph::Describe as_traced(std::shared_ptr<const Graph> graph,
                                          std::vector<std::string> names) {
    return [graph = std::move(graph), names = std::move(names)](std::span<const Shape> shapes) {
        for (const Symbol& symbol : graph->symbols) {
            const auto place = std::ranges::find(names, symbol.name) - names.begin();
            const Shape& shape = shapes[static_cast<std::size_t>(place)];
            if (shape != symbol.shape)
                throw ShapeError(graph->name + ": " + symbol.name + " has shape " + to_string(shape) +
                                 ", and was traced with " + to_string(symbol.shape));
        }
        return *graph;
    };
}

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
    function_ = function_of(parameters, as_traced(graph_, *names_), TargetName{target});
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
    return python::explained(*graph_, ordered(call));
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
    return tuned(*graph_, ordered(call), seconds, seed);
}

Step::Step(Graph graph, std::vector<std::string> names, const std::string& target,
           const std::string& schedule)
    : graph_(std::move(graph)), names_(std::move(names)), target_{target}, schedule_(schedule) {
    for (const Symbol& symbol : graph_.symbols)
        places_.push_back(static_cast<std::size_t>(std::ranges::find(names_, symbol.name) - names_.begin()));
    is_in_order_ = places_.size() == names_.size();
    for (std::size_t i = 0; i < places_.size(); ++i) is_in_order_ = is_in_order_ && places_[i] == i;
    prepare();
}

void Step::prepare() {
    std::vector<std::string> symbols;
    for (const Symbol& symbol : graph_.symbols) symbols.push_back(symbol.name);
    run_ = run_of(graph_, as_traced(std::make_shared<const Graph>(graph_), std::move(symbols)), target_,
                  schedule_);
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
    released_if(is_long, [&] { run_(arguments); });
}

std::string Step::explain(const nb::list& objects) const {
    const Call call(names_, objects);
    std::vector<Argument> memory;
    return python::explained(graph_, ordered(call, memory));
}

nb::list Step::tune(const nb::list& objects, double seconds, std::uint64_t seed) {
    const Call call(names_, objects);
    std::vector<Argument> memory;
    const std::span<const Argument> arguments = ordered(call, memory);
    nb::list found = tuned(graph_, arguments, seconds, seed);
    if (!graph_.shaped) prepare();  // finds the schedule that was kept
    return found;
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

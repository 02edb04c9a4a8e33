// SPDX-License-Identifier: MIT
// Compiled functions and steps, called with Python objects in the order of their parameters.
#pragma once
#include "compiler.hpp"

#include <memory>
#include <string>
#include <vector>

namespace frisket::python {

/// Objects of a call, read.
class Call {
public:
    explicit Call(std::size_t count) {
        given_.reserve(count);
        arguments_.reserve(count);
    }
    /// As many objects as a kernel has parameters.  Errors: BindingError; those of given.
    Call(const std::vector<std::string>& names, const nb::list& objects);

    /// The next object, which must outlive the call.  No more than `count`.
    void add(PyObject* object);
    /// Forgets the objects, and keeps the memory for later calls.
    void clear() noexcept;
    std::span<const Argument> arguments() const noexcept { return arguments_; }
    const Given& back() const noexcept { return given_.back(); }
    std::int64_t size() const noexcept { return size_; }  ///< elements of all
    PyObject* like() const noexcept { return like_; }     ///< the first torch tensor; null if there is none

private:
    std::vector<Given> given_;
    std::vector<Argument> arguments_;  // refer to given_
    std::int64_t size_ = 0;
    PyObject* like_ = nullptr;
};

/// A traced function: a graph with shapes, whose calls are planned once and known from then on.
class Function {
public:
    /// `target`: a name in the table of targets; empty: the default.
    Function(Graph graph, std::vector<std::string> names, const std::string& target);

    std::vector<Result> run(const Call& call);
    nb::list call(const nb::list& objects);
    std::string explain(const nb::list& objects) const;
    /// Keeps the fastest schedule for a call; see tuned().
    nb::list tune(const nb::list& objects, double seconds, std::uint64_t seed) const;
    std::string text() const { return to_string(*graph_); }

private:
    std::vector<Argument> ordered(const Call& call) const;

    std::shared_ptr<const Graph> graph_;
    std::shared_ptr<const std::vector<std::string>> names_;  // the function refers to them
    std::shared_ptr<planning::ShapedFunction> function_;
    int calls_ = 0;
};

/// A traced step.  One without operations on whole tensors has no shapes.
class Step {
public:
    /// `schedule`: of a step of elementwise operations; empty: the default.  Errors: ScheduleError.
    Step(Graph graph, std::vector<std::string> names, const std::string& target, const std::string& schedule);

    void run(const Call& call);
    void call(const nb::list& objects) { run(Call(names_, objects)); }
    std::string explain(const nb::list& objects) const;
    /// The fastest schedules for a call, which are kept; of a step of elementwise operations it runs by them.
    nb::list tune(const nb::list& objects, double seconds, std::uint64_t seed);
    std::string text() const { return to_string(graph_); }

private:
    /// The arguments in the order of the graph's symbols, which are `memory` unless it is that of the call.
    std::span<const Argument> ordered(const Call& call, std::vector<Argument>& memory) const;

    void prepare();

    Graph graph_;
    std::vector<std::string> names_;
    TargetName target_;
    std::string schedule_;
    std::vector<std::size_t> places_;  // argument of each symbol
    bool is_in_order_ = false;         // true if arguments stand in the order of the symbols
    RunStep run_;
    int calls_ = 0;
};

void add_functions(nb::module_& module);

}  // namespace frisket::python

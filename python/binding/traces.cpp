// SPDX-License-Identifier: MIT
// The class Trace, and what is made of a finished one.
#include "../../ir/passes/gradient/gradcheck.hpp"
#include "functions.hpp"
#include "masked_tensors.hpp"
#include "trace.hpp"

namespace frisket::python {

namespace {

nb::object shape_of(Trace& trace, NodeId id) {
    if (!trace.graph().is_shaped()) return nb::none();
    return nb::tuple(nb::cast(trace.graph()[id].shape));
}

std::string dtype_of(Trace& trace, NodeId id) {
    return std::string(name_of(trace.graph()[id].result_dtype()));
}

nb::list run(Trace& trace, const Trace::Ids& results, nb::handle like) {
    std::vector<Result> found =
        released_if(trace.bound_size() >= elements_to_release, [&] { return trace.run(results); });
    return to_python(found, like.is_none() ? nullptr : like.ptr());
}

/// Compares gradients of a Python function of traced values with differences: (pass, numerical, analytical).
nb::tuple check_gradient(const nb::callable& function, const std::vector<const Masked*>& inputs, bool masked,
                         double eps, double rtol, double atol) {
    std::vector<AnyMasked> tensors;
    for (const Masked* input : inputs) tensors.push_back(*input);
    const ir::Differentiable traced = [&](ir::ExpressionContext& context,
                                          std::span<const ir::Value> values) -> ir::Value {
        const auto trace = std::make_unique<Trace>(context);
        Trace::Ids ids;
        for (const ir::Value& value : values) ids.push_back(value.id);
        const auto made = nb::cast<NodeId>(function(nb::cast(trace.get(), nb::rv_policy::reference), ids));
        return {&context.graph(), made};
    };
    const ir::GradcheckReport report = ir::gradcheck(
        traced, tensors, {.masked = masked, .eps = eps, .rtol = rtol, .atol = atol}, evaluator());
    return nb::make_tuple(report.pass, array_of(report.numerical), array_of(report.analytical));
}

}  // namespace

void add_traces(nb::module_& module) {
    nb::class_<Trace>(module, "Trace")
        .def(nb::init<const std::string&, bool>(), nb::arg("name"), nb::arg("recorded") = false)
        .def_static("of_arrays", [](const std::string& name) { return new Trace(name, evaluator()); })
        .def("symbol", &Trace::symbol, nb::arg("name"), nb::arg("kind"), nb::arg("dtype"),
             nb::arg("shape").none(), nb::arg("extents") = nb::none())
        .def("recording", &Trace::recording)
        .def("current", &Trace::current)
        .def("bind", &Trace::bind)
        .def("number", &Trace::number)
        .def("apply", &Trace::apply)
        .def("gradient", &Trace::gradient, nb::arg("output"), nb::arg("wrt"), nb::arg("upstream").none(),
             nb::arg("allow_unused"))
        .def("update", &Trace::update)
        .def("over", &Trace::over)
        .def("shape_of", &shape_of)
        .def("dtype_of", &dtype_of)
        .def("is_masked", [](Trace& trace, NodeId id) { return trace.graph()[id].mask != no_node; })
        .def("is_number", [](Trace& trace, NodeId id) { return trace.graph()[id].is_host_scalar; })
        .def("is_shaped", [](Trace& trace) { return trace.graph().is_shaped(); })
        .def("has_updates", [](Trace& trace) { return !trace.graph().graph().updates.empty(); })
        .def("run", &run, nb::arg("results"), nb::arg("like").none())
        .def("function",
             [](Trace& trace, const std::vector<std::string>& names, const Trace::Ids& results,
                const std::string& target) {
                 return new Function(trace.graph().expression(results), names, target);
             })
        .def("step",
             [](Trace& trace, const std::vector<std::string>& names, const std::string& target,
                const std::string& schedule) { return new Step(trace.step(), names, target, schedule); });
    module.def("eager", &eager, nb::arg("operation"), nb::arg("operands"), nb::arg("attributes"));
    module.def("check_gradient", &check_gradient, nb::arg("function"), nb::arg("inputs"), nb::arg("masked"),
               nb::arg("eps"), nb::arg("rtol"), nb::arg("atol"));
    module.def("operation_names", [] {
        std::vector<std::string> names;
        for (const auto& [name, operation] : ir::operations()) names.push_back(name);
        return names;
    });
}

}  // namespace frisket::python

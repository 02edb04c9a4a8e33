// SPDX-License-Identifier: MIT
// Operations that are evaluated one by one.
#include "compiler.hpp"
#include "masked_tensors.hpp"
#include "trace.hpp"

#include <optional>
#include <string>
#include <vector>

namespace frisket::python {

namespace {

/// One operation over actual arrays.
class EagerOperation {
public:
    EagerOperation(const std::string& name, const nb::list& operands, const nb::dict& attributes)
        : name_(name), attributes_(attributes), trace_(name, evaluator()) {
        for (const nb::handle operand : operands) add(operand);
        meet_reductions();
    }
    nb::object value();

private:
    struct Operand {
        NodeId id;
        MaskLineage lineage = {};  // known if it is masked
    };

    void add(nb::handle operand);
    void meet_reductions();
    /// True if the operation reads one operand only where the other is specified.
    bool may_meet(std::size_t reduction, std::size_t part) const;
    void make_dense(std::size_t reduction, std::size_t part);
    NodeId derived_mask(NodeId result);

    const std::string& name_;
    const nb::dict& attributes_;
    Trace trace_;
    std::vector<Operand> operands_;
    std::vector<MaskLineage> lineages_;  // one for each symbol
    PyObject* like_ = nullptr;
};

void EagerOperation::add(nb::handle operand) {
    const ArrayType& type = array_type_of(operand.ptr());
    if (like_ == nullptr && type.access == Access::exchange) like_ = operand.ptr();
    Operand& added = operands_.emplace_back(Operand{.id = trace_.bind(operand)});
    lineages_.resize(trace_.graph().graph().symbols.size());
    if (type.access != Access::masked) return;
    added.lineage = nb::inst_ptr<Masked>(operand)->known_lineage();
    lineages_[static_cast<std::size_t>(trace_.graph()[added.id].symbol)] = added.lineage;
}

/// An elementwise operation takes a reduction of an operand in place of the reduced operand.
void EagerOperation::meet_reductions() {
    const auto found = ir::operations().find(name_);
    const bool is_elementwise = found != ir::operations().end() && found->second.is_elementwise();
    if (operands_.size() < 2 || !is_elementwise || attributes_.contains("mask_mode")) return;
    for (std::size_t i = 0; i < operands_.size(); ++i)
        for (std::size_t j = 0; j < operands_.size(); ++j)
            if (may_meet(i, j) && operands_[i].lineage.is_reduction_of(operands_[j].lineage)) {
                make_dense(i, j);
                break;
            }
}

bool EagerOperation::may_meet(std::size_t reduction, std::size_t part) const {
    if (reduction == part) return false;
    if (name_ == "where") return part == 0;
    if (name_ == "mask_like") return part == 1;
    return true;
}

/// The reduction is specified wherever the other operand is, and is read nowhere else.
void EagerOperation::make_dense(std::size_t reduction, std::size_t part) {
    GraphBuilder& graph = trace_.graph();
    const NodeId id = operands_[reduction].id;
    const NodeId missing = graph.apply<op::LogicalNot>({graph.mask_of(id)});
    graph.check(ErrorCode::mask_mismatch, missing, graph.mask_of(operands_[part].id),
                "operand " + std::to_string(reduction + 1) + " is a reduction of operand " +
                    std::to_string(part + 1) +
                    " and does not specify what that specifies now, first at {}: " +
                    "the mask was changed since: reduce it again");
    operands_[reduction] = {.id = ir::bare({&graph, id}).id};
}

/// The mask of a result; for a median, which reads values to find elements, the mask of another reduction.
NodeId EagerOperation::derived_mask(NodeId result) {
    if (name_ != "median") return trace_.graph()[result].mask;
    return trace_.graph()[trace_.apply("amax", {operands_[0].id}, attributes_)[0]].mask;
}

nb::object EagerOperation::value() {
    Trace::Ids ids;
    for (const Operand& operand : operands_) ids.push_back(operand.id);
    const Trace::Ids made = trace_.apply(name_, ids, attributes_);
    std::vector<Result> results =
        released_if(trace_.bound_size() >= elements_to_release, [&] { return trace_.run(made); });
    nb::list values = to_python(results, like_);
    lineages_.resize(trace_.graph().graph().symbols.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        if (const nb::object masked = values[i]; nb::isinstance<Masked>(masked))
            nb::inst_ptr<Masked>(masked)->lineage =
                MaskLineage(trace_.graph().graph(), derived_mask(made[i]), lineages_);
    return name_ == "split" ? nb::object(values) : nb::object(values[0]);
}

}  // namespace

nb::object eager(const std::string& operation, const nb::list& operands, const nb::dict& attributes) {
    return EagerOperation(operation, operands, attributes).value();
}

}  // namespace frisket::python

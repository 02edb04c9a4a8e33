// SPDX-License-Identifier: MIT
#include "operations.hpp"

#include <algorithm>
#include <limits>

using namespace frisket;

namespace conformance {

namespace {

Value constant(GraphBuilder& graph, const Json& json) {
    if (json.is_boolean()) return {&graph, graph.constant(json.get<bool>())};
    if (json.is_number_integer()) return {&graph, graph.constant(json.get<std::int64_t>())};
    return {&graph, graph.constant(number_of(json))};
}

MaskMode mode_of(const Call& call) {
    const auto mode = call.find<std::string>("mask_mode");
    if (!mode) return MaskMode::equal;
    return *mode == "union" ? MaskMode::unite : MaskMode::intersection;
}

std::vector<Value> apply_row(const std::string& row, const Call& call) {
    std::vector<NodeId> operands;
    for (const Value& operand : call.args) operands.push_back(operand.id);
    return {{&call.graph, call.graph.apply(find_op(row), operands, mode_of(call))}};
}

Operation row(const std::string& name) {
    return {.attrs = {"mask_mode"},
            .make = [name](const Call& call) { return apply_row(name, call); },
            .rows = {{name}}};
}

/// a + alpha b, or a - alpha b.
template <class Op>
Operation with_alpha() {
    const auto make = [](const Call& call) -> std::vector<Value> {
        const auto alpha = call.number("alpha");
        return {ir::apply<Op>({call[0], alpha ? call[1] * *alpha : call[1]}, mode_of(call))};
    };
    return {.attrs = {"mask_mode", "alpha"}, .make = make, .rows = {{std::string(Op::info.name), "mul"}}};
}

std::vector<Value> divide(const Call& call) {
    const auto rounding = call.find<std::string>("rounding_mode");
    return apply_row(!rounding ? "div" : *rounding == "floor" ? "floor_divide" : "trunc_divide", call);
}

std::vector<Value> nan_to_num(const Call& call) {
    const Value x = call[0];
    const bool is_narrow = x.dtype() == DType::float32;
    const double largest = is_narrow ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
    const auto number = [&](const char* name, double otherwise) {
        return call.number(name).value_or(ir::number(call.graph, otherwise));
    };
    return {ir::nan_to_num(x, number("nan", 0.0), number("posinf", largest), number("neginf", -largest))};
}

Operation made_of(std::set<std::string> attrs, std::set<std::string> rows, Value (*make)(const Call&)) {
    return {.attrs = std::move(attrs),
            .make = [make](const Call& call) { return std::vector{make(call)}; },
            .rows = std::move(rows)};
}

/// Elementwise operations that are more than a row of the table.
const Operations& elementwise_operations() {
    const auto same = [](const Call& call) { return call[0]; };
    static const Operations table = {
        {"add", with_alpha<op::Add>()},
        {"sub", with_alpha<op::Sub>()},
        {"div",
         {{"mask_mode", "rounding_mode"},
          divide,
          std::set<std::string>{"div", "floor_divide", "trunc_divide"}}},
        {"nan_to_num", {{"nan", "posinf", "neginf"}, nan_to_num, std::set<std::string>{"where"}}},
        {"clamp", made_of({"min", "max"}, {},
                          [](const Call& call) {
                              return ir::clamp(call[0], call.number("min"), call.number("max"));
                          })},
        {"to", made_of({"dtype"}, {},
                       [](const Call& call) {
                           return ir::cast(call[0], parse_dtype(call.get<std::string>("dtype")));
                       })},
        {"positive", made_of({}, {}, same)},
        {"construct", made_of({}, {}, same)},
        {"contiguous", made_of({}, {}, same)},
        {"to_layout", made_of({"layout", "blocksize"}, {}, same)},
        {"get_mask", made_of({}, {}, [](const Call& call) { return ir::mask_of(call[0]); })},
        {"mask_like", made_of({}, {}, [](const Call& call) { return ir::on(call[1], call[0]); })},
        {"to_tensor",
         made_of({"fill"}, {}, [](const Call& call) { return ir::to_dense(call[0], *call.number("fill")); })},
    };
    return table;
}

std::optional<Operation> find(const std::string& name) {
    for (const Operations* table : {&elementwise_operations(), &structural_operations()})
        if (const auto found = table->find(name); found != table->end()) return found->second;
    if (std::ranges::find(op_table(), name, &OpInfo::name) != op_table().end()) return row(name);
    return {};
}

}  // namespace

std::optional<Value> Call::number(const char* name) const {
    const auto found = attrs.find(name);
    if (found == attrs.end() || found->is_null()) return {};
    return constant(graph, *found);
}

Operation find_operation(const std::string& name, const Json& attrs) {
    const auto operation = find(name);
    if (!operation) throw BindingError("conformance: there is no operation " + name);
    for (const auto& [attr, value] : attrs.items())
        if (!operation->attrs.contains(attr))
            throw BindingError("conformance: " + name + " has no attribute " + attr);
    return *operation;
}

}  // namespace conformance

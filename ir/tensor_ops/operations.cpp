// SPDX-License-Identifier: MIT
// Elementwise operations of the table, and how a call reads its operands and attributes.
#include "operations.hpp"

#include "../../runtime/support/made_once.hpp"

#include <limits>

namespace frisket::ir {

namespace {

MaskMode mode_of(const OperationCall& call) {
    const auto mode = call.find<std::string>("mask_mode");
    if (!mode || *mode == "equal") return MaskMode::equal;
    if (*mode == "union") return MaskMode::unite;
    if (*mode == "intersection") return MaskMode::intersection;
    call.graph.fail(ErrorCode::binding, std::string(call.name) + ": mask_mode is \"" + *mode +
                                            "\", wanted equal, intersection or union");
}

std::vector<Value> apply_row(std::string_view row, const OperationCall& call) {
    std::vector<NodeId> operands;
    for (const Value& operand : call.args) operands.push_back(operand.id);
    return {{&call.graph, call.graph.apply(find_op(row), operands, mode_of(call))}};
}

Operation row(const std::string& name) {
    return {.attrs = {"mask_mode"},
            .make = [name](const OperationCall& call) { return apply_row(name, call); },
            .rows = {{name}}};
}

/// a + alpha b, or a - alpha b.
template <class Op>
Operation with_alpha() {
    const auto make = [](const OperationCall& call) -> std::vector<Value> {
        const auto alpha = call.number("alpha");
        return {apply<Op>({call[0], alpha ? call[1] * *alpha : call[1]}, mode_of(call))};
    };
    return {.attrs = {"mask_mode", "alpha"}, .make = make, .rows = {{std::string(Op::info.name), "mul"}}};
}

std::vector<Value> divide(const OperationCall& call) {
    const auto rounding = call.find<std::string>("rounding_mode");
    return apply_row(!rounding ? "div" : *rounding == "floor" ? "floor_divide" : "trunc_divide", call);
}

std::vector<Value> without_nan(const OperationCall& call) {
    const Value x = call[0];
    const bool is_narrow = x.dtype() == DType::float32;
    const double largest = is_narrow ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
    const auto number_or = [&](const char* name, double otherwise) {
        return call.number(name).value_or(number(call.graph, otherwise));
    };
    return {
        nan_to_num(x, number_or("nan", 0.0), number_or("posinf", largest), number_or("neginf", -largest))};
}

Operation made_of(std::set<std::string, std::less<>> attrs, std::set<std::string> rows,
                  Value (*make)(const OperationCall&)) {
    return {.attrs = std::move(attrs),
            .make = [make](const OperationCall& call) { return std::vector{make(call)}; },
            .rows = std::move(rows)};
}

/// `gradient`: "everywhere" if gradients reach unspecified elements too.
Value filled(const OperationCall& call) {
    const auto fill = call.number("fill");
    if (!fill) call.graph.fail(ErrorCode::binding, "to_tensor wants an attribute fill: there is no default");
    const bool is_everywhere = call.find<std::string>("gradient") == "everywhere";
    return to_dense(call[0], *fill, is_everywhere ? GradientPath::everywhere : GradientPath::specified);
}

/// Elementwise operations that are more than a row of the table.
Operations elementwise_operations() {
    const auto same = [](const OperationCall& call) { return call[0]; };
    return {
        {"add", with_alpha<op::Add>()},
        {"sub", with_alpha<op::Sub>()},
        {"div",
         {{"mask_mode", "rounding_mode"},
          divide,
          std::set<std::string>{"div", "floor_divide", "trunc_divide"}}},
        {"nan_to_num", {{"nan", "posinf", "neginf"}, without_nan, std::set<std::string>{"where"}}},
        {"clamp", made_of({"min", "max"}, {},
                          [](const OperationCall& call) {
                              return clamp(call[0], call.number("min"), call.number("max"));
                          })},
        {"to", made_of({"dtype"}, {},
                       [](const OperationCall& call) {
                           return cast(call[0], parse_dtype(call.get<std::string>("dtype")));
                       })},
        {"positive", made_of({}, {}, same)},
        {"construct", made_of({}, {}, same)},
        {"contiguous", made_of({}, {}, same)},
        {"to_layout", made_of({"layout", "blocksize"}, {}, same)},
        {"get_mask", made_of({}, {}, [](const OperationCall& call) { return mask_of(call[0]); })},
        {"mask_like", made_of({}, {}, [](const OperationCall& call) { return on(call[1], call[0]); })},
        {"to_tensor", made_of({"fill", "gradient"}, {}, filled)},
        {"values_of", made_of({}, {}, [](const OperationCall& call) { return bare(call[0]); })},
        {"detach", made_of({}, {}, [](const OperationCall& call) { return detach(call[0]); })},
    };
}

const Attribute* find_attribute(const OperationCall& call, std::string_view attr) {
    const auto found = call.attrs.find(attr);
    return found == call.attrs.end() ? nullptr : &found->second;
}

[[noreturn]] void refuse_attribute(const OperationCall& call, std::string_view attr, const char* text) {
    call.graph.fail(ErrorCode::binding,
                    std::string(call.name) + ": attribute " + std::string(attr) + " " + text);
}

/// An attribute as another type; nothing if it is not one.
template <class T>
std::optional<T> converted(const Attribute& attribute) {
    if constexpr (std::is_same_v<T, double>) {
        if (const auto* integer = std::get_if<std::int64_t>(&attribute)) return static_cast<T>(*integer);
    }
    using Held = std::conditional_t<
        std::is_same_v<T, int>, std::int64_t,
        std::conditional_t<std::is_same_v<T, std::vector<int>>, std::vector<std::int64_t>, T>>;
    const auto* held = std::get_if<Held>(&attribute);
    if (held == nullptr) return {};
    if constexpr (std::is_same_v<T, std::vector<int>>)
        return T(held->begin(), held->end());
    else
        return static_cast<T>(*held);
}

}  // namespace

Value OperationCall::operator[](std::size_t i) const {
    if (i < args.size()) return args[i];
    graph.fail(ErrorCode::binding, std::string(name) + ": operand " + std::to_string(i + 1) + " is missing");
}

template <class T>
std::optional<T> OperationCall::find(std::string_view attr) const {
    const Attribute* found = find_attribute(*this, attr);
    if (found == nullptr) return {};
    if (auto value = converted<T>(*found)) return value;
    refuse_attribute(*this, attr, "has another type than it wants");
}

template <class T>
T OperationCall::get(std::string_view attr) const {
    if (auto value = find<T>(attr)) return *std::move(value);
    refuse_attribute(*this, attr, "is missing");
}

template std::optional<bool> OperationCall::find<bool>(std::string_view) const;
template std::optional<int> OperationCall::find<int>(std::string_view) const;
template std::optional<std::int64_t> OperationCall::find<std::int64_t>(std::string_view) const;
template std::optional<double> OperationCall::find<double>(std::string_view) const;
template std::optional<std::string> OperationCall::find<std::string>(std::string_view) const;
template int OperationCall::get<int>(std::string_view) const;
template std::int64_t OperationCall::get<std::int64_t>(std::string_view) const;
template std::vector<int> OperationCall::get<std::vector<int>>(std::string_view) const;
template std::vector<std::int64_t> OperationCall::get<std::vector<std::int64_t>>(std::string_view) const;

std::optional<Value> OperationCall::number(std::string_view attr) const {
    const Attribute* found = find_attribute(*this, attr);
    if (found == nullptr) return {};
    if (const auto* value = std::get_if<Value>(found)) return *value;
    if (const auto* flag = std::get_if<bool>(found)) return ir::number(graph, *flag);
    if (const auto* integer = std::get_if<std::int64_t>(found)) return ir::number(graph, *integer);
    if (const auto* real = std::get_if<double>(found)) return ir::number(graph, *real);
    refuse_attribute(*this, attr, "is no number");
}

const ValueReader& OperationCall::values() const {
    if (reader.median) return reader;
    graph.fail(ErrorCode::value, std::string(name) + " depends on values, which are not known while a graph "
                                                     "is made: evaluate it before, and pass the result in");
}

const Operations& operations() {
    return runtime::made_once([] {
        Operations all = elementwise_operations();
        all.merge(structural_operations());
        for (const OpInfo& info : op_table()) all.emplace(info.name, row(std::string(info.name)));
        return all;
    });
}

const Operation& find_operation(std::string_view name, const Attributes& attrs) {
    const auto found = operations().find(name);
    if (found == operations().end())
        throw BindingError("there is no operation " + std::string(name) + ": see docs/language.md");
    for (const auto& [attr, value] : attrs)
        if (!found->second.attrs.contains(attr))
            throw BindingError(std::string(name) + " has no attribute " + attr);
    return found->second;
}

std::vector<Value> apply_operation(const OperationCall& call) {
    return find_operation(call.name, call.attrs).make(call);
}

}  // namespace frisket::ir

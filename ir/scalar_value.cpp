// SPDX-License-Identifier: MIT
#include "scalar_value.hpp"

#include "../runtime/tensor/error.hpp"
#include "ops/meanings.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>

namespace frisket::ir::host {

namespace {

template <class T>
double held(T number) {
    return put(number);
}
template <class T>
double held(Whole<T> number) {
    return put(number.value);
}

template <class Op, class T>
double compute(const double* numbers) {
    using Meaning = op::Meaning<Op>;
    const auto operand = [numbers](int i) -> Computes<T> { return {get<T>(numbers[i])}; };
    const auto result = [](auto value) {
        if constexpr (std::is_same_v<T, bool>)
            return held(static_cast<bool>(value));
        else
            return held(value);
    };
    if constexpr (Op::info.arity == 1)
        return result(Meaning::eval(operand(0)));
    else if constexpr (Op::info.arity == 2)
        return result(Meaning::eval(operand(0), operand(1)));
    else
        return result(Meaning::eval(get<bool>(numbers[0]), operand(1), operand(2)));
}

/// The operation on numbers of bool, int64 and float64; null where it has no meaning.
template <class Op>
constexpr std::array<Operation, 3> operations_of_op() {
    std::array<Operation, 3> row{};
    if constexpr (computes_in(Op::info, DType::boolean)) row[0] = &compute<Op, bool>;
    if constexpr (computes_in(Op::info, DType::int64)) row[1] = &compute<Op, std::int64_t>;
    if constexpr (computes_in(Op::info, DType::float64)) row[2] = &compute<Op, double>;
    return row;
}

template <class... Op>
constexpr auto operations_of(OpList<Op...> /*all*/) {
    return std::array{operations_of_op<Op>()...};
}

constexpr auto operations = operations_of(Ops{});

template <class... Op>
constexpr auto names_of(OpList<Op...> /*all*/) {
    return std::array{Op::info.name...};
}

constexpr auto names = names_of(Ops{});

}  // namespace

Operation operation(OpId op, DType dtype) noexcept {
    const std::size_t column = dtype == DType::boolean ? 0 : dtype == DType::int64 ? 1 : 2;
    return operations[static_cast<std::size_t>(op)][column];
}

OpId operation_named(std::string_view name) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) throw ValueError("there is no operation '" + std::string(name) + "'");
    return static_cast<OpId>(found - names.begin());
}

double fitting_conversion(const double* number) {
    const auto whole = get<std::int64_t>(*number);
    if (!std::in_range<std::int32_t>(whole))
        throw DTypeError("a number of the call is " + std::to_string(whole) +
                         ", which int32 cannot hold, and it takes the dtype of the elements that it meets: "
                         "write cast<std::int64_t>(x) for the elements, or give a smaller number");
    return convert<std::int32_t, std::int64_t>(*number);
}

Operation conversion(DType from, DType to) noexcept {
    return dispatch(from, [&]<class From>() {
        return dispatch(to, [&]<class To>() -> Operation {
            return [](const double* x) { return convert<To, From>(*x); };
        });
    });
}

}  // namespace frisket::ir::host

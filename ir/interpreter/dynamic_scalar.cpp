// SPDX-License-Identifier: MIT
#include "dynamic_scalar.hpp"

#include "../../runtime/tensor/elements.hpp"
#include "../ops/meanings.hpp"
#include "../ops/op_info.hpp"
#include "../scalar_value.hpp"

namespace frisket::ir {

namespace {

/// A result as a cell: C++ arithmetic on bool has type int.
template <class T>
DynamicScalar cell_of(auto result) {
    if constexpr (std::is_same_v<T, bool>)
        return DynamicScalar::of(static_cast<bool>(result));
    else
        return DynamicScalar::of(result);
}

template <class Op, class T>
DynamicScalar eval(const DynamicScalar* x) {
    using C = Computes<T>;
    if constexpr (Op::info.arity == 1) {
        return cell_of<T>(op::Meaning<Op>::eval(x[0].as<C>()));
    } else if constexpr (Op::info.arity == 2) {
        return cell_of<T>(op::Meaning<Op>::eval(x[0].as<C>(), x[1].as<C>()));
    } else {
        return cell_of<T>(op::Meaning<Op>::eval(x[0].as<bool>(), x[1].as<C>(), x[2].as<C>()));
    }
}

template <class Op>
constexpr std::array<CellOp, std::size(dtypes)> traits_of() {
    std::array<CellOp, std::size(dtypes)> row{};
    const auto add = [&]<class T>() {
        if constexpr (computes_in(Op::info, dtype_of<T>))
            row[static_cast<std::size_t>(dtype_of<T>)] = &eval<Op, T>;
    };
    add.template operator()<bool>();
    add.template operator()<std::int32_t>();
    add.template operator()<std::int64_t>();
    add.template operator()<float>();
    add.template operator()<double>();
    return row;
}

template <class... Op>
constexpr auto rows_of(OpList<Op...>) {
    return std::array{traits_of<Op>()...};
}

constexpr auto rows = rows_of(Ops{});

}  // namespace

DynamicScalar load(const void* data, std::int64_t offset, DType dtype) {
    return dispatch(dtype, [&]<class T>() { return DynamicScalar::of(runtime::Reader<T>(data)[offset]); });
}

void store(void* data, std::int64_t offset, DType dtype, DynamicScalar value) {
    dispatch(dtype, [&]<class T>() {
        const runtime::Writer<T> to(data);
        to[offset] = value.as<T>();
    });
}

DynamicScalar convert(DynamicScalar value, DType from, DType to) {
    if (from == to) return value;
    return dispatch(from, [&]<class From>() {
        return dispatch(to, [&]<class To>() { return DynamicScalar::of(converted<To>(value.as<From>())); });
    });
}

DynamicScalar from_double(double value, DType dtype) {
    return convert(DynamicScalar::of(value), DType::float64, dtype);
}

DynamicScalar from_slot(double slot, DType dtype) {
    return dispatch(dtype, [&]<class T>() { return DynamicScalar::of(host::get<T>(slot)); });
}

CellOp cell_op(OpId op, DType dtype) {
    info_of(op), info_of(dtype);  // refuse unknown operations and dtypes
    return rows[static_cast<std::size_t>(op)][static_cast<std::size_t>(dtype)];
}

}  // namespace frisket::ir

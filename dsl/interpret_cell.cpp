// SPDX-License-Identifier: MIT
#include "interpret_cell.hpp"

#include "graph_dtypes.hpp"

namespace frisket {

namespace {

template <class Op, class T>
Cell eval(const Cell* x) {
    if constexpr (Op::info.arity == 1) {
        return Cell::of(Op::eval(x[0].as<T>()));
    } else if constexpr (Op::info.arity == 2) {
        return Cell::of(Op::eval(x[0].as<T>(), x[1].as<T>()));
    } else {
        return Cell::of(Op::eval(x[0].as<bool>(), x[1].as<T>(), x[2].as<T>()));
    }
}

/// The op for each dtype: floats have all, bool has what it is defined for.
template <class Op>
constexpr std::array<CellOp, std::size(dtypes)> row_of() {
    std::array<CellOp, std::size(dtypes)> row{};
    constexpr DTypeRule rule = Op::info.dtype;
    if constexpr (rule != DTypeRule::common && rule != DTypeRule::floating) {
        row[static_cast<std::size_t>(DType::boolean)] = &eval<Op, bool>;
    }
    if constexpr (rule != DTypeRule::logical) {
        row[static_cast<std::size_t>(DType::float32)] = &eval<Op, float>;
        row[static_cast<std::size_t>(DType::float64)] = &eval<Op, double>;
    }
    return row;
}

template <class... Op>
constexpr auto rows_of(OpList<Op...>) {
    return std::array{row_of<Op>()...};
}

constexpr auto rows = rows_of(Ops{});

}  // namespace

Cell load(const void* data, std::int64_t offset, DType dtype) {
    return dispatch(dtype, [&]<class T>() {
        if constexpr (std::is_same_v<T, bool>) {
            return Cell::of(static_cast<const unsigned char*>(data)[offset] != 0);
        } else {
            return Cell::of(static_cast<const T*>(data)[offset]);
        }
    });
}

void store(void* data, std::int64_t offset, DType dtype, Cell value) {
    dispatch(dtype, [&]<class T>() { static_cast<T*>(data)[offset] = value.as<T>(); });
}

Cell convert(Cell value, DType from, DType to) {
    if (from == to) return value;
    return dispatch(from, [&]<class From>() {
        return dispatch(to, [&]<class To>() { return Cell::of(static_cast<To>(value.as<From>())); });
    });
}

Cell from_double(double value, DType dtype) { return convert(Cell::of(value), DType::float64, dtype); }

CellOp cell_op(OpId op, DType dtype) {
    return rows[static_cast<std::size_t>(op)][static_cast<std::size_t>(dtype)];
}

}  // namespace frisket

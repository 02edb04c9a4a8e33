// SPDX-License-Identifier: MIT
#pragma once
#include "../runtime/dtype.hpp"
#include "ops.hpp"

#include <array>
#include <cstddef>
#include <cstring>

/// Values of the interpreter, whose dtype is known at run time only.
namespace frisket {

/// One value of any dtype.
class Cell {
public:
    template <class T>
    static Cell of(T value) {
        Cell cell;
        std::memcpy(cell.bytes_.data(), &value, sizeof value);
        return cell;
    }
    template <class T>
    T as() const {
        T value;
        std::memcpy(&value, bytes_.data(), sizeof value);
        return value;
    }

private:
    alignas(8) std::array<std::byte, 8> bytes_{};
};

/// The element at an address; any byte but 0 is a true bool.
Cell load(const void* data, std::int64_t offset, DType dtype);
void store(void* data, std::int64_t offset, DType dtype, Cell value);
/// The value in another dtype, rounded; bool is whether it differs from 0.
Cell convert(Cell value, DType from, DType to);
Cell from_double(double value, DType dtype);
/// A number of the host as HostNumbers holds it in a slot of this dtype.
Cell from_slot(double slot, DType dtype);

/// The meaning of an operation for operands of one dtype (of `where`: the branches); null where there is
/// none.
using CellOp = Cell (*)(const Cell* operands);
CellOp cell_op(OpId op, DType dtype);

}  // namespace frisket

// SPDX-License-Identifier: MIT
// Stores scalars whose dtype is known only at run time.
#pragma once
#include "../../runtime/tensor/dtype.hpp"
#include "../ops/ops.hpp"

#include <array>
#include <cstddef>
#include <cstring>

/// Values of the interpreter, whose dtype is known at run time only.
namespace frisket::ir {

/// One value of any dtype.
class DynamicScalar {
public:
    template <class T>
    static DynamicScalar of(T value) {
        DynamicScalar cell;
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
DynamicScalar load(const void* data, std::int64_t offset, DType dtype);
void store(void* data, std::int64_t offset, DType dtype, DynamicScalar value);
/// The value in another dtype, rounded; bool is whether it differs from 0.
DynamicScalar convert(DynamicScalar value, DType from, DType to);
DynamicScalar from_double(double value, DType dtype);
/// A host scalar as ScalarProgram holds it in a slot of this dtype.
DynamicScalar from_slot(double slot, DType dtype);

/// The meaning of an operation for operands of one dtype (of `where`: the branches); null where there is
/// none.
using CellOp = DynamicScalar (*)(const DynamicScalar* operands);
CellOp cell_op(OpId op, DType dtype);

}  // namespace frisket::ir

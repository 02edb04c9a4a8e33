// SPDX-License-Identifier: MIT
// Executes single instructions on whole tensors, for the interpreter.
#pragma once
#include "../../runtime/tensor/tensor.hpp"
#include "../graph.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// Instructions of a graph carried out on whole tensors, plainly: the parts of the interpreter, and the
/// reference for compiled loops.
namespace frisket::tensor_kernels {

/// An operation of the table on operands that are in its operand dtypes already; they broadcast to `shape`.
AnyTensor map(OpId op, std::span<const AnyTensor> operands, DType dtype, const Shape& shape);
/// The elements in another dtype.
AnyTensor convert(const AnyTensor& x, DType dtype);
/// A tensor of rank 0.
AnyTensor scalar(double value, DType dtype);
AnyTensor scalar(std::int64_t value);
/// A host scalar as ScalarProgram holds it in a slot of this dtype.
AnyTensor number(double slot, DType dtype);
/// x where `mask` (bool) is true, else y; all broadcast to `shape`.
AnyTensor choose(const AnyTensor& mask, const AnyTensor& x, const AnyTensor& y, const Shape& shape);

/// NodeKind::reduce.  Sums and products of float32 are carried in float64; integers wrap.
AnyTensor reduce(Reduction reduction, const AnyTensor& x, const std::optional<AnyTensor>& mask,
                 std::span<const std::int64_t> dims, DType dtype);
/// Reduction::contract of factors of one shape and dtype.
AnyTensor contract(const AnyTensor& a, const AnyTensor& b, const std::optional<AnyTensor>& mask,
                   std::span<const std::int64_t> dims);
/// NodeKind::scan.
AnyTensor scan(Reduction reduction, const AnyTensor& x, const std::optional<AnyTensor>& mask, int dim);
/// A linear recurrence of floats: each element plus its factor times the result before.
AnyTensor recurrence(const AnyTensor& x, const AnyTensor& factor, int dim);
AnyTensor coordinate(const Shape& shape, int dim);
/// NodeKind::view: the same memory.
AnyTensor view(const AnyTensor& x, std::span<const std::int64_t> coefficients,
               std::span<const std::int64_t> offsets, const Shape& shape);
AnyTensor cat(std::span<const AnyTensor> parts, int dim, const Shape& shape);
/// NodeKind::gather; indices are in range.
AnyTensor gather(const AnyTensor& x, std::span<const AnyTensor> indices,
                 std::span<const std::int64_t> attributes, const Shape& shape);
/// NodeKind::scatter.
AnyTensor scatter(Reduction reduction, const AnyTensor& x, const std::optional<AnyTensor>& mask,
                  std::span<const AnyTensor> indices, std::span<const std::int64_t> attributes,
                  const Shape& shape);
/// NodeKind::scatter_view.
AnyTensor scatter_view(Reduction reduction, const AnyTensor& x, const std::optional<AnyTensor>& mask,
                       std::span<const std::int64_t> coefficients, std::span<const std::int64_t> offsets,
                       const Shape& shape);

}  // namespace frisket::tensor_kernels

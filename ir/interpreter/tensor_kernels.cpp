// SPDX-License-Identifier: MIT
#include "tensor_kernels.hpp"

#include "../../runtime/limits.hpp"
#include "../../runtime/tensor/reducer.hpp"
#include "dynamic_scalar.hpp"
#include "tensor_kernels_walk.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace frisket::tensor_kernels {

using runtime::Reducer;

namespace {

const std::size_t one_operand = 1;

/// The result of a slice, in the dtype of the reduction: a sum of float32 may be float64.
template <class T>
ir::DynamicScalar result_of(const Reducer<T>& reducer, Reduction reduction, DType dtype) {
    if constexpr (std::is_same_v<T, float>)
        if (dtype == DType::float64) return ir::DynamicScalar::of(reducer.total());
    if (reduction == Reduction::argmin || reduction == Reduction::argmax)
        return ir::DynamicScalar::of(reducer.best_position());
    return ir::DynamicScalar::of(reducer.value());
}

}  // namespace

AnyTensor scalar(double value, DType dtype) {
    AnyTensor tensor(dtype, Shape{});
    ir::store(tensor.data(), 0, dtype, ir::from_double(value, dtype));
    return tensor;
}

AnyTensor number(double slot, DType dtype) {
    AnyTensor tensor(dtype, Shape{});
    ir::store(tensor.data(), 0, dtype, ir::from_slot(slot, dtype));
    return tensor;
}

AnyTensor scalar(std::int64_t value) {
    AnyTensor tensor(DType::int64, Shape{});
    ir::store(tensor.data(), 0, DType::int64, ir::DynamicScalar::of(value));
    return tensor;
}

AnyTensor convert(const AnyTensor& x, DType dtype) {
    if (x.dtype() == dtype) return x;
    AnyTensor made(dtype, x.shape());
    walk<2>(x.shape(), {x.strides(), made.strides()}, [&](const auto& at) {
        ir::store(made.data(), at[1], dtype,
                  frisket::ir::convert(ir::load(x.data(), at[0], x.dtype()), x.dtype(), dtype));
    });
    return made;
}

AnyTensor map(OpId op, std::span<const AnyTensor> operands, DType dtype, const Shape& shape) {
    AnyTensor made(dtype, shape);
    std::array<Strides, 4> strides{made.strides()};
    for (std::size_t i = 0; i < 3; ++i)
        strides[i + 1] = i < operands.size() ? seen_as(operands[i], shape) : made.strides();
    const ir::CellOp eval = ir::cell_op(op, operands.back().dtype());
    walk<4>(shape, strides, [&](const auto& at) {
        std::array<ir::DynamicScalar, 3> cells;
        for (std::size_t i = 0; i < operands.size(); ++i)
            cells[i] = ir::load(operands[i].data(), at[i + 1], operands[i].dtype());
        ir::store(made.data(), at[0], dtype, eval(cells.data()));
    });
    return made;
}

AnyTensor choose(const AnyTensor& mask, const AnyTensor& x, const AnyTensor& y, const Shape& shape) {
    AnyTensor made(x.dtype(), shape);
    walk<4>(shape, {made.strides(), seen_as(mask, shape), seen_as(x, shape), seen_as(y, shape)},
            [&](const auto& at) {
                const bool first = element<bool>(mask, at[1]);
                ir::store(made.data(), at[0], x.dtype(),
                          first ? ir::load(x.data(), at[2], x.dtype())
                                : ir::load(y.data(), at[3], y.dtype()));
            });
    return made;
}

AnyTensor reduce(Reduction reduction, const AnyTensor& x, const std::optional<AnyTensor>& mask,
                 std::span<const std::int64_t> dims, DType dtype) {
    const AnyTensor specified = whole(mask, x.shape());
    const auto [kept, reduced] = parts_of(x.shape(), dims);
    const auto [kept_x, reduced_x] = parts_of(x.strides(), dims);
    const auto [kept_mask, reduced_mask] = parts_of(specified.strides(), dims);
    AnyTensor made(dtype, kept);
    dispatch_values(x.dtype(), [&]<class T>() {
        walk<3>(kept, {made.strides(), kept_x, kept_mask}, [&](const auto& slice) {
            Reducer<T> reducer(reduction);
            std::int64_t position = 0;
            walk<2>(reduced, {reduced_x, reduced_mask}, [&](const auto& at) {
                if (element<bool>(specified, slice[2] + at[1]))
                    reducer.add(element<T>(x, slice[1] + at[0]), position);
                ++position;
            });
            ir::store(made.data(), slice[0], dtype, result_of(reducer, reduction, dtype));
        });
    });
    return made;
}

namespace {

/// An in-place running sum or product of a row: in blocks, each number is combined at once with the numbers
/// 1, 2, 4, … positions before it, then with the result of the blocks before it.
void scan_blocks(std::vector<double>& row, bool is_sum) {
    constexpr std::size_t block = limits::scan_block;
    const auto combine = [is_sum](double a, double b) { return is_sum ? a + b : a * b; };
    for (std::size_t step = 1; step < block; step *= 2)
        for (std::size_t i = row.size(); i-- > 0;)
            if (i % block >= step) row[i] = combine(row[i - step], row[i]);
    double before = is_sum ? 0 : 1, last = before;
    for (std::size_t i = 0; i < row.size(); ++i) {
        if (i > 0 && i % block == 0) before = combine(before, last);
        last = row[i];
        row[i] = combine(before, last);
    }
}

}  // namespace

AnyTensor scan(Reduction reduction, const AnyTensor& x, const std::optional<AnyTensor>& mask, int dim) {
    const AnyTensor specified = whole(mask, x.shape());
    const std::int64_t along = dim;
    const auto [lines, line] = parts_of(x.shape(), {&along, one_operand});
    AnyTensor made(x.dtype(), x.shape());
    const auto [line_made, step_made] = parts_of(made.strides(), {&along, one_operand});
    const auto [line_x, step_x] = parts_of(x.strides(), {&along, one_operand});
    const auto [line_mask, step_mask] = parts_of(specified.strides(), {&along, one_operand});
    const bool is_sum = reduction == Reduction::sum;
    const bool has_blocks = info_of(x.dtype()).is_float && (is_sum || reduction == Reduction::prod) &&
                            dim + 1 == static_cast<int>(x.shape().size());
    dispatch_values(x.dtype(), [&]<class T>() {
        walk<3>(lines, {line_made, line_x, line_mask}, [&](const auto& start) {
            if constexpr (std::floating_point<T>)
                if (has_blocks) {
                    std::vector<double> row;
                    walk<2>(line, {step_x, step_mask}, [&](const auto& at) {
                        const bool counts = element<bool>(specified, start[2] + at[1]);
                        row.push_back(counts ? element<T>(x, start[1] + at[0]) : is_sum ? 0 : 1);
                    });
                    scan_blocks(row, is_sum);
                    std::size_t i = 0;
                    walk<2>(line, {step_made, step_mask}, [&](const auto& at) {
                        const T total = static_cast<T>(row[i++]);
                        if (element<bool>(specified, start[2] + at[1]))
                            ir::store(made.data(), start[0] + at[0], x.dtype(), ir::DynamicScalar::of(total));
                    });
                    return;
                }
            Reducer<T> reducer(reduction);
            walk<3>(line, {step_made, step_x, step_mask}, [&](const auto& at) {
                if (!element<bool>(specified, start[2] + at[2])) return;
                reducer.add(element<T>(x, start[1] + at[1]), 0);
                ir::store(made.data(), start[0] + at[0], x.dtype(), result_of(reducer, reduction, x.dtype()));
            });
        });
    });
    return made;
}

AnyTensor recurrence(const AnyTensor& x, const AnyTensor& factor, int dim) {
    const std::int64_t along = dim;
    const auto [lines, line] = parts_of(x.shape(), {&along, one_operand});
    AnyTensor made(x.dtype(), x.shape());
    const auto [line_made, step_made] = parts_of(made.strides(), {&along, one_operand});
    const auto [line_x, step_x] = parts_of(x.strides(), {&along, one_operand});
    const auto [line_factor, step_factor] = parts_of(factor.strides(), {&along, one_operand});
    dispatch_values(x.dtype(), [&]<class T>() {
        if constexpr (std::floating_point<T>)
            walk<3>(lines, {line_made, line_x, line_factor}, [&](const auto& start) {
                double last = 0;
                walk<3>(line, {step_made, step_x, step_factor}, [&](const auto& at) {
                    last = element<T>(x, start[1] + at[1]) + element<T>(factor, start[2] + at[2]) * last;
                    ir::store(made.data(), start[0] + at[0], x.dtype(),
                              ir::DynamicScalar::of(static_cast<T>(last)));
                });
            });
    });
    return made;
}

AnyTensor coordinate(const Shape& shape, int dim) {
    AnyTensor made(DType::int64, shape);
    walk_index(shape, [&](const Shape& index) {
        ir::store(made.data(), offset_of(index, made.strides()), DType::int64,
                  ir::DynamicScalar::of(index[static_cast<std::size_t>(dim)]));
    });
    return made;
}

AnyTensor view(const AnyTensor& x, std::span<const std::int64_t> coefficients,
               std::span<const std::int64_t> offsets, const Shape& shape) {
    if (element_count(shape) == 0) return empty(x.dtype(), shape, x.device());
    Strides strides(shape.size(), 0);
    for (std::size_t d = 0; d < x.shape().size(); ++d)
        for (std::size_t j = 0; j < shape.size(); ++j)
            strides[j] += coefficients[d * shape.size() + j] * x.strides()[d];
    auto* start =
        static_cast<std::byte*>(x.address()) + offset_of(offsets, x.strides()) * bytes_of(x.dtype());
    return {x.dtype(), start, shape, strides, false, x.owner()};
}

AnyTensor cat(std::span<const AnyTensor> parts, int dim, const Shape& shape) {
    AnyTensor made(parts[0].dtype(), shape);
    std::int64_t start = 0;
    for (const AnyTensor& part : parts) {
        const std::int64_t extent = part.shape()[static_cast<std::size_t>(dim)];
        copy(part, made.slice(dim, start, start + extent));
        start += extent;
    }
    return made;
}

namespace {

/// Map from an index of one side of a take or scatter to the index on the other side.
class IndexMap {
public:
    IndexMap(std::span<const AnyTensor> indices, std::span<const std::int64_t> attributes, const Shape& shape)
        : indices_(indices), attributes_(attributes) {
        for (const AnyTensor& index : indices) strides_.push_back(seen_as(index, shape));
    }
    std::int64_t offset(const Shape& index, const Strides& strides) const {
        std::int64_t offset = 0;
        for (std::size_t d = 0; d < attributes_.size(); ++d) {
            const std::int64_t from = attributes_[d];
            const auto k = static_cast<std::size_t>(-1 - from);
            offset +=
                strides[d] * (from >= 0 ? index[static_cast<std::size_t>(from)]
                                        : element<std::int64_t>(indices_[k], offset_of(index, strides_[k])));
        }
        return offset;
    }

private:
    std::span<const AnyTensor> indices_;
    std::span<const std::int64_t> attributes_;
    std::vector<Strides> strides_;
};

/// Adds each specified element of x at the offset that `target` returns for its index, as sums are carried.
template <class Target>
AnyTensor accumulate(Reduction reduction, const AnyTensor& x, const std::optional<AnyTensor>& mask,
                     const Shape& shape, Target&& target) {
    AnyTensor made(x.dtype(), shape);
    const AnyTensor specified = whole(mask, x.shape());
    dispatch_values(x.dtype(), [&]<class T>() {
        std::vector<Reducer<T>> totals(static_cast<std::size_t>(made.size()), Reducer<T>(reduction));
        walk_index(x.shape(), [&](const Shape& index) {
            if (!element<bool>(specified, offset_of(index, specified.strides()))) return;
            const std::int64_t at = target(index, made.strides());
            totals[static_cast<std::size_t>(at)].add(element<T>(x, offset_of(index, x.strides())), 0);
        });
        for (std::int64_t i = 0; i < made.size(); ++i)
            ir::store(made.data(), i, x.dtype(),
                      result_of(totals[static_cast<std::size_t>(i)], reduction, x.dtype()));
    });
    return made;
}

}  // namespace

AnyTensor gather(const AnyTensor& x, std::span<const AnyTensor> indices,
                 std::span<const std::int64_t> attributes, const Shape& shape) {
    AnyTensor made(x.dtype(), shape);
    if (x.size() == 0) return made;  // the indices are specified nowhere
    const IndexMap map(indices, attributes, shape);
    walk_index(shape, [&](const Shape& index) {
        ir::store(made.data(), offset_of(index, made.strides()), x.dtype(),
                  ir::load(x.data(), map.offset(index, x.strides()), x.dtype()));
    });
    return made;
}

AnyTensor scatter(Reduction reduction, const AnyTensor& x, const std::optional<AnyTensor>& mask,
                  std::span<const AnyTensor> indices, std::span<const std::int64_t> attributes,
                  const Shape& shape) {
    const IndexMap map(indices, attributes, x.shape());
    return accumulate(reduction, x, mask, shape,
                      [&](const Shape& index, const Strides& strides) { return map.offset(index, strides); });
}

AnyTensor scatter_view(Reduction reduction, const AnyTensor& x, const std::optional<AnyTensor>& mask,
                       std::span<const std::int64_t> coefficients, std::span<const std::int64_t> offsets,
                       const Shape& shape) {
    return accumulate(reduction, x, mask, shape, [&](const Shape& index, const Strides& strides) {
        std::int64_t offset = 0;
        for (std::size_t d = 0; d < shape.size(); ++d) {
            std::int64_t there = offsets.empty() ? 0 : offsets[d];
            for (std::size_t j = 0; j < index.size(); ++j)
                there += coefficients[d * index.size() + j] * index[j];
            offset += there * strides[d];
        }
        return offset;
    });
}

}  // namespace frisket::tensor_kernels

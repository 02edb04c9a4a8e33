// SPDX-License-Identifier: MIT
#include "gathered_sums.hpp"

#include "../limits.hpp"
#include "../support/at.hpp"
#include "../tensor/result_memory.hpp"
#include "line_products.hpp"

#include <algorithm>

namespace frisket::list_kernels {

using runtime::at;

namespace {

/// Indices, one for each position of the space, each a row of a table of `rows` rows.
AnyTensor row_numbers(const AnyTensor& indices, const Shape& space, std::int64_t rows) {
    // Trailing dimensions of extent 1 are the dimensions of rows.
    const std::size_t surplus = indices.shape().size() - std::min(indices.shape().size(), space.size());
    const Shape shape(indices.shape().begin(), indices.shape().end() - static_cast<std::ptrdiff_t>(surplus));
    AnyTensor numbers = (indices.is_contiguous() ? indices : indices.clone()).reshape(shape);
    if (shape != space) numbers = numbers.broadcast_to(space).clone();
    const std::span given(static_cast<const std::int64_t*>(numbers.data()), at(numbers.size()));
    const auto is_row = [&](std::int64_t number) { return number >= 0 && number < rows; };
    if (std::ranges::all_of(given, is_row)) return numbers;
    const Tensor<std::int64_t> clamped(space);
    std::ranges::transform(given, clamped.data(), [&](std::int64_t number) {
        return std::clamp<std::int64_t>(number, 0, std::max<std::int64_t>(rows - 1, 0));
    });
    return clamped;
}

}  // namespace

AnyTensor gathered_sums(const RowSums& sums, AnyTensor table, const AnyTensor& indices, const RunTasks& run) {
    const std::span shape(table.shape()), strides(table.strides());
    if (!is_contiguous(shape.subspan(1), strides.subspan(1))) table = table.clone();
    const std::int64_t rows = table.shape()[0],
                       length = element_count(sums.shape) == 0
                                    ? 0
                                    : element_count(table.shape()) / std::max<std::int64_t>(rows, 1);
    AnyTensor made = runtime::result_tensor(sums.dtype, sums.shape);
    const AnyTensor numbers = row_numbers(indices, sums.space, rows);
    const auto* const number = static_cast<const std::int64_t*>(numbers.data());
    const std::int64_t count = numbers.size(), lines = sums.length == 0 ? 0 : count / sums.length;
    const std::int64_t each =
        std::max<std::int64_t>(limits::task_elements / std::max<std::int64_t>(sums.length * length, 1), 1);
    const auto sum = [&]<class T, class To>() {
        const MatrixRows<T> matrix{
            .data = static_cast<const T*>(table.data()), .stride = table.strides()[0], .length = length};
        run(static_cast<int>((lines + each - 1) / each), [&](int task) {
            for (std::int64_t line = task * each; line < std::min(lines, (task + 1) * each); ++line) {
                const std::int64_t first = line * sums.length, next = first + sums.length;
                sum_rows<T>({.inner = number + first, .count = sums.length, .ahead = count - next}, matrix,
                            static_cast<To*>(made.data()) + line * length);
            }
        });
    };
    if (table.dtype() == DType::float64)
        sum.operator()<double, double>();
    else
        sums.dtype == DType::float64 ? sum.operator()<float, double>() : sum.operator()<float, float>();
    return made;
}

}  // namespace frisket::list_kernels

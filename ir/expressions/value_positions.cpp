// SPDX-License-Identifier: MIT
#include "value_positions.hpp"

#include "../../runtime/layouts/layout_traits.hpp"
#include "../interpreter/tensor_kernels.hpp"
#include "../interpreter/tensor_kernels_walk.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

namespace frisket::ir {

namespace {

bool is_list_in_memory(const Result& result) {
    return result.listed && runtime::is_list(result.listed->layout()) && result.listed->device().is_cpu();
}

/// Calls visit(stored, position) for each specified element of a list, by ascending row-major position.
void for_each_specified(const AnyMasked& coo, const auto& visit) {
    const IndexList& places = *coo.index();
    const AnyTensor& mask = coo.mask();
    for (std::int64_t i = 0; i < places.size(); ++i)
        if (mask.size() == 0 || tensor_kernels::element<bool>(mask, i * mask.strides()[0]))
            visit(i, places[i]);
}

AnyMasked in_order(const AnyMasked& list) { return list.to(Layout::coo).coalesce(); }

/// Finds the row-major positions of the specified elements of a list that are true.
AnyTensor listed_true_positions(const AnyMasked& condition) {
    const AnyMasked list = in_order(condition);
    const AnyTensor& values = list.values();
    std::vector<std::int64_t> positions;
    for_each_specified(list, [&](std::int64_t i, std::int64_t position) {
        if (tensor_kernels::element<bool>(values, i * values.strides()[0])) positions.push_back(position);
    });
    const auto count = static_cast<std::int64_t>(positions.size());
    return Tensor<std::int64_t>({count}, positions);
}

/// An element of a slice and its position in it.
template <class T>
struct Ranked {
    T value;
    std::int64_t position;
    friend bool operator<(const Ranked& a, const Ranked& b) {
        return std::pair(a.value, a.position) < std::pair(b.value, b.position);
    }
};

/// Finds the position of the lower median of a slice.  An empty slice has position 0.
template <class T>
std::int64_t median_position(std::vector<Ranked<T>>& slice) {
    if (slice.empty()) return 0;
    if constexpr (std::is_floating_point_v<T>) {
        const auto nan = std::ranges::find_if(slice, [](const auto& one) { return std::isnan(one.value); });
        if (nan != slice.end()) return nan->position;
    }
    const auto middle = slice.begin() + static_cast<std::ptrdiff_t>((slice.size() - 1) / 2);
    std::ranges::nth_element(slice, middle, std::less<>{});
    return middle->position;
}

/// Finds the position of the lower median in each slice of a list along the last dimension.
Tensor<std::int64_t> listed_median_positions(const AnyMasked& x) {
    const AnyMasked list = in_order(x);
    const AnyTensor values = tensor_kernels::convert(list.values(), compute_dtype(list.dtype()));
    Shape lines = x.shape();
    const std::int64_t line = lines.back();
    lines.pop_back();
    Tensor<std::int64_t> positions = zeros<std::int64_t>(lines);
    tensor_kernels::dispatch_values(values.dtype(), [&]<class T>() {
        std::vector<Ranked<T>> slice;
        std::int64_t open = -1;  // the line whose elements are in the slice
        const auto close = [&] {
            if (!slice.empty()) positions.data()[open] = median_position(slice);
            slice.clear();
        };
        for_each_specified(list, [&](std::int64_t i, std::int64_t position) {
            if (position / line != open) close();
            open = position / line;
            slice.push_back({tensor_kernels::element<T>(values, i * values.strides()[0]), position % line});
        });
        close();
    });
    return positions;
}

}  // namespace

AnyTensor true_positions(const Result& found) {
    if (is_list_in_memory(found)) return listed_true_positions(*found.listed);
    const Result condition = strided(found);
    if (!condition.values.device().is_cpu())
        return runtime::on_device::true_places(condition.values, condition.mask);
    std::vector<std::int64_t> positions;
    const AnyTensor& values = condition.values;
    const Strides mask = condition.mask ? condition.mask->strides() : values.strides();
    std::int64_t position = 0;
    tensor_kernels::walk<2>(values.shape(), {values.strides(), mask}, [&](const auto& at) {
        const bool specified = !condition.mask || tensor_kernels::element<bool>(*condition.mask, at[1]);
        if (specified && tensor_kernels::element<bool>(values, at[0])) positions.push_back(position);
        ++position;
    });
    const auto count = static_cast<std::int64_t>(positions.size());
    return Tensor<std::int64_t>({count}, positions);
}

Tensor<std::int64_t> median_positions(const Result& found) {
    if (is_list_in_memory(found)) return listed_median_positions(*found.listed);
    const Result x = strided(found);
    if (!x.values.device().is_cpu())
        throw TargetError("median: the tensor is on device " + std::string(x.values.device().name()) +
                          ", which has no kernel for it: move it with .to(device(\"cpu\"))");
    Shape lines = x.values.shape();
    const Shape line{lines.back()};
    lines.pop_back();
    const auto parts = [](Strides strides) {
        const Strides last{strides.back()};
        strides.pop_back();
        return std::pair(strides, last);
    };
    const AnyTensor values = tensor_kernels::convert(x.values, compute_dtype(x.values.dtype()));
    const auto [line_x, step_x] = parts(values.strides());
    const auto [line_mask, step_mask] = parts(x.mask ? x.mask->strides() : values.strides());
    std::vector<std::int64_t> positions;
    tensor_kernels::dispatch_values(values.dtype(), [&]<class T>() {
        std::vector<Ranked<T>> slice;
        tensor_kernels::walk<2>(lines, {line_x, line_mask}, [&](const auto& start) {
            slice.clear();
            std::int64_t position = 0;
            tensor_kernels::walk<2>(line, {step_x, step_mask}, [&](const auto& at) {
                if (!x.mask || tensor_kernels::element<bool>(*x.mask, start[1] + at[1]))
                    slice.push_back({tensor_kernels::element<T>(values, start[0] + at[0]), position});
                ++position;
            });
            positions.push_back(median_position(slice));
        });
    });
    return Tensor<std::int64_t>(lines, positions);
}

}  // namespace frisket::ir

// SPDX-License-Identifier: MIT
// Walks tensors of one shape in runs of elements.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace frisket::runtime {

/// Elements of N tensors of one shape that follow each other row-major:
/// element i is at offset[n] + i * step[n].
template <std::size_t N>
struct Run {
    std::array<std::int64_t, N> offset{};
    std::int64_t count = 0;
    std::array<std::int64_t, N> step{};
};

template <std::size_t N>
struct RunDim {
    std::int64_t extent = 1;
    std::array<std::int64_t, N> stride{};
};

/// The dimensions that matter, outermost first: neighbours without gaps in all tensors become one.
template <std::size_t N>
std::vector<RunDim<N>> merged_dims(std::span<const std::int64_t> shape,
                                   const std::array<std::span<const std::int64_t>, N>& strides) {
    std::vector<RunDim<N>> dims;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (shape[d] == 1) continue;
        RunDim<N> dim{.extent = shape[d]};
        bool merges = !dims.empty();
        for (std::size_t n = 0; n < N; ++n) {
            dim.stride[n] = strides[n][d];
            merges = merges && dims.back().stride[n] == dim.stride[n] * dim.extent;
        }
        if (merges) {
            dim.extent *= dims.back().extent;
            dims.back() = dim;
        } else {
            dims.push_back(dim);
        }
    }
    if (dims.empty()) dims.emplace_back();
    return dims;
}

/// Calls body(Run<N>) for all elements of `shape` in row-major order, in runs as long as the strides allow.
template <std::size_t N, class Body>
void for_each_run(std::span<const std::int64_t> shape,
                  const std::array<std::span<const std::int64_t>, N>& strides, Body&& body) {
    for (const std::int64_t extent : shape)
        if (extent == 0) return;
    auto dims = merged_dims<N>(shape, strides);
    Run<N> run{.count = dims.back().extent, .step = dims.back().stride};
    dims.pop_back();
    std::vector<std::int64_t> at(dims.size(), 0);
    for (;;) {
        body(static_cast<const Run<N>&>(run));
        std::size_t d = dims.size();
        for (;; at[d] = 0) {
            if (d-- == 0) return;
            for (std::size_t n = 0; n < N; ++n) run.offset[n] += dims[d].stride[n];
            if (++at[d] < dims[d].extent) break;
            for (std::size_t n = 0; n < N; ++n) run.offset[n] -= dims[d].stride[n] * dims[d].extent;
        }
    }
}

}  // namespace frisket::runtime

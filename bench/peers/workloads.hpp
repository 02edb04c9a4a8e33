// SPDX-License-Identifier: MIT
#pragma once
#include <frisket/frisket.hpp>

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// Workloads that other libraries have as well, over data that both make by the same rule.
namespace bench {

struct Settings {
    std::int64_t size = 4096;  ///< extents of square matrices
    double density = 0.5;      ///< share of specified elements
    frisket::EvalOptions eval = {};
};

/// Something that is timed; `total` tells what it computes, to compare with others.
struct Timed {
    std::function<void()> run;
    std::function<double()> total;
};

struct Workload {
    std::string name;  ///< as in workloads.tsv and peers.py
    std::function<Timed(const Settings&)> make;
};

/// Bits of element `i` of tensor `number`: splitmix64, as in peers.py.
inline std::uint64_t bits_of(std::uint64_t number, std::uint64_t i) {
    std::uint64_t x = (number << 40U) + i + 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
}

/// A number from 0 to 1.
inline double share_of(std::uint64_t number, std::uint64_t i) {
    return static_cast<double>(bits_of(number, i) >> 40U) * 0x1p-24;
}

/// Numbers from -1 to 1.
template <class T>
frisket::Tensor<T> numbers(std::uint64_t number, const frisket::Shape& shape) {
    frisket::Tensor<T> made(shape);
    for (std::int64_t i = 0; i < made.size(); ++i)
        made.data()[i] = static_cast<T>(share_of(number, static_cast<std::uint64_t>(i)) * 2 - 1);
    return made;
}

/// True for a share of the elements.
inline frisket::Tensor<bool> random_mask(std::uint64_t number, const frisket::Shape& shape, double density) {
    frisket::Tensor<bool> made(shape);
    for (std::int64_t i = 0; i < made.size(); ++i)
        made.data()[i] = share_of(number, static_cast<std::uint64_t>(i)) < density;
    return made;
}

/// True where a key is no later than its query.
inline frisket::Tensor<bool> causal_mask(std::int64_t extent) {
    frisket::Tensor<bool> made({extent, extent});
    for (std::int64_t i = 0; i < made.size(); ++i) made.data()[i] = i % extent <= i / extent;
    return made;
}

/// The sum of the absolute values of all that is specified and finite.
template <class T>
double total_of(const frisket::Tensor<T>& made) {
    double total = 0;
    for (std::int64_t i = 0; i < made.size(); ++i) {
        const auto x = static_cast<double>(made.data()[i]);
        if (std::isfinite(x)) total += std::abs(x);
    }
    return total;
}
template <class T>
double total_of(const frisket::MaskedTensor<T>& made) {
    using enum frisket::Layout;
    const bool is_list = made.layout() != dense && made.layout() != strided && made.layout() != bitmask;
    return total_of(is_list ? frisket::Tensor<T>(made.to(coo).values()) : made.to_dense(T(0)));
}
inline double total_of(const std::vector<frisket::Result>& made) {
    double total = 0;
    for (const frisket::Result& each : made) {
        if (each.listed) {
            total += total_of(frisket::Tensor<double>(each.listed->values().to(frisket::DType::float64)));
            continue;
        }
        const frisket::AnyTensor mask =
            each.mask ? *each.mask : frisket::full<bool>(each.values.shape(), true);
        total += total_of(frisket::Tensor<double>(
            frisket::AnyMasked::strided(each.values.to(frisket::DType::float64), mask).to_dense(0)));
    }
    return total;
}

/// Times `evaluate`, and adds up its result.
template <class Evaluate>
Timed timed(Evaluate evaluate) {
    return {[evaluate]() mutable { static_cast<void>(evaluate()); },
            [evaluate]() mutable { return total_of(evaluate()); }};
}

/// Workloads over elements, rows and columns.
template <class T>
void add_row_workloads(std::vector<Workload>& workloads);
/// Products of matrices, attention, layers.
template <class T>
void add_product_workloads(std::vector<Workload>& workloads);
/// Whole lists of a million positions.
template <class T>
void add_list_workloads(std::vector<Workload>& workloads);

/// Layers of graphs, and other compositions of lists.
template <class T>
void add_graph_workloads(std::vector<Workload>& workloads);

/// Products of which a factor is a list, or which are made for the places of a list.
template <class T>
void add_list_product_workloads(std::vector<Workload>& workloads);

/// Gradients that are lists, and steps by them.
template <class T>
void add_training_workloads(std::vector<Workload>& workloads);

extern template void add_row_workloads<float>(std::vector<Workload>&);
extern template void add_row_workloads<double>(std::vector<Workload>&);
extern template void add_product_workloads<float>(std::vector<Workload>&);
extern template void add_product_workloads<double>(std::vector<Workload>&);
extern template void add_list_product_workloads<float>(std::vector<Workload>&);
extern template void add_list_product_workloads<double>(std::vector<Workload>&);
extern template void add_list_workloads<float>(std::vector<Workload>&);
extern template void add_list_workloads<double>(std::vector<Workload>&);
extern template void add_graph_workloads<float>(std::vector<Workload>&);
extern template void add_graph_workloads<double>(std::vector<Workload>&);
extern template void add_training_workloads<float>(std::vector<Workload>&);
extern template void add_training_workloads<double>(std::vector<Workload>&);

}  // namespace bench

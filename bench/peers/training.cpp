// SPDX-License-Identifier: MIT
#include <frisket/optim.hpp>

#include <algorithm>
#include <memory>

#include "../zipf.hpp"
#include "workloads.hpp"

using namespace frisket;

namespace bench {

namespace {

constexpr std::int64_t table_rows = 1'000'000, width = 64;

Tensor<std::int64_t> ids_of(const std::vector<std::int64_t>& ids, const Shape& shape) {
    Tensor<std::int64_t> made(shape);
    std::ranges::copy(ids, made.data());
    return made;
}

/// Ids of which each is as likely as any other, or that Zipf's law draws.
Tensor<std::int64_t> random_ids(std::uint64_t number, const Shape& shape, bool is_skewed) {
    std::uint64_t i = 0;
    if (is_skewed)
        return ids_of(zipf(element_count(shape), table_rows, [&] { return share_of(number, i++); }), shape);
    std::vector<std::int64_t> ids(static_cast<std::size_t>(element_count(shape)));
    for (std::int64_t& id : ids) id = static_cast<std::int64_t>((bits_of(number, i++) >> 8U) % table_rows);
    return ids_of(ids, shape);
}

template <class T>
Workload lookup(const std::string& name, bool is_skewed) {
    return {name, [is_skewed](const Settings& settings) {
                const Tensor<T> table = numbers<T>(1, {table_rows, width});
                const Tensor<std::int64_t> ids = random_ids(2, {4096}, is_skewed);
                return timed([table, ids, how = settings.eval] {
                    return eval(gradient(sum(square(table[ids])), table), how);
                });
            }};
}

/// Logistic regression over a csr matrix of 256 samples with 20 of a million features each.
template <class T>
Timed regression(const Settings& settings) {
    constexpr std::int64_t samples = 256, each = 20;
    std::vector<std::vector<std::int64_t>> places(2);
    for (std::int64_t sample = 0; sample < samples; ++sample)
        for (std::int64_t i = 0; i < each; ++i) {
            places[0].push_back(sample);
            const auto at = static_cast<std::uint64_t>(sample * each + i);
            places[1].push_back(static_cast<std::int64_t>((bits_of(1, at) >> 8U) % table_rows));
        }
    const Tensor<T> values = numbers<T>(2, {samples * each});
    const auto x =
        MaskedTensor<T>(MaskedTensor<T>::coo({samples, table_rows}, places, values).to(Layout::csr));
    const Tensor<T> w = numbers<T>(3, {table_rows, 1}), y = numbers<T>(4, {samples, 1});
    return timed([x, w, y, how = settings.eval] {
        const auto z = to_dense(matmul(x, w), T(0));
        return eval(gradient(mean(logaddexp(z, T(0)) - y * z), w), how);
    });
}

/// A pass forward and backward over bags of 20 ids, and a step of row-wise Adagrad.
template <class T>
Timed bags(const Settings& /*settings*/) {
    constexpr std::int64_t count = 4096, each = 20;
    const Tensor<T> table = numbers<T>(1, {table_rows, width}), upstream = numbers<T>(3, {count, width});
    const Tensor<std::int64_t> ids = random_ids(2, {count, each}, true);
    const auto bag = sum(table[ids], {1});
    const double total = total_of(eval(bag));
    const auto optimizer = std::make_shared<optim::Optimizer>(
        optim::RowwiseAdagrad{.lr = 0.01}, std::vector<optim::NamedParameter>{{"table", table}});
    return {[optimizer, bag, upstream] { optimizer->minimize(sum(bag * upstream)); },
            [total] { return total; }};
}

}  // namespace

template <class T>
void add_training_workloads(std::vector<Workload>& to) {
    to.push_back(lookup<T>("embedding gradient", false));
    to.push_back(lookup<T>("embedding gradient, skewed", true));
    to.push_back({"csr regression gradient", regression<T>});
    to.push_back({"embedding bags, row-wise Adagrad", bags<T>});
}

template void add_training_workloads<float>(std::vector<Workload>&);
template void add_training_workloads<double>(std::vector<Workload>&);

}  // namespace bench

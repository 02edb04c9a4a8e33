// SPDX-License-Identifier: MIT
#include <algorithm>

#include "workloads.hpp"

using namespace frisket;

namespace bench {

namespace {

/// Places of a matrix, random and ascending: about `count` of them.
std::vector<std::vector<std::int64_t>> random_places(std::uint64_t number, const Shape& shape,
                                                     std::int64_t count) {
    std::vector<std::uint64_t> places;
    const auto size = static_cast<std::uint64_t>(shape[0] * shape[1]);
    for (std::int64_t i = 0; i < count; ++i)
        places.push_back((bits_of(number, static_cast<std::uint64_t>(i)) >> 8U) % size);
    std::ranges::sort(places);
    const auto twice = std::ranges::unique(places);
    places.erase(twice.begin(), twice.end());
    std::vector<std::vector<std::int64_t>> indices(2);
    for (const std::uint64_t place : places) {
        indices[0].push_back(static_cast<std::int64_t>(place) / shape[1]);
        indices[1].push_back(static_cast<std::int64_t>(place) % shape[1]);
    }
    return indices;
}

/// A list with about `count` random positions and values.
template <class T>
MaskedTensor<T> random_list(std::uint64_t number, const Shape& shape, std::int64_t count, Layout layout) {
    const auto places = random_places(number, shape, count);
    const Tensor<T> values = numbers<T>(number + 1, {static_cast<std::int64_t>(places[0].size())});
    return MaskedTensor<T>(MaskedTensor<T>::coo(shape, places, values).to(layout));
}

constexpr std::int64_t ratings_extent = 8192, ratings_count = 675'000;
constexpr std::int64_t links_extent = 100'000, links_count = 1'000'000;

/// Ratings, and the factors of a matrix that is near them.
template <class T>
struct Factorisation {
    MaskedTensor<T> m;
    Tensor<T> u, v;
    explicit Factorisation(std::int64_t rank)
        : m(random_list<T>(1, {ratings_extent, ratings_extent}, ratings_count, Layout::csr)),
          u(numbers<T>(3, {ratings_extent, rank})),
          v(numbers<T>(4, {ratings_extent, rank})) {}
    auto product() const { return matmul(u, transpose(v, 0, 1)); }
    auto loss() const { return sum(square(m - product())); }
};

template <class T>
Workload sampled(const std::string& name, std::int64_t rank) {
    return {name, [rank](const Settings& settings) {
                return timed([all = Factorisation<T>(rank), how = settings.eval] {
                    return eval(on(all.m, all.product()), how);
                });
            }};
}

template <class T>
Workload list_by_dense(const std::string& name, Layout layout, std::int64_t columns) {
    return {name, [layout, columns](const Settings& settings) {
                const auto m = random_list<T>(1, {links_extent, links_extent}, links_count, layout);
                const Tensor<T> right = numbers<T>(3, {links_extent, columns});
                return timed([m, right, how = settings.eval] { return eval(matmul(m, right), how); });
            }};
}

}  // namespace

template <class T>
void add_list_product_workloads(std::vector<Workload>& to) {
    to.push_back(sampled<T>("sampled product rank 64", 64));
    to.push_back(sampled<T>("sampled product rank 50", 50));
    to.push_back(sampled<T>("sampled product rank 127", 127));
    to.push_back({"factorisation loss", [](const Settings& settings) {
                      return timed([all = Factorisation<T>(64), how = settings.eval] {
                          return detail::run(how, all.loss());
                      });
                  }});
    to.push_back({"factorisation gradients", [](const Settings& settings) {
                      return timed([all = Factorisation<T>(64), how = settings.eval] {
                          const auto loss = all.loss();
                          return detail::run(how, gradient(loss, all.u), gradient(loss, all.v));
                      });
                  }});
    to.push_back(list_by_dense<T>("csr x dense", Layout::csr, 64));
    to.push_back(list_by_dense<T>("csr x dense, 50 columns", Layout::csr, 50));
    to.push_back(list_by_dense<T>("csr x dense, 127 columns", Layout::csr, 127));
    to.push_back(list_by_dense<T>("coo x dense", Layout::coo, 64));
    to.push_back({"transposed csr x dense", [](const Settings& settings) {
                      const auto m =
                          random_list<T>(1, {links_extent, links_extent}, links_count, Layout::csr);
                      const Tensor<T> right = numbers<T>(3, {links_extent, 64});
                      return timed([m, right, how = settings.eval] {
                          return eval(matmul(transpose(m, 0, 1), right), how);
                      });
                  }});
    to.push_back(
        {"csr x csr", [](const Settings& settings) {
             const auto left = random_list<T>(1, {links_extent, links_extent}, links_count, Layout::csr);
             const auto right = random_list<T>(5, {links_extent, links_extent}, links_count, Layout::csr);
             return timed([left, right, how = settings.eval] { return eval(matmul(left, right), how); });
         }});
}

template void add_list_product_workloads<float>(std::vector<Workload>&);
template void add_list_product_workloads<double>(std::vector<Workload>&);

}  // namespace bench

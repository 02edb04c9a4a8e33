// SPDX-License-Identifier: MIT
#include "workloads.hpp"

using namespace frisket;

namespace bench {

namespace {

constexpr Shape vector_of(std::int64_t extent) { return {extent}; }

/// The matrices of a workload: x under a mask, another one, and a row.
template <class T>
struct Matrices {
    Matrices(const Settings& settings, std::int64_t rows, std::int64_t columns)
        : x(numbers<T>(1, {rows, columns})),
          w(numbers<T>(2, {rows, columns})),
          b(numbers<T>(3, vector_of(columns))),
          m(masked(x, random_mask(4, {rows, columns}, settings.density))) {}
    Tensor<T> x, w, b;
    MaskedTensor<T> m;
};

/// A workload over matrices of the settings' size; `expression` makes what is evaluated, in each call anew.
template <class T, class MakeExpression>
Workload of_square(const std::string& name, MakeExpression expression) {
    return {name, [expression](const Settings& settings) {
                const Matrices<T> all(settings, settings.size, settings.size);
                return timed([all, expression, how = settings.eval] { return eval(expression(all), how); });
            }};
}

template <class T, class MakeExpression>
Workload of_short_rows(const std::string& name, MakeExpression expression) {
    return {name, [expression](const Settings& settings) {
                const Matrices<T> all(settings, 1000, 127);
                return timed([all, expression, how = settings.eval] { return eval(expression(all), how); });
            }};
}

template <class T>
auto layer_norm(const MaskedTensor<T>& m) {
    const auto centred = m - mean(m, {1}, keepdim);
    return centred / sqrt(mean(centred * centred, {1}, keepdim) + T(1e-5));
}

template <class T>
void add_elementwise(std::vector<Workload>& to) {
    to.push_back(
        of_square<T>("elementwise m*w+b", [](const Matrices<T>& all) { return all.m * all.w + all.b; }));
    to.push_back({"x - lr*g, lr changing", [](const Settings& settings) {
                      const Matrices<T> all(settings, settings.size, settings.size);
                      return timed([all, how = settings.eval, rate = 0.1]() mutable {
                          rate = rate > 0.01 ? rate * 0.999 : 0.1;
                          return eval(all.x - static_cast<T>(rate) * all.w, how);
                      });
                  }});
    to.push_back(of_square<T>("chain sigmoid*tanh", [](const Matrices<T>& all) {
        return sigmoid(all.m * all.w + all.b) * tanh(all.m);
    }));
    to.push_back(
        of_square<T>("transpose add", [](const Matrices<T>& all) { return all.x + transpose(all.w, 0, 1); }));
    to.push_back({"tiny eval 2x4", [](const Settings& settings) {
                      const Matrices<T> all({.density = 0.5}, 2, 4);
                      return timed([all, how = settings.eval] { return eval(all.m * all.m + all.w, how); });
                  }});
}

template <class T>
void add_reductions(std::vector<Workload>& to) {
    to.push_back(
        of_square<T>("masked mse", [](const Matrices<T>& all) { return mean(square(all.m - all.w)); }));
    to.push_back(of_square<T>("masked mse gradient", [](const Matrices<T>& all) {
        return gradient(mean(square(all.m - all.w)), all.w);
    }));
    to.push_back(of_square<T>("var columns", [](const Matrices<T>& all) { return var(all.m, {0}); }));
    to.push_back(of_square<T>("argmax rows", [](const Matrices<T>& all) { return argmax(all.m, 1); }));
    to.push_back(
        of_square<T>("nanmean", [](const Matrices<T>& all) { return mean(masked(all.x, !is_nan(all.x))); }));
    to.push_back({"padded batch mean", [](const Settings& settings) {
                      const Tensor<T> x = numbers<T>(1, {64, 4096, 64});
                      const Tensor<bool> there = random_mask(4, {64, 4096}, 0.7);
                      return timed([x, there, how = settings.eval] {
                          return eval(mean(masked(x, unsqueeze(there, 2)), {1}), how);
                      });
                  }});
}

}  // namespace

template <class T>
void add_row_workloads(std::vector<Workload>& to) {
    add_elementwise<T>(to);
    add_reductions<T>(to);
    to.push_back(
        of_square<T>("masked softmax rows", [](const Matrices<T>& all) { return softmax(all.m, 1); }));
    to.push_back(
        of_square<T>("masked layer norm rows", [](const Matrices<T>& all) { return layer_norm(all.m); }));
    to.push_back(of_square<T>("cumsum rows", [](const Matrices<T>& all) { return cumsum(all.m, 1); }));
    to.push_back(
        of_short_rows<T>("softmax 1000x127", [](const Matrices<T>& all) { return softmax(all.m, 1); }));
    to.push_back(
        of_short_rows<T>("layer norm 1000x127", [](const Matrices<T>& all) { return layer_norm(all.m); }));
    to.push_back(
        of_short_rows<T>("cumsum 1000x127", [](const Matrices<T>& all) { return cumsum(all.m, 1); }));
}

template void add_row_workloads<float>(std::vector<Workload>&);
template void add_row_workloads<double>(std::vector<Workload>&);

}  // namespace bench

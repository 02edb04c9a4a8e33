// SPDX-License-Identifier: MIT
#include "workloads.hpp"

using namespace frisket;

namespace bench {

namespace {

/// A product of two tensors of these shapes.
template <class T>
Workload product(const std::string& name, const Shape& left, const Shape& right) {
    return {name, [left, right](const Settings& settings) {
                const Tensor<T> a = numbers<T>(1, left), b = numbers<T>(2, right);
                return timed([a, b, how = settings.eval] { return eval(matmul(a, b), how); });
            }};
}

/// The gradient of a narrow layer's weights: a product of long columns.
template <class T>
Workload weights_gradient() {
    return {"weights gradient 100kx32x8", [](const Settings& settings) {
                const Tensor<T> x = numbers<T>(1, {100'000, 32}), of_y = numbers<T>(2, {100'000, 8});
                return timed(
                    [x, of_y, how = settings.eval] { return eval(matmul(transpose(x), of_y), how); });
            }};
}

/// Matrices side by side.
template <class T>
Workload joined_columns() {
    return {"cat columns 4x100kx64", [](const Settings& settings) {
                std::vector<Tensor<T>> parts;
                for (int i = 1; i <= 4; ++i) parts.push_back(numbers<T>(i, {100'000, 64}));
                return timed([parts, how = settings.eval] { return eval(cat(parts, 1), how); });
            }};
}

/// Queries, keys and values, and where a query sees a key.
template <class T>
struct Attention {
    Tensor<T> q, k, v;
    Tensor<bool> mask;
    T scale;
    auto scores() const { return masked(matmul(q, transpose(k, -2, -1)) * scale, mask); }
    auto value() const { return matmul(to_dense(softmax(scores(), -1), T(0)), v); }
};

template <class T>
Attention<T> causal_attention(const Shape& shape) {
    const std::int64_t width = shape.back(), extent = shape[shape.size() - 2];
    return {numbers<T>(1, shape), numbers<T>(2, shape), numbers<T>(3, shape), causal_mask(extent),
            static_cast<T>(1 / std::sqrt(static_cast<double>(width)))};
}

template <class T>
Workload attention(const std::string& name, const Shape& shape) {
    return {name, [shape](const Settings& settings) {
                return timed([all = causal_attention<T>(shape), how = settings.eval] {
                    return eval(all.value(), how);
                });
            }};
}

/// Keys and ranks that divide no block, and a mask of the settings' density.
template <class T>
Workload odd_attention() {
    return {"attention 4x300x50", [](const Settings& settings) {
                Attention<T> all = causal_attention<T>({4, 300, 50});
                all.mask = random_mask(4, {4, 300, 300}, settings.density);
                return timed([all, how = settings.eval] { return eval(all.value(), how); });
            }};
}

template <class T>
Workload attention_gradients() {
    return {"attention gradients 64x256x64", [](const Settings& settings) {
                return timed([all = causal_attention<T>({64, 256, 64}), how = settings.eval] {
                    const auto made = all.value();
                    const auto loss = sum(made * made);
                    return detail::run(how, gradient(loss, all.q), gradient(loss, all.k),
                                       gradient(loss, all.v));
                });
            }};
}

template <class T>
Workload perceptron_gradients() {
    return {"mlp gradients", [](const Settings& settings) {
                const Tensor<T> x = numbers<T>(1, {512, 256}), first = numbers<T>(2, {256, 512}),
                                second = numbers<T>(3, {512, 512}), third = numbers<T>(4, {512, 10}),
                                wanted = numbers<T>(5, {512, 10});
                return timed([=, how = settings.eval] {
                    const auto hidden = relu(matmul(relu(matmul(x, first)), second));
                    const auto loss = mean(square(matmul(hidden, third) - wanted));
                    return detail::run(how, gradient(loss, first), gradient(loss, second),
                                       gradient(loss, third));
                });
            }};
}

}  // namespace

template <class T>
void add_product_workloads(std::vector<Workload>& to) {
    to.push_back(product<T>("matmul 1024", {1024, 1024}, {1024, 1024}));
    to.push_back(product<T>("matmul 1000x37x911", {1000, 37}, {37, 911}));
    to.push_back(product<T>("matmul 64x256x64x256", {64, 256, 64}, {64, 64, 256}));
    to.push_back(product<T>("matmul rank 50", {1000, 50}, {50, 300}));
    to.push_back(weights_gradient<T>());
    to.push_back(joined_columns<T>());
    to.push_back({"matrix x vector", [](const Settings& settings) {
                      const Shape shape{settings.size, settings.size};
                      return product<T>("", shape, {settings.size}).make(settings);
                  }});
    const std::pair<const char*, Shape> attentions[] = {{"attention 1024x64", {1024, 64}},
                                                        {"attention 8x512x64", {8, 512, 64}},
                                                        {"attention 64x256x64", {64, 256, 64}}};
    for (const auto& [name, shape] : attentions) {
        to.push_back(attention<T>(name, shape));
        to.push_back(attention<T>(std::string(name) + " vs is_causal", shape));
    }
    to.push_back(odd_attention<T>());
    to.push_back(attention_gradients<T>());
    to.push_back(perceptron_gradients<T>());
}

template void add_product_workloads<float>(std::vector<Workload>&);
template void add_product_workloads<double>(std::vector<Workload>&);

}  // namespace bench

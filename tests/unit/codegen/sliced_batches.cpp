// SPDX-License-Identifier: MIT
/// Gradients of a batch that would store much between stages: they are computed for some indices of the batch
/// at a time, and their bits equal those computed for each index by itself.
#include "../../../codegen/explain.hpp"
#include "../../support/oracle.hpp"
#include "../../support/random.hpp"
#include "eval_numbers.hpp"

#include <frisket/frisket.hpp>

#include <catch2/catch_test_macros.hpp>

#include <tuple>

namespace sliced_batches_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr std::int64_t width = 8;

Tensor<bool> causal(std::int64_t queries, std::int64_t keys) {
    Tensor<bool> mask({queries, keys});
    for (std::int64_t i = 0; i < queries; ++i)
        for (std::int64_t j = 0; j < keys; ++j) mask.data()[i * keys + j] = j <= i && i % 7 != 3;
    return mask;
}

Tensor<bool> random_causal(std::int64_t batch, std::int64_t length) {
    Tensor<bool> mask({batch, length, length});
    Random random(5);
    for (std::int64_t i = 0; i < mask.size(); ++i)
        mask.data()[i] = i % length <= i / length % length && random.below(3) != 0;
    return mask;
}

/// The squares of the values that attention over the last two dimensions misses.
template <class Q, class K, class V, class Mask>
auto loss_of(const Q& q, const K& k, const V& v, const Mask& mask) {
    const int last = v.rank() - 1;
    const auto scores = matmul(q, transpose(k, -2, -1)) * 0.25F;
    return sum(square(matmul(to_dense(softmax(masked(scores, mask), last), 0), v) - q));
}

/// A tensor whose dimension 0 is the batch, at some index of it.
Tensor<float> at(const Tensor<float>& x, std::int64_t i) { return x.slice(0, i, i + 1); }
Tensor<bool> mask_at(const Tensor<bool>& mask, int rank, std::int64_t i) {
    return mask.rank() < rank ? mask : mask.slice(0, i, i + 1);
}

bool are_same(const MaskedTensor<float>& whole, const MaskedTensor<float>& part, std::int64_t i) {
    return same(whole.mask_tensor().slice(0, i, i + 1), part.mask_tensor()) &&
           same_values(whole.to_dense(0).slice(0, i, i + 1), part.to_dense(0));
}
template <class E>
bool is_sliced(const E& expression) {
    return explain(expression, Run::yes, {.jit = Jit::always}).find(" of dimension 0 at a time, of ") !=
           std::string::npos;
}

void check(const Shape& shape, const Tensor<bool>& mask) {
    const Tensor<float> q = random_tensor(shape, 1), k = random_tensor(shape, 2), v = random_tensor(shape, 3);
    const auto loss = loss_of(q, k, v, mask);
    CHECK(is_sliced(gradient(loss, k)));
    const auto whole = eval(gradient(loss, q), gradient(loss, k), gradient(loss, v));
    for (std::int64_t i = 0; i < shape[0]; ++i) {
        const Tensor<float> one_q = at(q, i), one_k = at(k, i), one_v = at(v, i);
        const auto alone = loss_of(one_q, one_k, one_v, mask_at(mask, q.rank(), i));
        const auto part = eval(gradient(alone, one_q), gradient(alone, one_k), gradient(alone, one_v));
        CHECK(are_same(std::get<0>(whole), std::get<0>(part), i));
        CHECK(are_same(std::get<1>(whole), std::get<1>(part), i));
        CHECK(are_same(std::get<2>(whole), std::get<2>(part), i));
    }
}

}  // namespace

TEST_CASE("gradients of a large batch are those of each of its indices", "[codegen]") {
    check({4, 2100, width}, random_causal(4, 2100));
}

TEST_CASE("gradients of large batches of each kind are those of each of their indices", "[codegen][deep]") {
    check({16, 1024, width}, causal(1024, 1024));
    check({4, 2100, width}, causal(2100, 2100));
    check({2, 2, 2100, width}, causal(2100, 2100));
}

TEST_CASE("a batch is sliced only where each index is computed alone", "[codegen]") {
    const Shape shape{4, 2100, width};
    const Tensor<float> q = random_tensor(shape, 1), v = random_tensor(shape, 3),
                        k = random_tensor({2100, width}, 2), w = random_tensor({4, 4}, 4);
    const Tensor<bool> mask = causal(2100, 2100);
    const auto loss = loss_of(q, k, v, mask);
    CHECK(is_sliced(gradient(loss, q)));
    CHECK_FALSE(is_sliced(gradient(loss, k)));  // a sum over the batch
    const auto mixed = transpose(matmul(transpose(q, 0, 2), w), 0, 2);
    const auto mixed_loss = loss_of(mixed, mixed, v, mask);
    CHECK_FALSE(is_sliced(gradient(mixed_loss, q)));
    const Tensor<float> small = at(q, 0), small_v = at(v, 0);
    CHECK_FALSE(is_sliced(gradient(loss_of(small, k, small_v, mask), small)));
}

}  // namespace sliced_batches_test

// SPDX-License-Identifier: MIT
/// Joined tensors have the elements of their parts, one by one, whatever loops join them.
#include "../../../codegen/limits.hpp"
#include "../../support/matchers.hpp"
#include "listed.hpp"

#include <frisket/frisket.hpp>

#include <vector>

namespace joins_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

/// The parts along `dim`, joined by hand.
template <class T>
Tensor<T> joined(const std::vector<Tensor<T>>& parts, int dim) {
    Shape shape = parts[0].shape();
    shape[dim] = 0;
    for (const Tensor<T>& part : parts) shape[dim] += part.shape()[dim];
    Tensor<T> whole(shape);
    std::int64_t begin = 0;
    for (const Tensor<T>& part : parts) {
        const std::int64_t end = begin + part.shape()[dim];
        AnyTensor to = AnyTensor(whole).slice(dim, begin, end);
        copy(part, to);
        begin = end;
    }
    return whole;
}

/// Parts of a tensor of this shape which have these extents along a dimension.
std::vector<Tensor<float>> parts_of(Shape shape, int dim, const std::vector<std::int64_t>& extents) {
    std::vector<Tensor<float>> parts;
    for (const std::int64_t extent : extents) {
        shape[dim] = extent;
        parts.push_back(random_tensor<float>(shape, static_cast<unsigned>(parts.size()) + 1));
    }
    return parts;
}

/// Checks parts as they are, computed, read by other parts, and masked with NaN where they are unspecified.
void check(const std::vector<Tensor<float>>& parts, int dim, const EvalOptions& how) {
    const Tensor<float> whole = joined(parts, dim);
    std::vector<MaskedTensor<float>> masked_parts;
    std::vector<Tensor<bool>> masks;
    for (const Tensor<float>& part : parts) {
        Tensor<bool> mask(part.shape());
        Tensor<float> values = part.clone();
        for (std::int64_t i = 0; i < mask.size(); ++i) {
            mask.data()[i] = i % 3 != 1;
            if (!mask.data()[i]) values.data()[i] = std::numeric_limits<float>::quiet_NaN();
        }
        masks.push_back(mask);
        masked_parts.push_back(masked(values, mask));
    }
    CHECK(same(eval(cat(parts, dim), how), whole));
    CHECK(same(eval(cat(parts, dim) * 2.0F, how), eval(whole * 2.0F)));
    CHECK(same(eval(cat(masked_parts, dim), how), masked(whole, joined(masks, dim))));
    CHECK(same(eval(sum(cat(parts, dim), {dim}), how), eval(sum(whole, {dim}))));
}

}  // namespace

TEST_CASE("tensors are joined along every dimension", "[codegen]") {
    const EvalOptions how = options();
    const std::vector<std::int64_t> extents =
        GENERATE(std::vector<std::int64_t>{5}, std::vector<std::int64_t>{1, 1, 1},
                 std::vector<std::int64_t>{0, 3, 0, 8, 17}, std::vector<std::int64_t>{16, 1, 33});
    const int dim = GENERATE(0, 1, 2);
    CAPTURE(extents, dim);
    check(parts_of({3, 4, 6}, dim, extents), dim, how);
    const std::vector<Tensor<float>> thin = parts_of({2, 1, 1}, dim, extents);
    CHECK(same(eval(cat(thin, dim), how), joined(thin, dim)));
    if (dim == 0) check(parts_of({3}, 0, extents), 0, how);
}

TEST_CASE("as many tensors are joined as have loops, and one more", "[codegen]") {
    const EvalOptions how = options();
    for (const std::size_t count : {limits::most_joined, limits::most_joined + 1}) {
        const std::vector<Tensor<float>> parts = parts_of({5, 2}, 1, std::vector<std::int64_t>(count, 3));
        CHECK(same(eval(cat(parts, 1), how), joined(parts, 1)));
    }
}

TEST_CASE("threads join long tensors", "[codegen]") {
    const EvalOptions how = options();
    check(parts_of({70001, 4}, 1, {3, 8, 1}), 1, how);
    check(parts_of({4, 5}, 0, {70001, 3}), 0, how);
    check(parts_of({4}, 0, {100003, 1, 70001}), 0, how);
    check(parts_of({1, 4}, 1, {100003, 70001}), 1, how);
}

}  // namespace joins_test

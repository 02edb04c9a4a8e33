// SPDX-License-Identifier: MIT
#include "../../../ir/planner/executor/interpreted_stages.hpp"
#include "../../support/oracle.hpp"

#include <frisket/frisket.hpp>

#include <cmath>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <vector>

namespace sampled_products_test {

/// on(m, matmul(a, b)) and its kin: computed only for the specified elements of m.
using namespace frisket;
using testing::oracle;

namespace {

/// A matrix of which only some rows may be read: to touch another ends the program.
class Rows {
public:
    static constexpr std::int64_t length = 1024;  // floats: 4096 bytes

    Rows(std::int64_t rows, const std::vector<std::int64_t>& readable)
        : bytes_(static_cast<std::size_t>(rows) * length * sizeof(float)) {
        void* memory = mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        REQUIRE(memory != MAP_FAILED);
        data_ = static_cast<float*>(memory);
        for (const std::int64_t row : readable) {
            float* start = data_ + row * length;
            REQUIRE(mprotect(start, length * sizeof(float), PROT_READ | PROT_WRITE) == 0);
            for (std::int64_t k = 0; k < length; ++k) start[k] = static_cast<float>((row + k) % 7);
        }
        tensor_ = Tensor<float>::view(data_, {rows, length});
    }
    Rows(const Rows&) = delete;
    Rows& operator=(const Rows&) = delete;
    ~Rows() { munmap(data_, bytes_); }

    const Tensor<float>& tensor() const { return tensor_; }

private:
    std::size_t bytes_;
    float* data_ = nullptr;
    Tensor<float> tensor_;
};

constexpr InOut<"param"> param;
constexpr Masked<"grad"> grad;
constexpr In<"left"> left;
constexpr In<"right"> right;

constexpr auto sampled_step = step<"sampled">(param -= grad * (1 + matmul(left, right)));

enum class By : std::uint8_t { loops, planner, interpreter };

void run_sampled_step(By by, const Tensor<float>& p, const MaskedTensor<float>& m, const Tensor<float>& a,
                      const Tensor<float>& b) {
    if (by == By::loops) {
        jit(sampled_step)(param = p, grad = m, left = a, right = b);
        return;
    }
    const Graph graph =
        describe(sampled_step, std::vector<Shape>{p.shape(), m.shape(), a.shape(), b.shape()});
    const std::vector<Argument> arguments{p, m, a, b};
    by == By::planner ? planning::interpret_planned(graph, arguments) : interpret(graph, arguments);
}

constexpr EvalOptions compiled{.jit = Jit::always}, interpreted{.jit = Jit::never};

Tensor<float> some(const Shape& shape, unsigned seed) {
    Tensor<float> made(shape);
    for (std::int64_t i = 0; i < made.size(); ++i) {
        seed = seed * 1664525U + 1013904223U;
        made.data()[i] = static_cast<float>(seed >> 8) / 16777216.0F - 0.5F;
    }
    return made;
}

/// A pattern of 8 by 12: at most two of four, blocks of all sizes, rows 2 and 5 whole in layout rows.
MaskedTensor<float> pattern(Layout layout) {
    const Shape shape{8, 12};
    if (layout == Layout::rows) return MaskedTensor<float>::rows(shape, {5, 2}, some({2, 12}, 1));
    const auto listed =
        MaskedTensor<float>::coo(shape, {{7, 0, 0, 3, 3, 4}, {11, 0, 3, 5, 7, 8}}, {1, 2, 3, 4, 5, 6});
    return listed.to(layout);
}

/// Every other element, in layout rows every other row: so much that the whole product takes less time.
MaskedTensor<float> half(Layout layout) {
    const Shape shape{8, 12};
    if (layout == Layout::rows) return MaskedTensor<float>::rows(shape, {1, 3, 5, 7}, some({4, 12}, 1));
    Tensor<bool> mask(shape);
    for (std::int64_t i = 0; i < mask.size(); ++i) mask.data()[i] = (i / 12 + i % 12) % 2 == 0;
    return masked(some(shape, 1), mask).to(layout);
}

std::vector<Layout> partial_layouts() {
    std::vector<Layout> layouts;
    for (const Layout layout : all_layouts())
        if (layout != Layout::dense) layouts.push_back(layout);
    return layouts;
}

}  // namespace

TEST_CASE("a sampled product has the mask and layout of its mask, and the bits of the whole product") {
    const Layout layout = GENERATE(from_range(partial_layouts()));
    const EvalOptions options = GENERATE(compiled, interpreted);
    const bool is_half = GENERATE(false, true);
    CAPTURE(name_of(layout), is_half);
    const MaskedTensor<float> m = is_half ? half(layout) : pattern(layout);
    const Tensor<float> a = some({8, 37}, 2), b = some({37, 12}, 3);
    const Tensor<float> whole = eval(matmul(a, b), options);
    const auto same_as_whole = [&](const MaskedTensor<float>& sampled) {
        CHECK(sampled.layout() == layout);
        CHECK(same(sampled, masked(whole, m.mask_tensor())));
    };
    CHECK(same(oracle(on(m, matmul(a, b))), eval(on(m, matmul(a, b)), options)));
    same_as_whole(eval(on(m, matmul(a, b)), options));
    same_as_whole(eval(on(m, mm(a, b)), options));
    same_as_whole(eval(masked(matmul(a, b), mask_of(m)), options));
    same_as_whole(eval(on(m, transpose(matmul(transpose(b), transpose(a)))), options));
    const Tensor<float> plain = eval(to_dense(m, 0.0F));
    CHECK(same(eval(m * matmul(a, b), options), masked(eval(plain * whole, options), m.mask_tensor())));
}

TEST_CASE("vectors and batches are sampled") {
    const EvalOptions options = GENERATE(compiled, interpreted);
    const auto v = MaskedTensor<float>::coo({8}, {{6, 1}}, {1, 1});
    const Tensor<float> a = some({8, 37}, 2), x = some({37}, 3);
    CHECK(same(eval(on(v, mv(a, x)), options), masked(eval(mv(a, x), options), v.mask_tensor())));
    CHECK(same(eval(on(v, matmul(x, transpose(a))), options),
               masked(eval(mv(a, x), options), v.mask_tensor())));
    const auto batch = MaskedTensor<float>::coo({3, 4, 5}, {{2, 0}, {3, 1}, {4, 0}}, {1, 1});
    const Tensor<float> c = some({3, 4, 7}, 4), d = some({3, 7, 5}, 5), shared = some({7, 5}, 6);
    CHECK(same(eval(on(batch, bmm(c, d)), options), masked(eval(bmm(c, d), options), batch.mask_tensor())));
    CHECK(same(eval(on(batch, matmul(c, shared)), options),
               masked(eval(matmul(c, shared), options), batch.mask_tensor())));
}

TEST_CASE("masked factors leave out terms, and elements without a term") {
    const EvalOptions options = GENERATE(compiled, interpreted);
    const auto m = MaskedTensor<float>::coo({2, 3}, {{0, 1, 1}, {0, 0, 2}}, {1, 1, 1});
    const auto a = MaskedTensor<float>::coo({2, 2}, {{0, 0}, {0, 1}}, {2, 3});
    const Tensor<float> b({2, 3}, {1, 2, 3, 4, 5, 6});
    const MaskedTensor<float> both = eval(masked(matmul(a, b), mask_of(m)), options);
    CHECK(both.layout() == Layout::coo);
    CHECK(same(both, oracle(masked(matmul(a, b), mask_of(m)))));
    CHECK(same(both, MaskedTensor<float>::coo({2, 3}, {{0}, {0}}, {14})));
    CHECK_THROWS_AS(eval(on(m, matmul(a, b)), options), MaskMismatch);
    // A factor that is the mask itself is read at other indices as well.
    const auto square = MaskedTensor<float>::coo({3, 3}, {{0, 1, 2}, {1, 0, 2}}, {2, 3, 4});
    const MaskedTensor<float> product = eval(masked(matmul(square, square), mask_of(square)), options);
    CHECK(same(product, MaskedTensor<float>::coo({3, 3}, {{2}, {2}}, {16})));
}

TEST_CASE("a result is whole beside one that is masked by another tensor and given twice") {
    const EvalOptions options = GENERATE(compiled, interpreted);
    const auto m = MaskedTensor<float>::coo({8, 12}, {{3}, {5}}, {7});
    const MaskedTensor<float> n = half(Layout::strided);
    const MaskedTensor<float> product = eval(matmul(n, some({12, 12}, 2)), options);
    ir::ExpressionContext session("twice", detail::evaluator(options));
    const ir::Value x = session.masked(m), y = matmul(session.masked(n), session.tensor(some({12, 12}, 2)));
    const std::vector<Result> made = session.run(std::vector{x, y, x});
    CHECK(same(AnyMasked::strided(made[1].values, *made[1].mask), product));
    for (const std::size_t i : {0, 2}) CHECK(same(AnyMasked::strided(made[i].values, *made[i].mask), m));
}

TEST_CASE("a sampled product stands beside its mask, made dense") {
    const EvalOptions options = GENERATE(compiled, interpreted);
    const Tensor<float> a = some({8, 37}, 2), b = some({37, 12}, 3);
    for (const MaskedTensor<float>& m : {pattern(Layout::coo), pattern(Layout::strided)}) {
        const auto sum = on(m, matmul(a, b) + to_dense(m, 0.0F));
        CHECK(same(eval(sum, options), oracle(sum)));
        const auto scaled = on(m, matmul(a, b) * to_dense(transpose(transpose(m)), 2.0F));
        CHECK(same(eval(scaled, options), oracle(scaled)));
    }
}

TEST_CASE("a sampled product of nothing specified is masked everywhere") {
    const EvalOptions options = GENERATE(compiled, interpreted);
    const auto m = MaskedTensor<float>::coo({2, 3}, {{}, {}}, std::vector<float>{});
    const MaskedTensor<float> none = eval(on(m, matmul(some({2, 4}, 1), some({4, 3}, 2))), options);
    CHECK(none.specified_count() == 0);
    CHECK(none.shape() == Shape{2, 3});
}

TEST_CASE("a sampled product reads the rows and columns of what is specified, and no others") {
    const EvalOptions options = GENERATE(compiled, interpreted);
    if (sysconf(_SC_PAGESIZE) != 4096) SKIP("pages of another size than a row");
    const Rows a(50, {3, 41}), b(60, {7, 8});
    const auto m = MaskedTensor<float>::coo({50, 60}, {{3, 41, 41}, {8, 7, 8}}, {1, 1, 1});
    const MaskedTensor<float> product = eval(on(m, matmul(a.tensor(), transpose(b.tensor()))), options);
    float expected = 0;
    for (std::int64_t k = 0; k < Rows::length; ++k)
        expected += static_cast<float>((41 + k) % 7) * static_cast<float>((7 + k) % 7);
    CHECK(eval(to_dense(product, 0.0F)).at({41, 7}) == expected);
    CHECK(product.specified_count() == 3);
}

TEST_CASE("a sampled product takes work and memory for what is specified") {
    // The whole product has 4e8 elements of 64 terms each.
    const EvalOptions options = GENERATE(compiled, interpreted);
    const std::int64_t large = 20000, count = 1000, inner = 64;
    std::vector<std::vector<std::int64_t>> at(2);
    for (std::int64_t i = 0; i < count; ++i) {
        at[0].push_back(i * 7919 % large);
        at[1].push_back(i * 104729 % large);
    }
    const auto m = MaskedTensor<float>::coo({large, large}, at, std::vector<float>(count, 1));
    const Tensor<float> a = some({large, inner}, 1), b = some({inner, large}, 2);
    const MaskedTensor<float> product = eval(on(m, matmul(a, b)), options);
    CHECK(product.layout() == Layout::coo);
    CHECK(product.specified_count() == count);
    float expected = 0, found = 0;
    for (std::int64_t k = 0; k < inner; ++k)
        expected = std::fma(a.at({at[0][3], k}), b.at({k, at[1][3]}), expected);
    for (std::int64_t i = 0; i < count; ++i)
        if ((*product.index())[i] == at[0][3] * large + at[1][3])
            found = static_cast<const float*>(product.values().data())[i];
    CHECK(found == expected);
}

TEST_CASE("a step makes products under a mask for the specified elements alone, in every layout") {
    const Layout layout = GENERATE(from_range(all_layouts()));
    CAPTURE(name_of(layout));
    const MaskedTensor<float> m =
        layout == Layout::dense ? MaskedTensor<float>::dense(some({8, 12}, 7)) : pattern(layout);
    const Tensor<float> a = some({8, 37}, 2), b = some({37, 12}, 3), p = some({8, 12}, 4), before = p.clone();
    const Tensor<float> whole = eval(matmul(a, b)), g = m.to_dense(0);
    run_sampled_step(GENERATE(By::loops, By::planner, By::interpreter), p, m, a, b);
    const Tensor<float> wanted = eval(where(mask_of(m), before - g * (1 + whole), before));
    CHECK(same(p, wanted));
}

TEST_CASE("a step reads the rows and columns of what its gradient specifies, and no others") {
    if (sysconf(_SC_PAGESIZE) != 4096) SKIP("pages of another size than a row");
    const Rows a(50, {3, 41}), b(60, {7, 8});
    const Layout layout = GENERATE(Layout::coo, Layout::csr, Layout::strided, Layout::bitmask);
    const auto m = MaskedTensor<float>::coo({50, 60}, {{3, 41, 41}, {8, 7, 8}}, {1, 1, 1}).to(layout);
    const Tensor<float> p = full<float>({50, 60}, 0);
    run_sampled_step(GENERATE(By::loops, By::planner), p, m, a.tensor(), b.tensor().transpose(0, 1));
    CHECK(p.at({0, 0}) == 0);
    CHECK(p.at({41, 7}) < -1);
}

TEST_CASE("factors of sampled products keep masks that say less than their lists", "[codegen]") {
    const EvalOptions how{.jit = GENERATE(Jit::always, Jit::never)};
    // Lists that store other elements: a list computed from both stores more than it specifies.
    const auto a = MaskedTensor<float>::coo({3, 5, 37}, {{0, 1, 2}, {1, 2, 3}, {7, 7, 30}}, {1, 2, 3});
    const auto b = MaskedTensor<float>::coo({3, 5, 37}, {{0, 1, 2}, {1, 4, 3}, {7, 8, 30}}, {4, 1, 2});
    const auto m = MaskedTensor<float>::coo({37, 53}, {{7, 7, 8, 30}, {5, 9, 5, 9}}, {1, 1, 1, 1});
    const Tensor<float> h = full<float>({53, 3}, 0.5F);
    const auto lines = transpose(to_dense(logsumexp(intersect(max(a, b)), {1}), 0.0F), 0, 1);
    const auto sampled = softmax(on(m, matmul(lines, transpose(h, 0, 1))), 0);
    const MaskedTensor<float> found = eval(sampled, how), wanted = oracle(sampled);
    CHECK(same(found.mask_tensor(), wanted.mask_tensor()));
    CHECK(allclose(found.to_dense(0), wanted.to_dense(0), 1e-6));
}

}  // namespace sampled_products_test

// SPDX-License-Identifier: MIT
#include "../../../runtime/dispatch/mask_cache.hpp"
#include "../../../runtime/layouts/layout_traits.hpp"
#include "../../spec/both_ways.hpp"
#include "adagrad.hpp"

namespace prepared_masks_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

const Compared& compared() {
    static const Compared made(adagrad);
    return made;
}

/// Fault of a call, or an empty text.
std::string call(const AnyMasked& gradient, std::uint32_t seed) {
    return Trial(compared())
        .writes("param", wild_target<float>(gradient, seed))
        .writes("state", wild_target<float>(gradient, seed + 1))
        .reads("grad", gradient)
        .difference();
}

AnyMasked stored_in(Layout layout, double density) {
    if (runtime::is_list(layout) && layout != Layout::coo && layout != Layout::rows)
        return random_masked<float>({252, 200}, specified(density), layout, 5);
    const Storage stored{.layout = layout, .listed = Listed::with_duplicates, .name = "listed"};
    return wild_masked<float>({252, 200}, specified(density), stored, 5);
}

}  // namespace

TEST_CASE("a prepared gradient gives the same bytes in every layout, call after call", "[codegen]") {
    for (const Layout layout : all_layouts())
        for (const double density : {0.0, 0.002, 0.1, 0.4}) {
            INFO(name_of(layout) << ", density " << density);
            const AnyMasked gradient = stored_in(layout, layout == Layout::dense ? 1 : density);
            const AnyMasked prepared = compared().kernel.prepare(gradient);
            CHECK(same(prepared, gradient));
            CHECK(prepared.values().data() == gradient.values().data());
            for (std::uint32_t seed = 1; seed <= 3; ++seed) {
                copy(wild_tensor<float>(gradient.values().shape(), seed), gradient.values());
                CHECK(call(prepared, seed) == "");
                CHECK(same(prepared, gradient));
            }
        }
}

TEST_CASE("a prepared byte mask is bits that nobody can write, with the list that calls walk", "[codegen]") {
    const AnyMasked sparse = compared().kernel.prepare(stored_in(Layout::strided, 0.002));
    CHECK(sparse.layout() == Layout::bitmask);
    CHECK_FALSE(sparse.mask().is_writable());
    REQUIRE(sparse.pattern() != nullptr);
    CHECK_FALSE(sparse.pattern()->list.empty());
    CHECK(static_cast<std::int64_t>(sparse.pattern()->list.size()) <= sparse.specified_count());
    const AnyMasked full = compared().kernel.prepare(stored_in(Layout::strided, 0.9));
    REQUIRE(full.pattern() != nullptr);
    CHECK(full.pattern()->list.empty());
    CHECK(compared().kernel.prepare(full).pattern() == full.pattern());
    CHECK(full.clone().pattern() == nullptr);
}

TEST_CASE("a step with a prepared gradient reads other masks in every layout", "[codegen]") {
    constexpr Masked<"other"> other;
    const Compared step(frisket::step<"other_mask">(over(grad), param -= 0.1f * grad + to_dense(other, 2)));
    // Lists of one part and of several, of positions, of lines and of segments; the last word whole and cut.
    for (const std::int64_t elements : {64, 65, 4096, 100'000, 600'000})
        for (const double density : {0.0005, 0.003, 0.05, 0.4}) {
            const AnyMasked prepared =
                step.kernel.prepare(random_masked<float>({elements}, specified(density), Layout::bitmask, 5));
            for (const Layout layout : {Layout::dense, Layout::strided, Layout::bitmask, Layout::coo}) {
                INFO(elements << " elements, density " << density << ", the other mask " << name_of(layout));
                const double filled = layout == Layout::dense ? 1 : 0.5;
                CHECK(Trial(step)
                          .writes("param", wild_target<float>(prepared, 1))
                          .reads("grad", prepared)
                          .reads("other", random_masked<float>({elements}, specified(filled), layout, 6))
                          .difference() == "");
            }
        }
}

TEST_CASE("prepared gradients serve targets of other strides", "[codegen]") {
    const AnyMasked prepared = compared().kernel.prepare(stored_in(Layout::strided, 0.002));
    const Lies transposed{.seen_as = [](const AnyTensor& tensor) { return tensor.transpose(0, 1); }};
    CHECK(Trial(compared())
              .writes("param", wild_tensor<float>({200, 252}, 1), transposed)
              .writes("state", wild_tensor<float>({200, 252}, 2), transposed)
              .reads("grad", prepared)
              .difference() == "");
    const AnyMasked seen = AnyMasked::strided(prepared.values().transpose(0, 1),
                                              AnyTensor(prepared.mask_tensor()).transpose(0, 1));
    CHECK(compared().kernel.prepare(seen).layout() == Layout::strided);
    CHECK(call(compared().kernel.prepare(seen), 4) == "");
}

TEST_CASE("a typed kernel prepares typed gradients", "[codegen]") {
    const auto kernel = jit(adagrad);
    const Tensor<float> p({2, 2}, {1, 2, 3, 4}), s({2, 2});
    const MaskedTensor<float> given =
        masked(Tensor<float>({2, 2}, {1, 1, 1, 1}), Tensor<bool>({2, 2}, {true, false, false, true}));
    const MaskedTensor<float> prepared = kernel.prepare(given);
    kernel(param = p, state = s, grad = prepared);
    CHECK(s.to_vector() == std::vector<float>{1, 0, 0, 1});
}

TEST_CASE("a gradient of 16 bits is gathered from a mask as others are", "[codegen]") {
    constexpr Masked<"half", bfloat16> half;
    const Compared step(frisket::step<"half">(state += half, param -= half));
    const Tensor<bool> mask = random_mask({40000}, specified(0.003), 3);
    const Tensor<float> numbers = random_tensor<float>({40000}, 4);
    for (const Layout layout : {Layout::strided, Layout::bitmask}) {
        const AnyMasked gradient = masked(numbers.to<bfloat16>(), mask).to(layout);
        CHECK(Trial(step)
                  .writes("param", random_tensor<float>({40000}, 1))
                  .writes("state", random_tensor<float>({40000}, 2))
                  .reads("half", gradient)
                  .difference() == "");
    }
}

}  // namespace prepared_masks_test

// SPDX-License-Identifier: MIT
#include <catch2/catch_template_test_macros.hpp>

#include <functional>
#include <sstream>

#include "../../../runtime/io/dlpack.hpp"
#include "../../../runtime/io/tensor_files.hpp"
#include "../../../runtime/kernel/compiled_kernel.hpp"
#include "../../support/matchers.hpp"

namespace moved_from_test {

using namespace frisket;
using namespace frisket::testing;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

static_assert(std::is_nothrow_move_constructible_v<AnyTensor> &&
              std::is_nothrow_move_assignable_v<AnyTensor>);
static_assert(std::is_nothrow_move_constructible_v<AnyMasked> &&
              std::is_nothrow_move_assignable_v<AnyMasked>);
static_assert(std::is_nothrow_move_constructible_v<Tensor<float>>);
static_assert(std::is_nothrow_move_assignable_v<MaskedTensor<float>>);
static_assert(std::is_nothrow_move_constructible_v<Argument>);

/// An operation that takes a handle.
template <class Handle>
struct Use {
    const char* name;
    std::function<void(const Handle&)> run;
};

const AnyTensor other(DType::float32, {0});

const Use<AnyTensor> tensor_uses[] = {
    {"clone", [](const AnyTensor& x) { (void)x.clone(); }},
    {"reshape", [](const AnyTensor& x) { (void)x.reshape({0}); }},
    {"transpose", [](const AnyTensor& x) { (void)x.transpose(0, 0); }},
    {"to", [](const AnyTensor& x) { (void)x.to(DType::int64); }},
    {"to its own dtype", [](const AnyTensor& x) { (void)x.to(x.dtype()); }},
    {"slice", [](const AnyTensor& x) { (void)x.slice(0, 0, 1); }},
    {"broadcast_to", [](const AnyTensor& x) { (void)x.broadcast_to({2, 0}); }},
    {"copy from", [](const AnyTensor& x) { copy(x, AnyTensor(x.dtype(), {0})); }},
    {"copy to", [](const AnyTensor& x) { copy(AnyTensor(x.dtype(), {0}), x); }},
    {"same, first", [](const AnyTensor& x) { (void)same(x, other); }},
    {"same, second", [](const AnyTensor& x) { (void)same(other, x); }},
    {"allclose, first", [](const AnyTensor& x) { (void)allclose(x, other); }},
    {"allclose, second", [](const AnyTensor& x) { (void)allclose(other, x); }},
    {"to_string", [](const AnyTensor& x) { (void)to_string(x); }},
    {"<<", [](const AnyTensor& x) { std::ostringstream() << x; }},
    {"dense", [](const AnyTensor& x) { (void)AnyMasked::dense(x); }},
    {"strided", [](const AnyTensor& x) { (void)AnyMasked::strided(x, Tensor<bool>()); }},
    {"mask of strided", [](const AnyTensor& x) { (void)AnyMasked::strided(other, x); }},
    {"bitmask", [](const AnyTensor& x) { (void)AnyMasked::bitmask(x, Tensor<std::int64_t>()); }},
    {"words of bitmask", [](const AnyTensor& x) { (void)AnyMasked::bitmask(other, x); }},
    {"coo", [](const AnyTensor& x) { (void)AnyMasked::coo({4}, {{}}, x); }},
    {"values_mask of coo", [](const AnyTensor& x) { (void)AnyMasked::coo({4}, {{}}, other, x); }},
    {"rows", [](const AnyTensor& x) { (void)AnyMasked::rows({4}, {}, x); }},
    {"csr", [](const AnyTensor& x) { (void)AnyMasked::csr({0, 4}, {0}, {}, x); }},
    {"csc", [](const AnyTensor& x) { (void)AnyMasked::csc({4, 0}, {0}, {}, x); }},
    {"bsr", [](const AnyTensor& x) { (void)AnyMasked::bsr({0, 4}, {1, 1}, {0}, {}, x); }},
    {"bsc", [](const AnyTensor& x) { (void)AnyMasked::bsc({4, 0}, {1, 1}, {0}, {}, x); }},
    {"two_four", [](const AnyTensor& x) { (void)AnyMasked::two_four({0, 4}, {}, x); }},
    {"indexed",
     [](const AnyTensor& x) {
         const std::vector<std::int64_t> none;
         (void)AnyMasked::indexed(Layout::coo, {4}, std::make_shared<const IndexList>(none, 4), x);
     }},
    {"an argument", [](const AnyTensor& x) { (void)Argument(x); }},
    {"to_dlpack", [](const AnyTensor& x) { (void)to_dlpack(x); }},
    {"to_dlpack_legacy", [](const AnyTensor& x) { (void)to_dlpack_legacy(x); }},
    {"save_npy", [](const AnyTensor& x) { save_npy("/nowhere/x.npy", x); }},
    {"save_safetensors",
     [](const AnyTensor& x) { save_safetensors("/nowhere/x", std::vector<NamedTensor>{{"x", x}}); }},
};

const Use<AnyMasked> masked_uses[] = {
    {"specified_count", [](const AnyMasked& x) { (void)x.specified_count(); }},
    {"clone", [](const AnyMasked& x) { (void)x.clone(); }},
    {"to dense", [](const AnyMasked& x) { (void)x.to(Layout::dense); }},
    {"to coo", [](const AnyMasked& x) { (void)x.to(Layout::coo); }},
    {"to bsr", [](const AnyMasked& x) { (void)x.to(Layout::bsr, Blocksize{1, 1}); }},
    {"coalesce", [](const AnyMasked& x) { (void)x.coalesce(); }},
    {"to_dense", [](const AnyMasked& x) { (void)x.to_dense(0); }},
    {"mask_tensor", [](const AnyMasked& x) { (void)x.mask_tensor(); }},
    {"same, first", [](const AnyMasked& x) { (void)same(x, AnyMasked()); }},
    {"same, second", [](const AnyMasked& x) { (void)same(AnyMasked(), x); }},
    {"to_string", [](const AnyMasked& x) { (void)to_string(x); }},
    {"<<", [](const AnyMasked& x) { std::ostringstream() << x; }},
    {"describe", [](const AnyMasked& x) { (void)describe(x); }},
    {"its values", [](const AnyMasked& x) { (void)x.values().clone(); }},
    {"an argument", [](const AnyMasked& x) { (void)Argument(x); }},
};

template <class Handle>
void check_refused(const Handle& moved, std::span<const Use<Handle>> uses) {
    for (const Use<Handle>& use : uses) {
        CAPTURE(use.name);
        CHECK_THROWS_MATCHES(use.run(moved), ValueError, MessageMatches(ContainsSubstring("was moved from")));
    }
}

/// Checks the properties of a handle that was moved from.
template <class Handle>
void check_empty(const Handle& moved) {
    CHECK(moved.was_moved_from());
    CHECK(moved.shape() == Shape{0});
    CHECK(moved.rank() == 1);
    CHECK(moved.size() == 0);
}

AnyMasked masked_of(DType dtype, Layout layout) {
    Tensor<bool> mask({4, 4});
    for (const std::int64_t i : {0, 1, 2, 3}) mask.at({0, i}) = layout == Layout::rows || i < 2;
    if (layout == Layout::dense) return AnyMasked::dense(AnyTensor(dtype, {4, 4}));
    return AnyMasked::strided(AnyTensor(dtype, {4, 4}), mask).to(layout);
}

}  // namespace

TEST_CASE("a tensor that was moved from is empty and refused by whatever takes one") {
    for (const DTypeInfo& row : dtypes) {
        CAPTURE(row.name);
        AnyTensor from(row.dtype, {2, 3}), again(row.dtype, {});
        const AnyTensor made = std::move(from);
        AnyTensor assigned;
        assigned = std::move(again);
        CHECK(made.shape() == Shape{2, 3});
        CHECK(assigned.shape() == Shape{});
        for (const AnyTensor* const moved : {&from, &again}) {
            check_empty(*moved);
            CHECK(moved->data() == nullptr);
            CHECK(moved->strides() == Strides{1});
            CHECK(moved->owner() == nullptr);
            CHECK(moved->dtype() == row.dtype);
            check_refused<AnyTensor>(*moved, tensor_uses);
        }
        const AnyTensor copied = from;
        check_refused<AnyTensor>(copied, tensor_uses);
    }
}

TEMPLATE_TEST_CASE("a typed tensor that was moved from is refused as an untyped one", "", bool, std::uint8_t,
                   std::int32_t, std::int64_t, float, double, float16, bfloat16) {
    Tensor<TestType> from({2, 3});
    const Tensor<TestType> to = std::move(from);
    check_empty(from);
    check_refused<AnyTensor>(from, tensor_uses);
    const Use<Tensor<TestType>> uses[] = {
        {"at", [](const auto& x) { (void)x.at({0}); }},
        {"item", [](const auto& x) { (void)x.item(); }},
        {"to_vector", [](const auto& x) { (void)x.to_vector(); }},
        {"to<double>", [](const auto& x) { (void)x.template to<double>(); }},
        {"clone", [](const auto& x) { (void)x.clone(); }},
        {"a read-only handle", [](const auto& x) { (void)Tensor<const TestType>(x); }},
        {"a typed handle", [](const auto& x) { (void)Tensor<TestType>(static_cast<const AnyTensor&>(x)); }},
        {"elements", [](const auto& x) { (void)Elements<TestType>(x); }},
        {"masked", [](const auto& x) { (void)masked(x, Tensor<bool>()); }},
        {"dense", [](const auto& x) { (void)MaskedTensor<TestType>::dense(x); }},
    };
    check_refused<Tensor<TestType>>(from, uses);
    CHECK(to.size() == 6);
}

TEST_CASE("a masked tensor of any layout that was moved from is empty and refused") {
    const Layout layout = GENERATE(every_layout());
    for (const DTypeInfo& row : dtypes) {
        CAPTURE(layout, row.name);
        AnyMasked from = masked_of(row.dtype, layout), again = from;
        const AnyMasked made = std::move(from);
        AnyMasked assigned;
        assigned = std::move(again);
        CHECK(made.shape() == Shape{4, 4});
        CHECK(same(made, assigned));
        for (const AnyMasked* const moved : {&from, &again}) {
            check_empty(*moved);
            CHECK(moved->layout() == Layout::dense);
            CHECK(moved->index() == nullptr);
            CHECK(moved->compressed_index() == nullptr);
            CHECK(moved->mask().size() == 0);
            check_refused<AnyMasked>(*moved, masked_uses);
        }
    }
    MaskedTensor<float> typed(masked_of(DType::float32, layout));
    const MaskedTensor<float> to = std::move(typed);
    check_refused<AnyMasked>(typed, masked_uses);
    CHECK_THROWS_MATCHES(typed.item(), ValueError, MessageMatches(ContainsSubstring("was moved from")));
    CHECK_THROWS_MATCHES(typed.to_dense(0.F), ValueError, MessageMatches(ContainsSubstring("moved from")));
    CHECK_THROWS_MATCHES(MaskedTensor<float>(static_cast<const AnyMasked&>(typed)), ValueError,
                         MessageMatches(ContainsSubstring("was moved from")));
}

TEST_CASE("a handle that was moved from is whole again when it is assigned to") {
    AnyTensor x = arange<float>(3);
    AnyTensor y = std::move(x);
    x = y;
    CHECK(same(x, arange<float>(3)));
    std::swap(x, y);
    CHECK(same(x, y));
    AnyTensor& self = x;
    x = std::move(self);
    CHECK(same(x, y));
    AnyMasked m = masked_of(DType::float32, Layout::coo), n = std::move(m);
    m = n;
    CHECK(same(m, n));
    AnyMasked& own = m;
    m = std::move(own);
    CHECK(same(m, n));
    std::vector<AnyTensor> many;
    for (int i = 0; i < 100; ++i) many.emplace_back(arange<float>(3));
    for (const AnyTensor& one : many) CHECK(same(one, y));
}

TEST_CASE("a default-made tensor is empty, not moved from, and can be used") {
    const AnyTensor none;
    CHECK_FALSE(none.was_moved_from());
    CHECK(none.clone().shape() == Shape{0});
    CHECK(same(none, none.clone()));
    CHECK(AnyMasked().shape() == Shape{0});
    CHECK(AnyMasked().specified_count() == 0);
}

TEST_CASE("a refusal of what was moved from says what to use instead") {
    AnyTensor x = arange<float>(3);
    const AnyTensor y = std::move(x);
    CHECK_THROWS_MATCHES(
        x.clone(), ValueError,
        Says("clone: the tensor was moved from and is empty: use the one that it was moved to"));
}

TEST_CASE("a kernel that was moved from is refused") {
    CompiledKernel kernel(nullptr);  // holds nothing, as after a move
    const auto refuses = [](const auto& use) {
        CHECK_THROWS_MATCHES(use(), ValueError, MessageMatches(ContainsSubstring("was moved from")));
    };
    refuses([&] { (void)kernel.signature(); });
    refuses([&] { kernel.call({}); });
    refuses([&] { kernel.call_each({}); });
    refuses([&] { kernel(std::span<const NamedArgument>()); });
    refuses([&] { kernel.warm_up({Layout::coo}); });
    refuses([&] { (void)kernel.prepare(AnyMasked()); });
}

}  // namespace moved_from_test

// SPDX-License-Identifier: MIT
#include "../../support/matchers.hpp"
#include "../../support/random.hpp"

#include <frisket/aot.hpp>
#include <frisket/frisket.hpp>

#include <aot_functions.hpp>
#include <aot_planned.hpp>

#include "../../../codegen/aot/library.hpp"
#include "../../../codegen/loops/expression_input.hpp"
#include "aot_planned_steps.hpp"

/// The loops of a kernel library: all loops of the plans of its steps.
namespace aot_plans_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

aot::WantedLoops loops_for(const std::string& layout) {
    static constexpr auto row_wise = [] { return planned::row_wise; };
    const std::vector<std::string> layouts{layout},
        shapes{"param=rows,columns grad=rows,columns row_sum=rows,1"};
    return *aot::planned_step(aot::named_step<row_wise>("::planned::row_wise"), {layouts, shapes}).wanted;
}

std::ptrdiff_t count_parallel(const aot::WantedLoops& loops, bool parallel) {
    return std::ranges::count_if(loops, [&](const aot::WantedLoop& loop) {
        return !loop.form.is_of_step() && loop.form.parallel == parallel;
    });
}

}  // namespace

TEST_CASE("plans of a step have the loops of small and of large calls", "[codegen]") {
    const aot::WantedLoops loops = loops_for("strided");
    CHECK(count_parallel(loops, false) > 0);
    CHECK(count_parallel(loops, true) > 0);
    CHECK(std::ranges::any_of(loops, [](const aot::WantedLoop& loop) { return loop.form.is_of_step(); }));
}

TEST_CASE("plans of a step have the same loops each time", "[codegen]") {
    const aot::WantedLoops first = loops_for("coo"), second = loops_for("coo");
    CHECK(first.size() == second.size());
}

TEST_CASE("the form of an argument without memory is that of an argument", "[codegen]") {
    using planning::Format;
    const auto layout = GENERATE(every_layout());
    for (const Shape& shape :
         {Shape{4, 4}, {0, 4}, {4, 0}, {1, 1}, {3, 64}, {2, 32}, {5, 63}, {64}, {3, 4, 8}}) {
        if (!can_hold(layout, shape)) continue;
        INFO(name_of(layout) << " " << to_string(shape));
        const AnyMasked masked = random_masked(shape, specified(0.5), layout, 1);
        const Symbol symbol{.name = "m", .kind = SymbolKind::masked, .dtype = DType::float32, .shape = shape};
        const auto form = [&](bool flat) {
            codegen::LoopInput of_call = codegen::input_of(masked, false),
                               without =
                                   codegen::unmade_input({{Format::Kind::masked, layout}}, symbol, false);
            CHECK(codegen::is_contiguous_input(of_call) == codegen::is_contiguous_input(without));
            if (flat) codegen::flatten(of_call);
            if (flat) codegen::flatten(without);
            CHECK(codegen::form_of(of_call) == codegen::form_of(without));
        };
        form(false);
        form(true);
    }
}

TEST_CASE("loops ahead of time take views and masks of other forms", "[codegen]") {
    const auto bytes_of = [](const auto& masked) { return masked.to_dense(-1); };
    const Tensor<float> values = random_tensor({6, 10}, 1);
    const Tensor<bool> mask = random_mask({6, 10}, specified(0.5), 2);
    const auto same = [&](const MaskedTensor<float>& m) {
        CHECK_THAT(bytes_of(aot_functions::soft(functions::m = m, functions::scale = 0.3)),
                   HasTheBytesOf(bytes_of(jit(functions::soft)(functions::m = m, functions::scale = 0.3))));
    };
    same(MaskedTensor<float>(AnyMasked::strided(values.transpose(0, 1), mask.transpose(0, 1))));
    same(MaskedTensor<float>(AnyMasked::strided(random_tensor({6, 20}, 3).slice(1, 0, 20, 2), mask)));
    same(MaskedTensor<float>(AnyMasked::dense(values)));
    same(MaskedTensor<float>(
        AnyMasked::strided(random_tensor({6, 20}, 3).slice(1, 0, 20, 2), mask).to(Layout::coo)));
    same(MaskedTensor<float>(AnyMasked::dense(values.transpose(0, 1))));
}

TEST_CASE("sums of more terms than a panel ahead of time give the bytes of those just in time", "[codegen]") {
    for (const Shape& shape : {Shape{4096, 40}, {4097, 40}, {40, 4097}, {1, 4097}, {4097, 1}, {4097, 4097}}) {
        INFO(to_string(shape));
        const MaskedTensor<float> m(random_masked(shape, specified(0.5), Layout::strided, 1));
        const Tensor<float> u = random_tensor({shape[0], 5}, 2), v = random_tensor({shape[1], 5}, 3);
        const auto [a, da, ea] =
            aot_functions::loss_and_gradients(functions::m = m, functions::u = u, functions::v = v);
        const auto [b, db, eb] =
            jit(functions::loss_and_gradients)(functions::m = m, functions::u = u, functions::v = v);
        CHECK_THAT(a.to_dense(-1), HasTheBytesOf(b.to_dense(-1)));
        CHECK_THAT(da.to_dense(-1), HasTheBytesOf(db.to_dense(-1)));
        CHECK_THAT(ea.to_dense(-1), HasTheBytesOf(eb.to_dense(-1)));
    }
}

TEST_CASE("lists that meet at one entry, or at none, have loops ahead of time", "[codegen]") {
    for (const Shape& shape : {Shape{1, 1}, {5, 6}})
        for (const auto& [a, b] : {std::pair{0.0, 0.0}, {0.0, 1.0}, {1.0, 0.0}, {1.0, 1.0}, {0.4, 1.0}}) {
            const MaskedTensor<float> m(random_masked(shape, specified(a), Layout::coo, 1)),
                other(random_masked(shape, specified(b), Layout::coo, 2));
            const auto [sum, rows] = aot_functions::both(functions::m = m, functions::other = other);
            CHECK_THAT(sum.to_dense(-1), HasTheBytesOf(eval(unite(m + other) * 2.0F).to_dense(-1)));
            CHECK_THAT(rows.to_dense(-1), HasTheBytesOf(frisket::eval(frisket::sum(m, 1)).to_dense(-1)));
        }
}

TEST_CASE("a call of a rank that was not compiled is refused with its shapes", "[codegen]") {
    const MaskedTensor<float> cube(random_masked({3, 4, 5}, specified(0.5), Layout::strided, 1));
    CHECK_THROWS_MATCHES(
        aot_functions::soft(functions::m = cube, functions::scale = 0.3), LayoutError,
        Says("soft: its loops were not compiled ahead of time for these shapes and layouts, of m [3, 4, 5], "
             "scale: name them in SHAPES and LAYOUTS of frisket_add_kernels, or compile just in time"));
}

}  // namespace aot_plans_test

// SPDX-License-Identifier: MIT
#include "../../support/matchers.hpp"

#include <frisket/aot.hpp>

#include "../../../codegen/aot/library.hpp"
#include "../../../codegen/aot/sample_tensors.hpp"
#include "aot_planned_steps.hpp"

/// Sample calls, which find the loops that a kernel library needs.
namespace aot_samples_test {

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
    return std::ranges::count_if(
        loops.expressions, [&](const aot::WantedExpression& nest) { return nest.form.parallel == parallel; });
}

}  // namespace

TEST_CASE("samples of a planned step find the loops of small and of large calls", "[codegen]") {
    const aot::WantedLoops loops = loops_for("strided");
    CHECK(count_parallel(loops, false) > 0);
    CHECK(count_parallel(loops, true) > 0);
    CHECK(!loops.steps.empty());
}

TEST_CASE("samples of a planned step find the same loops each time", "[codegen]") {
    const aot::WantedLoops first = loops_for("coo"), second = loops_for("coo");
    CHECK(first.expressions.size() == second.expressions.size());
    CHECK(first.steps.size() == second.steps.size());
}

TEST_CASE("no two arguments of a sample call share memory", "[codegen]") {
    aot::SampleTensors tensors;
    const Shape large{600, 600};
    const AnyTensor first = tensors.values(0, DType::float32, large);
    CHECK(first.data() == tensors.values(0, DType::float32, large).data());
    CHECK(first.data() != tensors.values(1, DType::float32, large).data());
    const aot::MaskedForm form{.layout = Layout::coo, .pattern = {0.3}};
    const AnyMasked masked = tensors.masked(2, DType::float32, large, form);
    CHECK(masked.specified_count() == tensors.masked(2, DType::float32, large, form).specified_count());
    CHECK(masked.values().data() != tensors.masked(3, DType::float32, large, form).values().data());
    const Shape small{6, 7};
    const AnyTensor written = tensors.values(0, DType::float32, small);
    CHECK(written.data() != tensors.values(0, DType::float32, small).data());
}

}  // namespace aot_samples_test

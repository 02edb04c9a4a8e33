// SPDX-License-Identifier: MIT
#include "../../support/devices.hpp"
#include "../../support/matchers.hpp"
#include "../../support/random.hpp"
#include "../../support/row_rules.hpp"

#include <frisket/frisket.hpp>
#include <frisket/tune.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <cmath>

namespace opencl_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr InOut<"param"> param;
constexpr InOut<"state_sum"> state_sum;
constexpr Masked<"grad"> grad;
constexpr Scalar<"lr"> lr;

constexpr auto adagrad =
    step<"adagrad">(state_sum += grad * grad, param -= lr * grad / (sqrt(state_sum) + 1e-10));

struct Tensors { Tensor<float> param, state_sum; };

/// Runs a kernel where `there` is, and returns its results on the processor.
template <class Kernel>
Tensors run_on(const Device& there, const Kernel& kernel, const Tensors& start,
               const MaskedTensor<float>& gradient) {
    const Tensors made{start.param.clone().to(there), start.state_sum.clone().to(there)};
    kernel(param = made.param, state_sum = made.state_sum, grad = gradient.to(there), lr = 0.1);
    return {made.param.to(Device()), made.state_sum.to(Device())};
}

Tensors run(const Tensors& start, const MaskedTensor<float>& gradient, const std::string& where) {
    return run_on(device(where), jit(adagrad, TargetName{where}), start, gradient);
}

/// A gradient of whole rows for layout rows, of everything for dense, of random elements else.
MaskedTensor<float> gradient_of(const Shape& shape, Layout layout) {
    if (layout == Layout::dense) return MaskedTensor<float>::dense(random_tensor(shape));
    if (layout != Layout::rows) return random_masked(shape, specified(0.3), layout);
    std::vector<std::int64_t> numbers;
    for (std::int64_t row = 0; row < shape[0]; row += 3) numbers.push_back(row);
    Shape stored = shape;
    stored[0] = static_cast<std::int64_t>(numbers.size());
    return MaskedTensor<float>::rows(shape, numbers, random_tensor(stored));
}

}  // namespace

TEST_CASE("a device gives what the processor gives, and leaves the other bytes alone", "[opencl]") {
    there();
    const auto layout = GENERATE(Layout::dense, Layout::strided, Layout::bitmask, Layout::coo, Layout::rows);
    // A multiple of 64 elements, a cut tile after whole tiles, and less than one tile.
    const auto shape = GENERATE(Shape{16, 64}, Shape{17, 59}, Shape{3, 5}, Shape{5, 3, 7}, Shape{0, 4});
    CAPTURE(name_of(layout), to_string(shape));
    const Tensors start{random_tensor(shape), full<float>(shape, 0.5f)};
    const MaskedTensor<float> gradient = gradient_of(shape, layout);
    const Tensors here = run(start, gradient, "cpu"), there = run(start, gradient, there_name());
    CHECK(same(there.param, here.param));
    CHECK(same(there.state_sum, here.state_sum));
    CHECK_THAT(there.param, MatchesWhereUnspecified(gradient, start.param));
    CHECK_THAT(there.state_sum, MatchesWhereUnspecified(gradient, start.state_sum));
}

TEST_CASE("a device takes a mask of which nothing, or only the cut last word, is specified", "[opencl]") {
    there();
    const auto* const how = GENERATE("skip", "blend", "predicate");
    const auto first = GENERATE(std::int64_t{128}, std::int64_t{140});
    CAPTURE(how, first);
    const Shape shape{140};
    const Tensors start{random_tensor(shape), full<float>(shape, 0.5f)};
    Tensor<bool> mask = full<bool>(shape, false);
    for (std::int64_t i = first; i < 140; ++i) mask.data()[i] = true;
    const MaskedTensor<float> gradient = masked(random_tensor(shape), mask).to(Layout::bitmask);
    const Tensors here = run(start, gradient, "cpu");
    const Tensors there =
        run_on(device(there_name()), jit(adagrad, schedule(how), TargetName{there_name()}), start, gradient);
    CHECK(same(there.param, here.param));
    CHECK(same(there.state_sum, here.state_sum));
}

TEST_CASE("blocks and vectors of four change nothing that a device writes", "[opencl][deep]") {
    there();
    const auto* const how = GENERATE("dense", "blend", "skip", "predicate", "gather", "rows");
    const auto* const knobs = GENERATE(" block=64", " block=512", " vector=4", " vector=4 block=1024");
    const bool has_vectors = has_device_vectors(schedule(how).strategy);
    const Schedule made = schedule(std::string(how) + (has_vectors ? knobs : " block=256"));
    const Layout layout = made.strategy == Strategy::dense    ? Layout::dense
                          : made.strategy == Strategy::gather ? Layout::coo
                          : made.strategy == Strategy::rows   ? Layout::rows
                                                              : Layout::bitmask;
    // Whole tiles, a cut one after them, and less than one.
    const auto shape = GENERATE(Shape{16, 64}, Shape{17, 59}, Shape{3, 5});
    CAPTURE(to_string(made), to_string(shape));
    const Tensors start{random_tensor(shape), full<float>(shape, 0.5f)};
    const MaskedTensor<float> gradient = gradient_of(shape, layout);
    const Tensors here = run(start, gradient, "cpu");
    const Tensors there =
        run_on(device(there_name()), jit(adagrad, made, TargetName{there_name()}), start, gradient);
    CHECK(same(there.param, here.param));
    CHECK(same(there.state_sum, here.state_sum));
    CHECK_THAT(there.param, MatchesWhereUnspecified(gradient, start.param));
}

TEST_CASE("a device says which knobs it has", "[opencl]") {
    there();
    CHECK_THROWS_MATCHES(
        jit(adagrad, schedule("skip grain=4096"), TargetName{there_name()}), ScheduleError,
        Says("schedule \"skip tile=64 grain=4096\": grain says how a processor runs, and loops of skip on "
             "target " +
             there_name() +
             " take block=64 to 1024 by powers of two and vector=1 or 4: a thread is an element, "
             "or a vector of four"));
    CHECK_THROWS_AS(jit(adagrad, schedule("rows vector=4"), TargetName{there_name()}), ScheduleError);
    CHECK_THROWS_MATCHES(
        jit(adagrad, schedule("bytes"), TargetName{there_name()}), ScheduleError,
        Says("schedule \"bytes tile=64 grain=262144\": there are no loops of bytes on target " +
             there_name() + ", which are made for caches of processors: name skip"));
    CHECK_THROWS_AS(jit(adagrad, schedule("lines"), TargetName{there_name()}), ScheduleError);
    CHECK_THROWS_AS(jit(adagrad, schedule("segments"), TargetName{there_name()}), ScheduleError);
}

TEST_CASE("schedules of a device can be searched", "[opencl]") {
    there();
    const Shape shape{64, 64};
    const Tensors start{random_tensor(shape), full<float>(shape, 0.5f)};
    const TuneResult result =
        tune(adagrad, {.seconds = 2, .target = there_name()}, param = start.param,
             state_sum = start.state_sum, grad = gradient_of(shape, Layout::bitmask), lr = 0.1);
    REQUIRE(result.candidates.size() >= 2);
    for (const Candidate& candidate : result.candidates) {
        CAPTURE(to_string(candidate.schedule), candidate.rejected);
        CHECK(candidate.schedule.block >= 64);
        CHECK(candidate.rejected.empty());
    }
}

TEST_CASE("schedules are searched for tensors of a device, of either place", "[opencl][deep]") {
    there();
    const Device there = device(there_name());
    const Shape shape{40, 70};
    const Tensor<float> p = random_tensor(shape), s = full<float>(shape, 0.5f), q = p.to(there);
    const TuneOptions brief{.seconds = 0.5, .database = "off"};
    TuneOptions named = brief;
    named.target = there_name();
    const auto is_searched = [](const TuneResult& found) {
        CHECK(found.target == there_name());
        CHECK_FALSE(found.keys.empty());
        for (const Candidate& candidate : found.candidates) CHECK(candidate.rejected.empty());
    };
    is_searched(tune(adagrad, brief, param = q, state_sum = s.to(there),
                     grad = gradient_of(shape, Layout::bitmask).to(there), lr = 0.1));
    is_searched(tune(softmax(q, 1) * 2, brief));
    is_searched(tune(softmax(p, 1) * 2, named));
    const Tensor<float> sums = full<float>({40, 1}, 1);
    for (const Layout layout : {Layout::strided, Layout::bitmask}) {
        const MaskedTensor<float> g = gradient_of(shape, layout);
        const auto of_parts =
            tune_parts(row_rules::rowwise, named, row_rules::param = p, row_rules::state_sum = sums,
                       row_rules::grad = g, row_rules::lr = 0.1);
        CHECK(of_parts.size() == 2);  // values, and one pass
        for (const TuneResult& found : of_parts) is_searched(found);
    }
    CHECK(same(q.to(Device()), p));
    CHECK(same(sums, full<float>({40, 1}, 1)));
}

TEST_CASE("a device takes views with gaps and leaves the gaps alone", "[opencl]") {
    there();
    const Shape whole{24, 40}, part{12, 20};
    const auto view = [](const Tensor<float>& tensor) {
        return tensor.slice(0, 0, 24, 2).slice(1, 1, 40, 2);
    };
    Tensor<float> p = random_tensor(whole), s = full<float>(whole, 0.5f);
    Tensor<float> wanted_p = p.clone(), wanted_s = s.clone();
    const MaskedTensor<float> gradient = random_masked(part, specified(0.3), Layout::strided);
    const Device there = device(there_name());
    p = p.to(there), s = s.to(there);
    jit(adagrad)(param = view(p), state_sum = view(s), grad = gradient.to(there), lr = 0.1);
    jit(adagrad)(param = view(wanted_p), state_sum = view(wanted_s), grad = gradient, lr = 0.1);
    CHECK(same(p.to(Device()), wanted_p));
    CHECK(same(s.to(Device()), wanted_s));
}

TEST_CASE("a device computes float64 and exp, log and pow", "[opencl]") {
    there();
    static constexpr InOut<"out", double> out;
    static constexpr In<"x", double> x;
    constexpr auto functions = step<"functions">(out = exp(x) + log(x + 2.0) * pow(x + 2.0, 1.5));
    Tensor<double> a({200}), b({200}), points({200});
    for (int i = 0; i < 200; ++i) points.data()[i] = i * 0.01 - 1;
    jit(functions)(out = a, x = points);
    b = b.to(device(there_name()));
    jit(functions)(out = b, x = points.to(b.device()));
    CHECK(same(b.to(Device()), a));
}

namespace {

/// out = op(x) or op(x, y).
Graph graph_of(OpId op, DType dtype) {
    GraphBuilder b("function");
    b.symbol("out", SymbolKind::in_out, dtype);
    std::vector<NodeId> operands{b.symbol("x", SymbolKind::in, dtype)};
    if (info_of(op).arity == 2) operands.push_back(b.symbol("y", SymbolKind::in, dtype));
    b.update("out", b.apply(op, operands));
    return b.finish();
}

template <class T>
void check_on_device(OpId op) {
    const std::int64_t count = 4000;
    const Tensor<T> x({count}), y({count});
    for (std::int64_t i = 0; i < count; ++i) {
        x.data()[i] = static_cast<T>(-10 + 0.00501 * static_cast<double>(i));
        y.data()[i] = static_cast<T>(0.3 + 0.0017 * static_cast<double>(i));
    }
    const Graph graph = graph_of(op, dtype_of<T>);
    const auto run = [&](const Device& where) {
        const Tensor<T> out = empty<T>({count}, where), own_x = x.to(where), own_y = y.to(where);
        std::vector<NamedArgument> arguments{{"out", out}, {"x", own_x}};
        if (info_of(op).arity == 2) arguments.push_back({"y", own_y});
        jit(graph)(std::span<const NamedArgument>(arguments));
        return out.to(Device());
    };
    const Tensor<T> here = run(Device()), there = run(device(there_name()));
    INFO(info_of(op).name);
    int different = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const double a = here.data()[i], b = there.data()[i];
        different += (std::isnan(a) && std::isnan(b)) || a == b ? 0 : 1;
    }
    CHECK(different == 0);
}

}  // namespace

TEST_CASE("a device has functions of floats that its compiler lacks", "[opencl]") {
    there();
    check_on_device<float>(op_id<op::Erf>);
    check_on_device<double>(op_id<op::Sin>);
    check_on_device<float>(op_id<op::Fmod>);
    check_on_device<double>(op_id<op::Remainder>);
    check_on_device<double>(op_id<op::Erfinv>);  // with the bits of a known float64
    check_on_device<float>(op_id<op::FloorDivide>);
}

TEST_CASE("a device has every function of floats", "[opencl][deep]") {
    there();
    for (std::size_t i = 0; i < op_table().size(); ++i) {
        const auto op = static_cast<OpId>(i);
        const OpInfo& row = info_of(op);
        if (row.arity > 2 || !(row.dtype == DTypeRule::floating || row.name == "pow")) continue;
        check_on_device<float>(op);
        check_on_device<double>(op);
    }
}

}  // namespace opencl_test

// SPDX-License-Identifier: MIT
/// Memory of expressions: the printed peak bounds the process's memory, stages give back values that nothing
/// reads any more, and expressions that are too large are refused before anything is allocated.
#include "../../../codegen/explain.hpp"
#include "../../../codegen/loops/known_calls.hpp"
#include "../../../codegen/loops/memory_formula.hpp"
#include "../../../ir/planner/report/report_writer.hpp"
#include "../../../runtime/tensor/free_memory.hpp"
#include "../../support/child.hpp"
#include "../../support/matchers.hpp"
#include "../../support/peak_memory.hpp"
#include "../../support/random.hpp"

#include <frisket/frisket.hpp>

#include <malloc.h>
#include <sys/resource.h>

#include <functional>

namespace memory_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr std::int64_t mebi = 1 << 20;

using Evaluate = ir::ExpressionContext::Evaluate;

/// The report of an expression, which is compiled then.
planning::PlanReport report_of(const std::function<void(const Evaluate&)>& run, Jit jit = Jit::always) {
    planning::RunEvents events;
    run(detail::evaluator({.jit = jit}, &events));
    return planning::report_of("test", events);
}

/// Prints the peak of the report, and the peak of the process when nothing is cached.
void print_peaks(const std::function<void(const Evaluate&)>& run) {
    set_result_pool_limit(0);
    const std::int64_t printed = report_of(run).peak.bytes();
    malloc_trim(0);
    const auto used = peak_bytes([&] { run(detail::evaluator({.jit = Jit::always})); });
    std::printf("peaks %lld %lld\n", static_cast<long long>(printed),
                static_cast<long long>(used.value_or(-1)));
}

template <class E>
std::function<void(const Evaluate&)> running(const E& expression) {
    return [expression](const Evaluate& evaluate) { static_cast<void>(detail::run(evaluate, expression)); };
}

/// Checks that an expression, which a hidden test evaluates, holds no more than its plan specifies, and that
/// this is at most `most`; and not much less, where `least` demands it.
void check_peak(const std::string& child, std::int64_t most, std::int64_t least = 0) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    SKIP("sanitizers keep memory beside that of the program");
#endif
    const ChildResult found = run_child(child, "");
    INFO(child << "\n" << found.output);
    const auto at = found.output.find("peaks ");
    REQUIRE(at != std::string::npos);
    long long printed = 0, used = 0;
    REQUIRE(std::sscanf(found.output.c_str() + at, "peaks %lld %lld", &printed, &used) == 2);
    if (used < 0) SKIP("this system does not count the most pages that a process held");
    constexpr std::int64_t slack = 4 * mebi;  // huge pages that are cut, stacks of threads, small tensors
    CHECK(used <= printed + slack);
    CHECK(used >= least);
    CHECK(printed <= most);
}

Tensor<bool> causal(std::int64_t queries, std::int64_t keys) {
    Tensor<bool> mask({queries, keys});
    for (std::int64_t i = 0; i < queries; ++i)
        for (std::int64_t j = 0; j < keys; ++j) mask.data()[i * keys + j] = j <= i;
    return mask;
}

auto attention(std::int64_t heads, std::int64_t length, std::int64_t width) {
    const auto some = [&](int seed) { return random_tensor({heads, length, width}, seed); };
    const auto scores = matmul(some(1), transpose(some(2), 1, 2)) * 0.125F;
    return matmul(to_dense(softmax(masked(scores, causal(length, length)), 2), 0), some(3));
}

MaskedTensor<float> many(std::int64_t rows, std::int64_t columns, std::int64_t count) {
    std::vector<std::int64_t> row, column;
    for (std::int64_t i = 0; i < count; ++i) {
        row.push_back(i % rows);
        column.push_back(i * 7919 % columns);
    }
    return MaskedTensor<float>::coo({rows, columns}, {row, column}, full<float>({count}, 1.5F));
}

}  // namespace

TEST_CASE("child: attention of 8 x 4096 x 64", "[.child]") { print_peaks(running(attention(8, 4096, 64))); }
TEST_CASE("child: gradients of attention of 8 x 2048 x 64", "[.child]") {
    const Tensor<float> x = random_tensor({8, 2048, 64}, 1);
    const auto scores = matmul(x, transpose(x, 1, 2)) * 0.125F;
    const auto made = matmul(to_dense(softmax(masked(scores, causal(2048, 2048)), 2), 0), x);
    print_peaks(running(gradient(sum(square(made)), x)));
}
TEST_CASE("child: layer norm", "[.child]") {
    const Tensor<float> x = random_tensor({4096, 1024}, 1);
    const auto shifted = x - mean(x, {1}, keepdim);
    print_peaks(running(shifted / sqrt(mean(shifted * shifted, {1}, keepdim) + 1e-5)));
}
TEST_CASE("child: a product and its sums", "[.child]") {
    const Tensor<float> a = random_tensor({2000, 300}, 1), b = random_tensor({300, 3000}, 2);
    print_peaks(running(sum(exp(matmul(a, b)), {0})));
}
TEST_CASE("child: products of products", "[.child]") {
    const Tensor<float> a = random_tensor({1500, 900}, 1), b = random_tensor({900, 1400}, 2),
                        c = random_tensor({1400, 1300}, 3), d = random_tensor({1300, 1100}, 4);
    print_peaks(running(matmul(matmul(matmul(a, b), c), d)));
}
TEST_CASE("child: running sums along both dimensions", "[.child]") {
    print_peaks(running(cumsum(cumsum(random_tensor({1500, 2000}, 1), 0), 1)));
}
TEST_CASE("child: a list read whole", "[.child]") {
    print_peaks(running(matmul(to_dense(many(2000, 1000, 50000), 0) + 1, random_tensor({1000, 500}, 1))));
}

TEST_CASE("attention holds no scores, and no more than its plan says", "[memory]") {
    constexpr std::int64_t result = 8 * mebi;
    check_peak("child: attention of 8 x 4096 x 64", result + 40 * mebi, result);
}
TEST_CASE("gradients of a batch hold the scores of some of its indices", "[memory]") {
    constexpr std::int64_t scores = 2048 * 2048 * 4, result = 8 * 2048 * 64 * 4;
    check_peak("child: gradients of attention of 8 x 2048 x 64", 2 * result + 8 * scores, 4 * scores);
}
TEST_CASE("layer norm holds no more than its result and some rows", "[memory]") {
    check_peak("child: layer norm", 20 * mebi, 15 * mebi);
}
TEST_CASE("stored products are part of the printed peak", "[memory]") {
    check_peak("child: a product and its sums", 40 * mebi, 22 * mebi);
    check_peak("child: products of products", 64 * mebi, 13 * mebi);
}
TEST_CASE("the printed peak counts the memory of each task that runs at once", "[memory]") {
    using codegen::memory_formula::Code, codegen::memory_formula::LoopForm;
    const auto held = [](LoopForm form, std::int64_t tasks, std::int64_t threads) {
        const auto number = [](auto code) { return static_cast<std::int64_t>(code); };
        // A loop from 0 on, whose body allocates 1000 bytes and frees them.
        const codegen::MemoryFormula body{number(Code::push), 1000, number(Code::allocate), 0,
                                          number(Code::free), 0};
        codegen::MemoryFormula formula{number(Code::push), 0, number(Code::push), tasks,
                                       number(Code::loop), 0, number(form),       std::ssize(body)};
        formula.insert(formula.end(), body.begin(), body.end());
        return codegen::evaluated(formula, {.sizes = {}, .extent = {}, .threads = threads}).value();
    };
    const std::int64_t one = held(LoopForm::serial, 1, 1);
    CHECK(one >= 1000);
    CHECK(held(LoopForm::serial, 100, 4) == one);
    CHECK(held(LoopForm::parallel, 100, 1) == one);
    CHECK(held(LoopForm::parallel, 100, 4) == 4 * one);
    CHECK(held(LoopForm::parallel, 3, 4) == 3 * one);
    CHECK(held(LoopForm::parallel_twice, 100, 4) == 8 * one);
    CHECK(held(LoopForm::parallel_twice, 7, 4) == 7 * one);
}
TEST_CASE("running sums hold no more than their plan says", "[memory]") {
    check_peak("child: running sums along both dimensions", 64 * mebi, 20 * mebi);
}
TEST_CASE("lists that loops read whole are part of the printed peak", "[memory]") {
    check_peak("child: a list read whole", 40 * mebi, 12 * mebi);
}

TEST_CASE("a longer chain of stages over lists does not hold more", "[memory]") {
    const MaskedTensor<float> m = many(1000, 1000, 20000);
    const auto peak_of = [&](const auto& expression) { return report_of(running(expression)).peak.bytes(); };
    const auto twice = [](const auto& x) { return transpose(exp(transpose(x, 0, 1)), 0, 1); };
    const std::int64_t once = peak_of(twice(m));
    CHECK(once > 0);
    CHECK(peak_of(twice(twice(twice(m)))) <= 2 * once);
}

TEST_CASE("explain prints the peak, and what is never stored whole", "[memory][explain]") {
    const Tensor<float> small = full<float>({4, 8}, 1);
    CHECK(explain(small + 1, Run::yes, {.jit = Jit::always})
              .find("peak: at most 128 bytes at once: 128 bytes of results\n") != std::string::npos);
    const std::string text = explain(attention(2, 64, 16), Run::yes, {.jit = Jit::always});
    INFO(text);
    CHECK(text.find("[2, 64, 64], never whole: some rows at a time\n") != std::string::npos);
    // A mask that all batches share is reduced once.
    const std::size_t whole = text.find("until the stage ends");
    CHECK(text.find("any(x2): bool [64], dense, 64 bytes, until the stage ends\n") != std::string::npos);
    CHECK(text.find("until the stage ends", whole + 1) == std::string::npos);
    const auto scores = matmul(random_tensor({70, 40}, 1), random_tensor({40, 50}, 2));
    CHECK(explain(sum(exp(scores), {0}), Run::yes, {.jit = Jit::always})
              .find("14000 bytes, until the stage ends\n") != std::string::npos);
}

namespace {

/// The text of the error of an expression, which is refused before memory is taken.
template <class E>
std::string refusal_of(const E& expression, Jit jit) {
    const ResultPoolUse before = result_pool_use();
    try {
        static_cast<void>(eval(expression, {.jit = jit}));
    } catch (const ShapeError& error) {
        const ResultPoolUse after = result_pool_use();
        CHECK(after.blocks_made == before.blocks_made);
        CHECK(after.blocks_reused == before.blocks_reused);
        return error.what();
    }
    return "nothing was refused";
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a result that is too large for memory is refused with its size", "[memory]") {
    const Tensor<float> column = full<float>({1 << 20, 1}, 1), row = full<float>({1, 1 << 20}, 1);
    const MaskedTensor<float> few = masked(column, full<bool>({1 << 20, 1}, true));
    for (const Jit jit : {Jit::always, Jit::never, Jit::automatic}) {
        const std::string text = refusal_of(column + row, jit);
        INFO(text);
        CHECK(contains(
            text, "eval: the result add(x0, x1) has shape [1048576, 1048576] of float32 and takes 4.0 TiB"));
        CHECK(contains(text, " leaves "));
        CHECK(contains(text, ": evaluate it in parts, reduce it in the same expression, or read it at the "
                             "places of a list, on(list, ...)"));
        CHECK(contains(refusal_of(few * row, jit), "takes 4.0 TiB, with all that is held beside it 5.0 TiB"));
        CHECK(contains(refusal_of(cast<double>(column + row), jit), "of float64 and takes 8.0 TiB"));
    }
}

TEST_CASE("what is held on the way is refused where it is too large for memory", "[memory]") {
    const Tensor<float> tall = full<float>({1 << 20, 1}, 1), wide = full<float>({1, 1 << 20}, 1);
    const std::string text = refusal_of(sum(exp(matmul(tall, wide)), {0}), Jit::always);
    INFO(text);
    CHECK(contains(
        text,
        "on the way contract(view(x0), view(x1)) has shape [1048576, 1048576] of float32 and takes 4.0 TiB"));
    CHECK(contains(refusal_of(sum(tall + wide), Jit::never), "on the way add(x0, x1)"));
}

namespace {

/// A csr matrix of this extent with one element.
MaskedTensor<float> huge_list(std::int64_t extent) {
    const Tensor<std::int64_t> place({2, 1}, {1, 2});
    return MaskedTensor<float>(AnyMasked::coo({extent, extent}, place, full<float>({1}, 3)).to(Layout::csr));
}

}  // namespace

TEST_CASE("a plan that does not fit into memory is explained, and its stage named", "[memory]") {
    constexpr std::int64_t extent = 1 << 20;
    const Tensor<float> column = full<float>({extent, 1}, 1);
    const MaskedTensor<float> list = huge_list(extent);
    const auto row = transpose(column);
    const std::string dense = explain(column + row);
    INFO(dense);
    CHECK(contains(dense, "1. add(x0, view(x0))\n"));
    CHECK(contains(dense,
                   "\ndoes not fit: stage 1: the result add(x0, view(x0)) has shape [1048576, 1048576] "
                   "of float32 and takes 4.0 TiB; "));
    const std::string running = explain(gradient(sum(cumprod(list, 1)), list));
    INFO(running);
    CHECK(contains(running, "does not fit: stage 1: "));
    CHECK(contains(running, "as x0 is made dense; "));
    CHECK(contains(running, " is not computed at the places of a list: evaluate it in parts\n"));
    // The length of a list that a stage makes is not known yet.
    const MaskedTensor<float> wide(
        AnyMasked::coo({3, extent}, Tensor<std::int64_t>({2, 1}, {1, 2}), full<float>({1}, 3)));
    const auto scores = on(list, matmul(transpose(to_dense(wide, 0.0F)), to_dense(wide, 0.0F)));
    CHECK_NOTHROW(explain(softmax(scores, 1)));
    const std::string both = explain(list * 2.0F, column + row);
    INFO(both);
    CHECK(contains(both, "does not fit: stage "));
    CHECK_FALSE(contains(explain(list * 2.0F), "does not fit"));
    CHECK_FALSE(contains(explain(sum(column * 2.0F)), "does not fit"));
}

TEST_CASE("a median is explained, though nothing is evaluated", "[memory]") {
    const Tensor<float> x = full<float>({2, 3}, 1), column = full<float>({1 << 20, 1}, 1);
    CHECK(contains(explain(median(x, 0)), "gather("));
    CHECK(contains(explain(median(column + transpose(column), 0)), "does not fit: stage "));
}

TEST_CASE("lists that are made dense are named where they do not fit", "[memory]") {
    const MaskedTensor<float> list = huge_list(1 << 20);
    for (const Jit jit : {Jit::always, Jit::never}) {
        const std::string text = refusal_of(gradient(sum(cumprod(list, 1)), list), jit);
        INFO(text);
        CHECK(contains(text, "as x0 is made dense; "));
        CHECK(contains(text, " is not computed at the places of a list: evaluate it in parts"));
    }
}

TEST_CASE("a size that no number of 64 bits has is refused as well", "[memory]") {
    constexpr std::int64_t power = std::int64_t{1} << 31;
    const Tensor<double> one = full<double>({1}, 1);
    const Tensor<const double> column(one.broadcast_to({power, 1})), row(one.broadcast_to({1, power}));
    for (const Jit jit : {Jit::always, Jit::never})
        CHECK(contains(refusal_of(column + row, jit), "of float64 and takes 8.0 EiB"));
}

namespace {

/// Limits the address space of this process to 200 MiB more than it has.
void leave_200_mebibytes() {
    trim_result_pool();
    const rlim_t space = static_cast<rlim_t>(process_bytes("VmSize") + 200 * mebi);
    const struct rlimit limit{space, space};
    REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
}

/// Checks that the limit is named where a hidden test is refused a result of 256 MiB.
void check_refused_in(const std::string& child) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    SKIP("sanitizers take more address space than any limit");
#endif
    const ChildResult found = run_child(child, "");
    INFO(found.output);
    CHECK(found.status == 0);
    CHECK(contains(found.output, "and takes 256.0 MiB; RLIMIT_AS leaves "));
}

}  // namespace

TEST_CASE("child: a limit of the address space", "[.child]") {
    const Tensor<float> row = full<float>({1, 4096}, 1);
    const auto sums = [&](std::int64_t rows) { return full<float>({rows, 1}, 1) + row; };
    static_cast<void>(eval(sums(4096), {.jit = Jit::always}));
    leave_200_mebibytes();
    std::printf("%s\n", refusal_of(sums(16384), Jit::always).c_str());
    CHECK(eval(sums(4096), {.jit = Jit::always}).size() == 4096 * 4096);
}

TEST_CASE("child: a limit of the address space after calls of one kind", "[.child]") {
    const Tensor<float> row = full<float>({1, 4096}, 1), column = full<float>({16384, 1}, 1);
    for (int i = 0; i < 2; ++i) static_cast<void>(eval(column + row, {.jit = Jit::always}));
    const std::size_t before = codegen::known_calls_found();
    static_cast<void>(eval(column + row, {.jit = Jit::always}));
    CHECK(codegen::known_calls_found() == before + 1);
    leave_200_mebibytes();
    std::printf("%s\n", refusal_of(column + row, Jit::always).c_str());
}

TEST_CASE("a limit of the process is named where a result does not fit", "[memory]") {
    check_refused_in("child: a limit of the address space");
}

TEST_CASE("calls that are known are refused too where a result does not fit any more", "[memory]") {
    check_refused_in("child: a limit of the address space after calls of one kind");
}

}  // namespace memory_test

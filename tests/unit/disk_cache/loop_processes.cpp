// SPDX-License-Identifier: MIT
// What processes that follow each other, or run at once, find on disk.
#include <Halide.h>
#include <HalideBuffer.h>

#include "../../../codegen/jit/compiled_loops.hpp"
#include "../../../codegen/jit/jit_module.hpp"
#include "../../support/child.hpp"
#include "../../support/folder.hpp"
#include "../../support/random.hpp"

#include <frisket/frisket.hpp>

#include <catch2/catch_test_macros.hpp>

#include <chrono>
#include <cmath>
#include <random>
#include <thread>

namespace loop_processes_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr InOut<"param"> param;
constexpr Masked<"grad"> grad;
constexpr auto descent = step<"descent">(param -= 0.25f * grad);

/// Runs a hidden test of this file with a folder of loops, and tells the fate of the loops.
ChildResult run_with(const std::string& test, const std::string& folder, const std::string& more = "") {
    ChildResult child =
        run_child("child: " + test, "FRISKET_SHOW=cache FRISKET_CACHE_DIR=" + folder + " " + more);
    UNSCOPED_INFO(more << "\n" << child.output);
    CHECK(child.status == 0);
    return child;
}

int compiled(const ChildResult& child) { return count_of(child.output, "\ncompiled"); }
int kept(const ChildResult& child) { return count_of(child.output, "\ncompiled, and kept"); }
int read_back(const ChildResult& child) { return count_of(child.output, "\nread from "); }

double now_ms() {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

std::string time_in(const ChildResult& child) {
    const auto at = child.output.find("first call: ");
    return at == std::string::npos ? "no time" : child.output.substr(at, child.output.find('\n', at) - at);
}

/// The step with other constants, in other loops: one element, which it changes.
float descended(float rate) {
    const Tensor<float> p = full<float>({3}, 1);
    GraphBuilder builder("constants");
    const NodeId own = builder.symbol("p", SymbolKind::in_out, DType::float32);
    builder.update("p", builder.apply<op::Mul>({own, builder.constant(double{rate})}));
    jit(builder.finish())({{"p", p}});
    return p.data()[2];
}

}  // namespace

TEST_CASE("child: a step is called", "[.]") {
    const Tensor<float> p = full<float>({300, 4}, 1);
    const auto g = masked(full<float>({300, 4}, 2), full<bool>({300, 4}, true));
    const double begin = now_ms();
    jit(descent)(param = p, grad = g);
    std::printf("first call: %.1f ms\n", now_ms() - begin);
    CHECK(p.data()[1199] == 0.5F);
}

TEST_CASE("child: an expression is evaluated", "[.]") {
    const auto m = masked(full<float>({300, 4}, 2), full<bool>({300, 4}, true));
    const double begin = now_ms();
    const MaskedTensor<float> sums = eval(sum(m * m, {1}), {.jit = Jit::always});
    std::printf("first call: %.1f ms\n", now_ms() - begin);
    CHECK(static_cast<const float*>(sums.values().data())[299] == 16);
}

TEST_CASE("child: a step over listed rows is called", "[.]") {
    constexpr InOut<"sums"> sums;
    constexpr auto rowwise =
        step<"rowwise">(sums += mean(grad * grad, {1}, keepdim), param -= grad / sqrt(on(grad, sums)));
    const Tensor<float> p = full<float>({100, 8}, 1), s = full<float>({100, 1}, 0);
    const auto g = MaskedTensor<float>::rows({100, 8}, {3, 50}, full<float>({2, 8}, 2));
    const double begin = now_ms();
    jit(rowwise)(param = p, sums = s, grad = g);
    std::printf("first call: %.1f ms\n", now_ms() - begin);
    CHECK(p.data()[400] == 0);
    CHECK(s.data()[50] == 4);
}

TEST_CASE("what one process compiled the next one reads", "[disk_cache]") {
    for (const char* test :
         {"a step is called", "an expression is evaluated", "a step over listed rows is called"}) {
        const Folder place;
        const ChildResult first = run_with(test, place / "jit"), second = run_with(test, place / "jit");
        CHECK(compiled(first) > 0);
        CHECK(kept(first) == compiled(first));
        CHECK(compiled(second) == 0);
        CHECK(read_back(second) == compiled(first));
        WARN(test << ": " << time_in(first) << ", in the next process " << time_in(second));
    }
}

TEST_CASE("child: constants that differ in one bit or in their sign", "[.]") {
    CHECK(descended(0.5F) == 0.5F);
    CHECK(descended(std::nextafter(0.5F, 1.0F)) == std::nextafter(0.5F, 1.0F));
    CHECK(!std::signbit(descended(0.0F)));
    CHECK(std::signbit(descended(-0.0F)));
}

TEST_CASE("child: whole constants of which two are one double", "[.]") {
    constexpr InOut<"count", std::int64_t> count;
    for (const std::int64_t by :
         {std::int64_t{3}, std::int64_t{4}, (std::int64_t{1} << 53), (std::int64_t{1} << 53) + 1}) {
        const Tensor<std::int64_t> counts({70});
        jit(step<"counted">(count += by))(count = counts);
        CHECK(same(counts, full<std::int64_t>({70}, by)));
    }
}

TEST_CASE("loops of other constants, schedules, targets and compiler's options are others", "[disk_cache]") {
    const Folder place;
    const ChildResult constants =
        run_with("constants that differ in one bit or in their sign", place / "jit");
    CHECK(kept(constants) == 4);
    const ChildResult wholes = run_with("whole constants of which two are one double", place / "whole");
    INFO(wholes.output);
    CHECK(wholes.status == 0);
    CHECK(kept(wholes) == 4);
    const std::string test = "a step is called";
    const int loops = kept(run_with(test, place / "jit"));
    CHECK(loops > 0);
    CHECK(read_back(run_with(test, place / "jit", "FRISKET_NUM_THREADS=1")) == loops);
    CHECK(kept(run_with(test, place / "jit", "HL_LLVM_ARGS=-enable-misched")) == loops);
#ifdef __x86_64__
    CHECK(kept(run_with(test, place / "jit", "FRISKET_TARGET=x86-64")) == loops);
#endif
}

TEST_CASE("without a safe folder or the disk a step runs all the same", "[disk_cache]") {
    const Folder place;
    const std::string test = "a step is called";
    std::filesystem::create_directory(place / "open");
    std::filesystem::permissions(place / "open", std::filesystem::perms::all);
    struct Case { std::string folder, sentence; };
    for (const auto& [folder, sentence] :
         {Case{"off", "FRISKET_CACHE_DIR is \"off\""}, Case{place / "open", "may be written by others"},
          Case{"/proc/jit", "cannot be made"}}) {
        const ChildResult child = run_with(test, folder);
        CHECK(kept(child) == 0);
        CHECK(count_of(child.output, "\ncompiled in memory: ") == compiled(child));
        CHECK(count_of(child.output, sentence) == compiled(child));
    }
    CHECK(std::filesystem::is_empty(place / "open"));
}

TEST_CASE("child: loops call a function of the C library", "[.]") {
    using Halide::Internal::Call;
    const codegen::KeyText key = codegen::KeyText().add("cosines");
    const codegen::LoopCode code = codegen::loop_code(
        {.name = "cosines",
         .loops = "all",
         .title = "cosines",
         .target = find_target({}),
         .key = key,
         .build = [] {
             Halide::Func out("out");
             Halide::Var x("x");
             out(x) = Call::make(Halide::Float(32), "cosf", {Halide::cast<float>(x)}, Call::PureExtern);
             return codegen::BuiltLoops{.pipeline = out, .arguments = {}};
         }});
    Halide::Runtime::Buffer<float> found(70);
    codegen::LoopContext context;
    const void* argv[] = {nullptr, found.raw_buffer()};
    REQUIRE(code.call(argv, context) == 0);
    CHECK(found(0) == 1);
    CHECK(found(69) == std::cos(69.0F));
}

TEST_CASE("loops that call more of the process than they are given are compiled in memory", "[disk_cache]") {
    const Folder place;
    const ChildResult child = run_with("loops call a function of the C library", place / "jit");
    CHECK(count_of(child.output,
                   "\ncompiled in memory: frisket: object of loops: it needs the function cosf") == 1);
    CHECK(std::filesystem::is_empty(place / "jit"));
}

TEST_CASE("no program is needed beside this process", "[disk_cache]") {
    const Folder place;
    const ChildResult child = run_with("a step is called", place / "jit", "PATH=");
    CHECK(kept(child) > 0);
    CHECK(kept(child) == compiled(child));
}

TEST_CASE("child: a step is made and called while others remove its loops", "[.]") {
    const int rounds = static_cast<int>(std::strtol(std::getenv("ROUNDS"), nullptr, 10));
    const std::string folder = std::getenv("FRISKET_CACHE_DIR");
    constexpr auto halve = step<"halve">(param *= 0.5f);
    std::mt19937 random(static_cast<unsigned>(getpid()));
    for (int round = 0; round < rounds; ++round) {
        const Tensor<float> p = full<float>({70}, 1);
        // Not jit(), which keeps kernels: this one begins anew.
        CompiledKernel(std::make_shared<codegen::JitModule>(describe(halve), check_present({})))(
            {{"param", p}});
        REQUIRE(p.data()[69] == 0.5F);
        if (random() % 8 != 0) continue;
        std::error_code error;
        for (const auto& file : std::filesystem::directory_iterator(folder, error))
            if (file.path().extension() == ".loops") std::filesystem::remove(file.path(), error);
    }
}

namespace {

void run_at_once(int processes, int rounds) {
    const Folder place;
    std::vector<ChildResult> results(static_cast<std::size_t>(processes));
    {
        std::vector<std::jthread> threads;
        for (ChildResult& result : results)
            threads.emplace_back([&] {
                result = run_child("child: a step is made and called while others remove its loops",
                                   "FRISKET_SHOW=cache ROUNDS=" + std::to_string(rounds) +
                                       " FRISKET_CACHE_DIR=" + place / "jit");
            });
    }
    int failures = 0, made = 0, found = 0;
    for (const ChildResult& result : results) {
        INFO(result.output.substr(0, 2000));
        CHECK(result.status == 0);
        failures += result.status != 0 ? 1 : 0;
        made += kept(result);
        found += read_back(result);
        CHECK(kept(result) + read_back(result) == rounds);
    }
    WARN(processes << " processes, " << rounds << " rounds each: " << failures << " failures, " << made
                   << " times compiled, " << found << " times read");
    CHECK(made > 0);
    CHECK(found > 0);
}

}  // namespace

TEST_CASE("processes that use, write and remove the same loops at once all go on", "[disk_cache]") {
    run_at_once(4, 12);
}
TEST_CASE("eight processes use, write and remove the same loops two hundred times", "[.full]") {
    run_at_once(8, 200);
}

}  // namespace loop_processes_test

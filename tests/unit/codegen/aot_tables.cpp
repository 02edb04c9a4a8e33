// SPDX-License-Identifier: MIT
#include "../../support/matchers.hpp"

#include <frisket/aot_kernel.hpp>
#include <frisket/frisket.hpp>

#include <array>
#include <span>

/// Tables of kernel libraries at their limits.
namespace aot_tables_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

/// A loop that counts its calls.
std::array<int, 3> calls{};
template <int which>
int counted(void** /*argv*/) {
    ++calls[which];
    return 0;
}

constexpr aot::HalideFunctions functions_that_have(int (*can_use)(int, const std::uint64_t*)) {
    return {
        .set_error_handler = [](aot::HalideFunctions::ErrorHandler handler) { return handler; },
        .set_num_threads = [](int threads) { return threads; },
        .do_par_for =
            [](void* context, aot::HalideFunctions::Task task, int first, int count, std::uint8_t* closure) {
                for (int i = first; i < first + count; ++i) task(context, i, closure);
                return 0;
            },
        .can_use_target_features = can_use};
}
int has_all(int, const std::uint64_t*) { return 1; }
int has_none(int, const std::uint64_t*) { return 0; }
int has_the_first(int, const std::uint64_t* bits) { return bits[0] == 1 ? 1 : 0; }

constexpr aot::ParameterRow parameters[] = {{"a", "InOut", "float32"}, {"x", "In", "float32"}};
constexpr int operands[] = {0, 1}, outputs[] = {0};
constexpr aot::UpdateRow updates[] = {{0, operands}};
constexpr aot::SignatureTable signature{
    .name = "plain", .parameters = parameters, .updates = updates, .outputs = outputs};

template <int which>
constexpr aot::Loop loops[] = {{"dense", counted<which>}, {"strided", counted<which>}};
constexpr std::uint64_t bits_of_wide[] = {2}, bits_of_plain[] = {1};
constexpr aot::TargetLoops targets[] = {{"wide", bits_of_wide, loops<0>}, {"plain", bits_of_plain, loops<1>}};

void call(const CompiledKernel& kernel) {
    calls = {};
    const AnyTensor a(full<float>({4}, 1.0F)), x(full<float>({4}, 2.0F));
    const std::array<NamedArgument, 2> arguments{{{"a", a}, {"x", x}}};
    kernel(std::span<const NamedArgument>(arguments));
}

}  // namespace

TEST_CASE("a table without layouts and numbers is a kernel of dense tensors", "[codegen]") {
    const CompiledKernel kernel = aot::make_kernel(
        {.signature = signature, .targets = targets, .halide = functions_that_have(has_all)});
    const Signature& read = kernel.signature();
    CHECK(read.name == "plain");
    CHECK(read.parameters == std::vector<Parameter>{{"a", SymbolKind::in_out, DType::float32},
                                                    {"x", SymbolKind::in, DType::float32}});
    CHECK(read.updates == std::vector<UpdateRule>{{.target = 0, .operands = {0, 1}}});
    CHECK(read.outputs == std::vector<int>{0});
    CHECK(read.equal_masks.empty());
    call(kernel);
    CHECK(calls == std::array{1, 0, 0});
}

TEST_CASE("of several targets in a table the first that fits runs", "[codegen]") {
    call(aot::make_kernel(
        {.signature = signature, .targets = targets, .halide = functions_that_have(has_the_first)}));
    CHECK(calls == std::array{0, 1, 0});
}

TEST_CASE("a table without a target that fits is refused when it is called", "[codegen]") {
    const CompiledKernel kernel = aot::make_kernel(
        {.signature = signature, .targets = targets, .halide = functions_that_have(has_none)});
    CHECK_THROWS_MATCHES(call(kernel), TargetError,
                         Catch::Matchers::MessageMatches(Catch::Matchers::ContainsSubstring("wide, plain")));
}

TEST_CASE("a table that names no kind, dtype or layout is refused", "[codegen]") {
    const aot::ParameterRow no_kind[] = {{"a", "Inout", "float32"}}, no_dtype[] = {{"a", "In", "float"}};
    CHECK_THROWS_AS(aot::make_kernel({.signature = {.name = "plain", .parameters = no_kind}}), ValueError);
    CHECK_THROWS_AS(aot::make_kernel({.signature = {.name = "plain", .parameters = no_dtype}}), DTypeError);
    const char* const no_layout[] = {"sparse"};
    const aot::Rows<const char*> layouts[] = {no_layout};
    CHECK_THROWS_AS(aot::make_kernel({.signature = signature, .layouts = layouts}), LayoutError);
}

TEST_CASE("a C call of a table with a null tensor is refused with a sentence", "[codegen]") {
    static constinit aot::Callee<CompiledKernel> kernel{[]() -> const CompiledKernel& {
        static constexpr aot::KernelTable table{
            .signature = signature, .targets = targets, .halide = functions_that_have(has_all)};
        return aot::c_kernel(table);
    }};
    const frisket_tensor* const nothing = nullptr;
    CHECK(aot::call_from_c(kernel, {nothing, nothing}) != FRISKET_OK);
    CHECK_THAT(aot::last_error_text(), Catch::Matchers::StartsWith("frisket: plain: "));
}

}  // namespace aot_tables_test

// SPDX-License-Identifier: MIT
#include "../../../runtime/kernel/loop_arguments.hpp"

#include <catch2/catch_test_macros.hpp>

#include <map>
#include <string>

namespace loop_abi_test {

using namespace frisket;

namespace {

/// `param` takes a value computed from a gradient, a mask of its own, a weight and a number.
Signature two_masks(bool needs_positions) {
    return {.name = "two_masks",
            .parameters = {{"param", SymbolKind::in_out, DType::float32},
                           {"lr", SymbolKind::scalar, DType::float64},
                           {"grad", SymbolKind::masked, DType::float16},
                           {"other", SymbolKind::masked, DType::boolean},
                           {"weight", SymbolKind::in, DType::float64}},
            .updates = {{.target = 0, .operands = {0, 2, 3, 4}}},
            .equal_masks = {},
            .domain = 2,
            .outputs = {0},
            .needs_positions = needs_positions};
}

/// "n f32 | list i32 | x2 u16[2]": numbers, and buffers with their type and rank.
std::string text_of(const kernel_calls::LoopAbi& abi) {
    static const std::map<kernel_calls::LoopRole, std::string> names = {
        {kernel_calls::LoopRole::element_count, "count"},
        {kernel_calls::LoopRole::number, "number"},
        {kernel_calls::LoopRole::first_position, "first"},
        {kernel_calls::LoopRole::position_step, "step"},
        {kernel_calls::LoopRole::list, "list"},
        {kernel_calls::LoopRole::values, "values"},
        {kernel_calls::LoopRole::mask, "mask"},
        {kernel_calls::LoopRole::output, "output"}};
    static const std::map<int, std::string> codes = {
        {halide_type_int, "i"}, {halide_type_uint, "u"}, {halide_type_float, "f"}};
    std::string text;
    for (const kernel_calls::LoopParameter& parameter : abi) {
        text += (text.empty() ? "" : ", ") + names.at(parameter.role) + " " + std::to_string(parameter.index);
        if (!kernel_calls::is_array(parameter.role)) continue;
        const halide_type_t type = kernel_calls::type_of(parameter);
        text += ": " + codes.at(type.code) + std::to_string(type.bits) + "[" +
                std::to_string(rank_of(parameter.form)) + "]";
    }
    return text;
}

std::string text_of(Strategy strategy, bool needs_positions = false) {
    const DType numbers[] = {DType::float32};
    return text_of(kernel_calls::abi_of(two_masks(needs_positions), numbers, strategy));
}

}  // namespace

TEST_CASE("the parameters of each strategy's loop") {
    const std::string tiles =
        "count 0, number 0, values 2: u16[2], mask 2: u64[1], values 3: u8[2], mask 3: u64[1], "
        "values 4: f64[2], output 0: f32[2]";
    CHECK(text_of(Strategy::dense) ==
          "count 0, number 0, values 2: u16[2], values 3: u8[2], values 4: f64[2], output 0: f32[2]");
    CHECK(text_of(Strategy::blend) == tiles);
    CHECK(text_of(Strategy::skip) == tiles);
    CHECK(text_of(Strategy::predicate) == tiles);
    CHECK(text_of(Strategy::bytes) ==
          "count 0, number 0, list 0: u64[1], values 2: u16[2], mask 2: u8[2], values 3: u8[2], "
          "mask 3: u8[2], values 4: f64[2], output 0: f32[2]");
    CHECK(text_of(Strategy::gather) ==
          "number 0, list 0: i32[1], values 2: u16[1], values 3: u8[1], mask 3: u64[1], values 4: f64[1], "
          "output 0: f32[1]");
    const auto listed = [](const std::string& rank) {
        return "number 0, list 0: i32[1], values 2: u16[" + rank + "], mask 2: u64[1], values 3: u8[" + rank +
               "], mask 3: u64[1], values 4: f64[" + rank + "], output 0: f32[" + rank + "]";
    };
    CHECK(text_of(Strategy::lines) == listed("2"));
    CHECK(text_of(Strategy::segments) == listed("1"));
    CHECK(text_of(Strategy::rows) ==
          "number 0, list 0: i32[1], values 2: u16[2], values 3: u8[2], mask 3: u64[1], values 4: f64[2], "
          "output 0: f32[2]");
    CHECK(text_of(Strategy::strided) ==
          "number 0, values 2: u16[4], mask 2: u8[4], values 3: u8[4], mask 3: u8[4], values 4: f64[4], "
          "output 0: f32[4]");
    CHECK(text_of(Strategy::strided_bits) ==
          "number 0, first 0, step 0, step 1, step 2, step 3, values 2: u16[4], mask 2: u64[1], "
          "values 3: u8[4], mask 3: u64[1], values 4: f64[4], output 0: f32[4]");
    CHECK(text_of(Strategy::strided_lists) ==
          "number 0, first 0, step 0, step 1, step 2, step 3, values 2: u16[1], mask 2: u64[1], "
          "values 3: u8[1], mask 3: u64[1], values 4: f64[4], output 0: f32[4]");
}

TEST_CASE("loops that need positions take where they begin, and strided ones what an index adds") {
    CHECK(text_of(Strategy::dense, true).starts_with("count 0, number 0, first 0, values 2"));
    CHECK(text_of(Strategy::rows, true).starts_with("number 0, first 0, list 0"));
    CHECK(text_of(Strategy::strided, true)
              .starts_with("number 0, first 0, step 0, step 1, step 2, step 3, values 2"));
}

TEST_CASE("operands of loops over rows may have one element for each row") {
    const DType numbers[] = {DType::float32};
    const std::vector<bool> is_single = {false, false, true, false, true};
    CHECK(text_of(kernel_calls::abi_of(two_masks(false), numbers, Strategy::rows, is_single)) ==
          "number 0, list 0: i32[1], values 2: u16[1], values 3: u8[2], mask 3: u64[1], values 4: f64[1], "
          "output 0: f32[2]");
}

TEST_CASE("arguments are packed in the order of the parameters") {
    const DType numbers[] = {DType::float32};
    const kernel_calls::LoopAbi abi = kernel_calls::abi_of(two_masks(true), numbers, Strategy::strided);
    const double host[] = {0.5};
    const std::int32_t steps[] = {1, 2, 3, 4};
    std::byte memory[64];
    const kernel_calls::LoopDim dims[] = {{2, 1}, {3, 2}, {4, 6}, {5, 24}};
    kernel_calls::LoopArguments loop;
    const auto argv =
        kernel_calls::pack(abi, {.host = host, .first = 7, .others = steps}, loop,
                           [&](const kernel_calls::LoopParameter& parameter) -> kernel_calls::ArrayView {
                               const int mask = parameter.role == kernel_calls::LoopRole::mask ? 32 : 0;
                               return {memory + parameter.index + mask, dims};
                           });
    REQUIRE(argv.size() == 2 + abi.size());
    CHECK(*static_cast<const std::int64_t*>(argv[1]) == 0);
    CHECK(*static_cast<const float*>(argv[2]) == 0.5F);
    CHECK(*static_cast<const std::int64_t*>(argv[3]) == 7);
    for (std::size_t i = 0; i < 4; ++i) CHECK(*static_cast<const std::int32_t*>(argv[4 + i]) == steps[i]);
    const int hosts[] = {2, 34, 3, 35, 4, 0};
    for (std::size_t i = 0; i < 6; ++i) {
        const auto& buffer = *static_cast<const halide_buffer_t*>(argv[8 + i]);
        CHECK(reinterpret_cast<std::byte*>(buffer.host) == memory + hosts[i]);
        CHECK(buffer.dimensions == 4);
        CHECK(buffer.dim[3].min == 0);
        CHECK(buffer.dim[3].extent == 5);
        CHECK(buffer.dim[3].stride == 24);
    }
}

}  // namespace loop_abi_test

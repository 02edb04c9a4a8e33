// SPDX-License-Identifier: MIT
#include "../../support/matchers.hpp"
#include "npy_helpers.hpp"

#include <frisket/runtime.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <ctime>

namespace safetensors_files_test {

using namespace frisket;
using frisket::testing::TemporaryFolder;
using frisket::testing::write_file;

namespace {

/// A file with this header and these bytes of elements.
std::string file_of(std::string header, const std::string& elements) {
    std::string length;
    for (int i = 0; i < 8; ++i) length += static_cast<char>(header.size() >> (8 * i) & 0xff);
    return length + header + elements;
}

const std::string good = R"({"a":{"dtype":"I32","shape":[2],"data_offsets":[0,8]}})";
const std::string eight("\1\0\0\0\2\0\0\0", 8);

}  // namespace

TEST_CASE("a .safetensors file gives back every dtype, shape and name, and the metadata") {
    const TemporaryFolder folder;
    const std::vector<NamedTensor> tensors{
        {"layer.0/weight \"quoted\" \\ \n\x01 é", Tensor<float>({2, 2}, {1, 2, 3, 4})},
        {"empty", Tensor<double>(Shape{0, 3})},
        {"number", Tensor<std::int64_t>({}, {-7})},
        {"flags", Tensor<bool>({3}, {true, false, true})},
        {"half", Tensor<float>({3}, {0.5f, -2, 65504}).to<float16>()},
        {"brain", Tensor<float>({2}, {1, 3e38f}).to<bfloat16>()},
        {"byte", Tensor<std::uint8_t>({2}, {0, 255})},
        {"int", Tensor<std::int32_t>({1}, {-1})},
        {"turned", Tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}).transpose(0, 1)},
    };
    save_safetensors(folder / "x.safetensors", tensors, {{"made by", "a test"}, {"", ""}});
    const Safetensors found = load_safetensors(folder / "x.safetensors");
    REQUIRE(found.tensors.size() == tensors.size());
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        // Empty tensors are where the next one begins.
        CHECK(found.tensors[i].name == tensors[i].name);
        CHECK(same(found.tensors[i].tensor, tensors[i].tensor));
    }
    CHECK(found.metadata == std::map<std::string, std::string>{{"made by", "a test"}, {"", ""}});
    CHECK(folder.file_count() == 1);
}

TEST_CASE("names and metadata keep every character, those that JSON escapes too") {
    const TemporaryFolder folder;
    std::string all;
    for (char c = 1; c < 127; ++c) all += c;
    const std::vector<NamedTensor> tensors{{all, Tensor<std::int32_t>({1}, {5})}};
    save_safetensors(folder / "x", tensors, {{all + "k", all + "v"}});
    const Safetensors found = load_safetensors(folder / "x");
    REQUIRE(found.tensors.size() == 1);
    CHECK(found.tensors[0].name == all);
    CHECK(found.metadata == std::map<std::string, std::string>{{all + "k", all + "v"}});
}

TEST_CASE("a file of another writer is read: spaces, escapes, any order of keys") {
    const TemporaryFolder folder;
    write_file(
        folder / "x",
        file_of("{ \"b\\u00e9\\ud83d\\ude00\" : {\"shape\":[ 1 ], \"data_offsets\":[4,8],\"dtype\":\"I32\"} ,"
                "\"a\":{\"dtype\":\"I32\",\"shape\":[],\"data_offsets\":[0,4]}}   ",
                eight));
    const Safetensors found = load_safetensors(folder / "x");
    REQUIRE(found.tensors.size() == 2);
    CHECK(found.tensors[0].name == "a");
    CHECK(same(found.tensors[0].tensor, Tensor<std::int32_t>({}, {1})));
    CHECK(found.tensors[1].name == "b\u00e9\U0001F600");
    CHECK(same(found.tensors[1].tensor, Tensor<std::int32_t>({1}, {2})));
}

TEST_CASE("what is no .safetensors file is refused with a sentence") {
    const TemporaryFolder folder;
    const auto [bytes, sentence] = GENERATE(table<std::string, std::string>({
        {"", "it ends after 0 bytes"},
        {file_of(good, eight).substr(0, 20), "it is no .safetensors file, or was cut off"},
        {std::string(8, '\xff'), "it is no .safetensors file, or was cut off"},
        {file_of(good, eight.substr(1)), "its tensors have 8 bytes, and 7 are there"},
        {file_of(good, eight + "x"), "its tensors have 8 bytes, and 9 are there"},
        {file_of("[]", ""), "'{'"},
        {file_of(good + "x", eight), "the end of the header"},
        {file_of(R"({"a":{"dtype":"I32","shape":[2],"data_offsets":[0,8]},)", eight), "'\"'"},
        {file_of(R"({"a":{"dtype":"I33","shape":[2],"data_offsets":[0,8]}})", eight), "a has dtype I33"},
        {file_of(R"({"a":{"dtype":"","shape":[2],"data_offsets":[0,8]}})", eight), "a dtype"},
        {file_of(R"({"a":{"dtype":"I8","shape":[2],"data_offsets":[8,0]}})", eight), "lies from byte 8 to 0"},
        {file_of(R"({"a":{"dtype":"I8","shape":[2],"data_offsets":[1,8]}})", eight), "begins at byte 1"},
        {file_of(R"({"a":{"dtype":"I32","shape":[-2],"data_offsets":[0,8]}})", eight),
         "a whole number from 0 on"},
        {file_of(R"({"a":{"dtype":"I32","shape":[02],"data_offsets":[0,8]}})", eight),
         "without leading zeros"},
        {file_of(R"({"a":{"dtype":"I32","shape":[3],"data_offsets":[0,8]}})", eight), "wanted 12 bytes"},
        {file_of(R"({"a":{"dtype":"I32","shape":[1],"data_offsets":[4,8]}})", eight),
         "tensors lie one behind another"},
        {file_of(R"({"a":{"dtype":"I32","shape":[2],"data_offsets":[8,0]}})", eight), "wanted 8 bytes"},
        {file_of(R"({"a":{"dtype":"I32","shape":[4611686018427387904],"data_offsets":[0,8]}})", eight),
         "no file holds that"},
        {file_of(R"({"a":{"dtype":"I32","shape":[99999999999999999999],"data_offsets":[0,8]}})", eight),
         "below 2^63"},
        {file_of(R"({"a":{"dtype":"I32","shape":[2]}})", eight), "dtype, shape and data_offsets of a"},
        {file_of(R"({"a":{"dtype":"I32","shape":[2],"data_offsets":[0,8],"x":1}})", eight), "it is x"},
        {file_of(R"({"a":{"dtype":"I32","shape":[1],"data_offsets":[0,4]},)"
                 R"("a":{"dtype":"I32","shape":[1],"data_offsets":[4,8]}})",
                 eight),
         "a came before"},
        {file_of(R"({"a":{"dtype":"BOOL","shape":[8],"data_offsets":[0,8]}})", eight),
         "element 4 of dtype bool is byte 2"},
        {file_of(R"({"__metadata__":{"x":1}})", ""), "'\"'"},
        {file_of(R"({"\ud800":{}})", ""), "the second half of a surrogate pair"},
        {file_of(R"({"\ud800\udbff":{}})", ""), "the second half of a surrogate pair"},
        {file_of(R"({"\ud800\ue000":{}})", ""), "the second half of a surrogate pair"},
    }));
    write_file(folder / "x", bytes);
    CHECK_THROWS_MATCHES(load_safetensors(folder / "x"), IoError,
                         Catch::Matchers::MessageMatches(Catch::Matchers::ContainsSubstring(sentence)));
}

TEST_CASE(
    "a tensor loads by name, whatever dtypes the others have; a foreign dtype is named when asked for") {
    const TemporaryFolder folder;
    const std::string path = folder / "x";
    for (const std::string dtype : {"F8_E4M3", "F8_E5M2", "I8", "I16", "U16", "U32", "U64", "C64", "F4"}) {
        INFO(dtype);
        write_file(path, file_of(R"({"b":{"dtype":")" + dtype +
                                     R"(","shape":[3,1],"data_offsets":[0,3]},)"
                                     R"("a":{"dtype":"I32","shape":[2],"data_offsets":[3,11]}})",
                                 "xyz" + eight));
        CHECK(same(load_safetensors(path, "a"), Tensor<std::int32_t>({2}, {1, 2})));
        const std::string sentence = "b has dtype " + dtype + ", wanted one of BOOL, U8, I32, I64, F32, F64";
        CHECK_THROWS_MATCHES(load_safetensors(path, "b"), IoError,
                             Catch::Matchers::MessageMatches(Catch::Matchers::ContainsSubstring(sentence)));
        CHECK_THROWS_MATCHES(load_safetensors(path), IoError,
                             Catch::Matchers::MessageMatches(Catch::Matchers::ContainsSubstring(sentence)));
        CHECK_THROWS_MATCHES(load_safetensors(path, "c"), IoError,
                             Catch::Matchers::MessageMatches(
                                 Catch::Matchers::ContainsSubstring("no tensor c, it has 2: b, a")));
    }
}

TEST_CASE("tensors of one name are not saved, and the file that was there stays") {
    const TemporaryFolder folder;
    write_file(folder / "x", "before");
    const std::vector<NamedTensor> twice{{"a", Tensor<float>(Shape{1})}, {"a", Tensor<float>(Shape{1})}};
    CHECK_THROWS_MATCHES(
        save_safetensors(folder / "x", twice), ValueError,
        Catch::Matchers::MessageMatches(Catch::Matchers::ContainsSubstring("so is another")));
    const std::vector<NamedTensor> reserved{{"__metadata__", Tensor<float>(Shape{1})}};
    CHECK_THROWS_AS(save_safetensors(folder / "x", reserved), ValueError);
    CHECK(frisket::testing::read_file(folder / "x") == "before");
    CHECK(folder.file_count() == 1);
}

TEST_CASE("texts that are not UTF-8 are refused, where they lie in the file") {
    const TemporaryFolder folder;
    const auto name =
        GENERATE(as<std::string>(), "\xff", "a\x80", "\xc0\xaf", "\xc3", "\xe0\x80\xaf", "\xed\xa0\x80",
                 "\xf0\x80\x80\xaf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82", "b\xe2\x28\xa1");
    const std::string entry = R"(":{"dtype":"I32","shape":[2],"data_offsets":[0,8]}})";
    const std::size_t at = name.find_first_of("\x80\xff\xc0\xc3\xe0\xed\xf0\xf4\xf5\xe2");
    for (const auto& [header, before] :
         {std::pair("{\"" + name + entry, 2), std::pair("{\"__metadata__\":{\"" + name + "\":\"\"}}", 18),
          std::pair("{\"__metadata__\":{\"k\":\"" + name + "\"}}", 22)}) {
        write_file(folder / "x", file_of(header, header.ends_with("[0,8]}}") ? eight : ""));
        const std::string place = "byte " + std::to_string(8 + static_cast<std::size_t>(before) + at) +
                                  " of the file is not what is wanted there: UTF-8";
        CHECK_THROWS_MATCHES(load_safetensors(folder / "x"), IoError,
                             Catch::Matchers::MessageMatches(Catch::Matchers::ContainsSubstring(place)));
    }
}

TEST_CASE("every character of UTF-8 may stand in a name") {
    const TemporaryFolder folder;
    std::string name;
    for (const char* text : {"\x01", "\x7f", "\u0080", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\uffff",
                             "\U00010000", "\U0010ffff"})
        name += text;
    save_safetensors(folder / "x", std::vector<NamedTensor>{{name, Tensor<float>(Shape{1})}}, {{name, name}});
    const Safetensors found = load_safetensors(folder / "x");
    CHECK(found.tensors.at(0).name == name);
    CHECK(found.metadata.at(name) == name);
}

TEST_CASE("what could not be read back is not saved, and the file that was there stays", "[full]") {
    const TemporaryFolder folder;
    write_file(folder / "x", "before");
    const auto refuses = [&](const std::string& name, const std::map<std::string, std::string>& metadata,
                             const std::string& sentence) {
        CHECK_THROWS_MATCHES(
            save_safetensors(folder / "x", std::vector<NamedTensor>{{name, ones<bool>({1})}}, metadata),
            ValueError, Catch::Matchers::MessageMatches(Catch::Matchers::ContainsSubstring(sentence)));
    };
    refuses("a\xff", {}, "the name of tensor 0 is not UTF-8 from its byte 1 on");
    refuses("a", {{"k\xc3", ""}}, "a key of the metadata is not UTF-8 from its byte 1 on");
    refuses("a", {{"k", "\xed\xa0\x80"}}, "the metadata's k is not UTF-8 from its byte 0 on");
    refuses("a", {{"k", std::string(100'000'000, 'x')}}, "a header of 1000000");
    CHECK(frisket::testing::read_file(folder / "x") == "before");
    CHECK(folder.file_count() == 1);
}

namespace {

/// Seconds of a processor that it takes to save and load this many tensors and metadata.
double seconds_of(int count) {
    const TemporaryFolder folder;
    std::vector<NamedTensor> tensors;
    std::map<std::string, std::string> metadata;
    const Tensor<bool> one = ones<bool>({1});
    for (int i = 0; i < count; ++i) {
        tensors.push_back({"layer." + std::to_string(i) + ".weight", one});
        metadata["key of " + std::to_string(i)] = "value";
    }
    const std::clock_t begin = std::clock();
    save_safetensors(folder / "x", tensors, metadata);
    REQUIRE(load_safetensors(folder / "x").tensors.size() == tensors.size());
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

}  // namespace

TEST_CASE("eight times as many names take no more than twenty times as long") {
    constexpr int count = 5000;
    seconds_of(count);
    double few = seconds_of(count);
    for (int i = 0; i < 2; ++i) few = std::min(few, seconds_of(count));
    CHECK(std::min(seconds_of(8 * count), seconds_of(8 * count)) < 20 * few);
}

}  // namespace safetensors_files_test

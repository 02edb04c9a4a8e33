// SPDX-License-Identifier: MIT
// Checkpoints of several files whose manifest or files were changed: IoError before memory is filled.
#include "../support/folder.hpp"
#include "../support/matchers.hpp"

#include <frisket/frisket.hpp>
#include <frisket/optim.hpp>

#include <catch2/catch_test_macros.hpp>

#include <functional>

namespace sharded_checkpoints_test {

using namespace frisket;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using frisket::testing::Folder;
using I = std::int64_t;

namespace {

using Named = std::vector<NamedTensor>;
using Texts = std::map<std::string, std::string>;

/// A checkpoint of a parameter t of shape [4, 3] and a whole parameter w, in two files.
struct Checkpoint {
    Texts manifest{{"shards", "2"},
                   {"generation", "1"},
                   {"parameter.t", "[4, 3] sharded"},
                   {"parameter.w", "[2] whole"}};
    Named first{{"t", Tensor<float>({2, 3}, {0, 1, 2, 6, 7, 8})},
                {"t@rows", Tensor<I>({2}, {0, 2})},
                {"t.m", Tensor<float>({2, 1}, {10, 12})},
                {"t.step", Tensor<I>({}, {5})},
                {"w", Tensor<float>({2}, {1, 2})}};
    Named second{{"t", Tensor<float>({2, 3}, {3, 4, 5, 9, 10, 11})},
                 {"t@rows", Tensor<I>({2}, {1, 3})},
                 {"t.m", Tensor<float>({2, 1}, {11, 13})}};

    Safetensors loaded() const {
        const Folder folder;
        save_safetensors(folder / "manifest.safetensors", {}, manifest);
        save_safetensors(folder / "shard-1-0-of-2.safetensors", first);
        save_safetensors(folder / "shard-1-1-of-2.safetensors", second);
        return optim::load_sharded(folder.path().string());
    }
};

AnyTensor& tensor(Named& file, const std::string& name) {
    return std::ranges::find(file, name, &NamedTensor::name)->tensor;
}
void remove(Named& file, const std::string& name) {
    std::erase_if(file, [&](const NamedTensor& one) { return one.name == name; });
}
void rename(Named& file, const std::string& name, const std::string& other) {
    std::ranges::find(file, name, &NamedTensor::name)->name = other;
}

struct Fault {
    std::function<void(Checkpoint&)> make;
    std::vector<std::string> words;
};

void check_all(const std::vector<Fault>& faults) {
    for (const Fault& fault : faults) {
        Checkpoint checkpoint;
        fault.make(checkpoint);
        for (const std::string& word : fault.words) {
            INFO(word);
            CHECK_THROWS_MATCHES(checkpoint.loaded(), IoError, MessageMatches(ContainsSubstring(word)));
        }
    }
}

Fault manifest(const std::string& key, const std::string& text) {
    return {[=](Checkpoint& c) { c.manifest[key] = text; }, {"manifest has " + key, "\"" + text + "\""}};
}

}  // namespace

TEST_CASE("files of a checkpoint are joined by their row numbers") {
    Safetensors found = Checkpoint().loaded();
    CHECK(Tensor<const float>(tensor(found.tensors, "t")).to_vector() ==
          std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    CHECK(Tensor<const float>(tensor(found.tensors, "t.m")).to_vector() ==
          std::vector<float>{10, 11, 12, 13});
    CHECK(Tensor<const I>(tensor(found.tensors, "t.step")).item() == 5);
    CHECK(Tensor<const float>(tensor(found.tensors, "w")).to_vector() == std::vector<float>{1, 2});
}

TEST_CASE("a parameter whose name starts with another's and a dot is no state of it") {
    Checkpoint saved;
    saved.manifest["parameter.t.w"] = "[1] sharded";
    for (Named* file : {&saved.first, &saved.second}) {
        const std::int64_t rows = file == &saved.first ? 1 : 0;
        file->push_back({"t.w", Tensor<float>({rows})});
        file->push_back({"t.w@rows", Tensor<I>({rows})});
    }
    saved.manifest["parameter.t.v"] = "[2] whole";
    saved.first.push_back({"t.v", Tensor<float>({2}, {1, 2})});
    Safetensors file = saved.loaded();
    CHECK(tensor(file.tensors, "t.w").shape() == Shape{1});
    CHECK(tensor(file.tensors, "t.v").shape() == Shape{2});
    CHECK(tensor(file.tensors, "t.m").shape() == Shape{4, 1});
}

TEST_CASE("a manifest whose numbers or shapes no save writes is refused with the key and the text") {
    std::vector<Fault> faults;
    for (const char* number :
         {"0", "-1", "2147483648", "4294967298", "9223372036854775807", "1e9", " 2", "2 "})
        faults.push_back(manifest("shards", number));
    for (const char* number : {"0", "9223372036854775807", "9223372036854775808", "one"})
        faults.push_back(manifest("generation", number));
    for (const char* shape :
         {"[] sharded", "[4;3] sharded", "[4 3] sharded", "[4,3] sharded", "[4, 3 sharded", "4, 3] sharded",
          "[4, -3] sharded", "[4, 3]  sharded", "[4, 3, ] sharded", "[4, 3] Sharded", "[4, 3]", "", "[",
          "[9223372036854775808, 3] sharded", "[04, 3] sharded", "[4, 3] sharded whole"})
        faults.push_back(manifest("parameter.t", shape));
    check_all(faults);
}

TEST_CASE("numbers of the manifest that exceed the files allocate nothing, and are refused at once") {
    check_all({
        {[](Checkpoint& c) { c.manifest["shards"] = "1000000000"; }, {"shard-1-0-of-1000000000"}},
        {[](Checkpoint& c) { c.manifest["shards"] = "2147483647"; }, {"shard-1-0-of-2147483647"}},
        {[](Checkpoint& c) { c.manifest["shards"] = "1"; }, {"shard-1-0-of-1"}},
        {[](Checkpoint& c) { c.manifest["parameter.t"] = "[30000000000, 3] sharded"; },
         {"rows of t are missing: files have 4 of 30000000000"}},
        {[](Checkpoint& c) { c.manifest["parameter.t"] = "[3, 3] sharded"; },
         {"4 rows of t, the manifest 3"}},
        {[](Checkpoint& c) { c.manifest["parameter.t"] = "[4, 9223372036854775807] sharded"; },
         {"shard-1-0-of-2", "t is float32 [2, 3], wanted float32 [2, 9223372036854775807]"}},
        {[](Checkpoint& c) { c.manifest["parameter.w"] = "[30000000000] whole"; },
         {"shard-1-0-of-2", "w has shape [2], the manifest has [30000000000]"}},
        {[](Checkpoint& c) {
             tensor(c.first, "t") = Tensor<float>(Shape{0, 3});
             tensor(c.first, "t@rows") = Tensor<I>(Shape{0});
             tensor(c.first, "t.m") = Tensor<float>(Shape{0, I(1) << 40});
         },
         {"shard-1-1-of-2", "t.m is float32 [2, 1], wanted float32 [2, 1099511627776]"}},
    });
}

TEST_CASE("a tensor of a file that does not fit the manifest or the other files is refused by name") {
    std::vector<Fault> faults;
    for (const bool is_first : {true, false}) {
        const std::string file = is_first ? "shard-1-0-of-2" : "shard-1-1-of-2";
        const auto of = [=](Checkpoint& c) -> Named& { return is_first ? c.first : c.second; };
        const auto put = [&](const std::string& name, const AnyTensor& value, const std::string& word) {
            faults.push_back({[=](Checkpoint& c) { tensor(of(c), name) = value; }, {file, word}});
        };
        put("t", Tensor<float>({}, {1}), "t is float32 [], wanted float32 [2, 3]");
        put("t", Tensor<float>(Shape{2}), "t is float32 [2], wanted float32 [2, 3]");
        put("t", Tensor<float>(Shape{2, 4}), "t is float32 [2, 4], wanted float32 [2, 3]");
        put("t", Tensor<float>(Shape{2, 3, 1}), "t is float32 [2, 3, 1], wanted float32 [2, 3]");
        put("t", Tensor<float>(Shape{3, 3}), "t is float32 [3, 3], wanted float32 [2, 3]");
        put("t@rows", Tensor<float>({2}, {0, 2}), "t@rows is float32 [2], wanted int64");
        put("t@rows", Tensor<int>({2}, {0, 2}), "t@rows is int32 [2], wanted int64");
        put("t@rows", Tensor<I>({}, {0}), "t@rows is int64 [], wanted int64 of one dimension");
        put("t@rows", Tensor<I>({2, 1}, {0, 2}), "t@rows is int64 [2, 1], wanted int64 of one dimension");
        put("t@rows", Tensor<I>({2}, {is_first ? 0 : 1, 4}), "t has row 4 of 4");
        put("t@rows", Tensor<I>({2}, {is_first ? 0 : 1, -1}), "t has row -1 of 4");
        put("t.m", Tensor<float>(Shape{1, 1}), "t.m is float32 [1, 1], wanted float32 [2, 1]");
        for (const char* name : {"t", "t@rows"})
            faults.push_back(
                {[=](Checkpoint& c) { remove(of(c), name); }, {file, "it lacks " + std::string(name)}});
        for (const char* other : {"", "t.other"})
            faults.push_back({[=](Checkpoint& c) {
                                  if (*other == '\0') return remove(of(c), "t.m");
                                  rename(of(c), "t.m", other);
                              },
                              {"shard-1-1-of-2", "lacks t."}});
    }
    faults.push_back({[](Checkpoint& c) { tensor(c.second, "t") = Tensor<double>(Shape{2, 3}); },
                      {"shard-1-1-of-2", "t is float64 [2, 3], wanted float32 [2, 3]"}});
    faults.push_back({[](Checkpoint& c) { tensor(c.second, "t@rows") = Tensor<I>({2}, {1, 2}); },
                      {"shard-1-1-of-2", "row 2 of t is there twice"}});
    faults.push_back({[](Checkpoint& c) { remove(c.first, "w"); }, {"shard-1-0-of-2", "it lacks w"}});
    check_all(faults);
}

}  // namespace sharded_checkpoints_test

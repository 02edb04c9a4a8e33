// SPDX-License-Identifier: MIT
#include <cstring>
#include <thread>

#include "../../../runtime/io/tensor_files.hpp"
#include "../../../runtime/tensor/masked_tensor.hpp"
#include "../../support/matchers.hpp"
#include "npy_helpers.hpp"

namespace npy_files_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

/// The bytes of elements as they are in memory.
template <class T>
std::string bytes_of_elements(std::initializer_list<T> elements) {
    return {reinterpret_cast<const char*>(std::data(elements)), elements.size() * sizeof(T)};
}

/// A tensor with another byte pattern in each element, NaNs among them; bools are 0 and 1.
AnyTensor patterned(DType dtype, Shape shape) {
    AnyTensor tensor(dtype, std::move(shape));
    auto* const bytes = static_cast<std::uint8_t*>(tensor.data());
    for (std::int64_t i = 0; i < tensor.size() * bytes_of(dtype); ++i)
        bytes[i] = static_cast<std::uint8_t>(dtype == DType::boolean ? i % 2 : 255 - i * 37);
    return tensor;
}

}  // namespace

TEST_CASE("a saved tensor is byte for byte what NumPy writes") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.npy";
    struct Row {
        AnyTensor tensor;
        std::string dict, elements;
    };
    const Row rows[] = {
        {Tensor<float>({2, 1}, {1.0f, -2.5f}), "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }",
         std::string("\x00\x00\x80\x3f\x00\x00\x20\xc0", 8)},
        {Tensor<double>({1}, {1.0}), "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }",
         std::string("\x00\x00\x00\x00\x00\x00\xf0\x3f", 8)},
        {Tensor<std::int32_t>(Shape{}, {-2}), "{'descr': '<i4', 'fortran_order': False, 'shape': (), }",
         "\xfe\xff\xff\xff"},
        {Tensor<std::int64_t>({1}, {258}), "{'descr': '<i8', 'fortran_order': False, 'shape': (1,), }",
         std::string("\x02\x01\x00\x00\x00\x00\x00\x00", 8)},
        {Tensor<std::uint8_t>({3}, {7, 8, 255}), "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }",
         "\x07\x08\xff"},
        {Tensor<bool>({2}, {true, false}), "{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }",
         std::string("\x01\x00", 2)},
        {Tensor<float16>({1}, {float16(1)}), "{'descr': '<f2', 'fortran_order': False, 'shape': (1,), }",
         std::string("\x00\x3c", 2)},
        {Tensor<float>(Shape{3, 0}), "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 0), }", ""},
    };
    for (const Row& row : rows) {
        save_npy(path, row.tensor);
        const std::string found = read_file(path);
        CHECK(found == npy_file(row.dict, row.elements));
        CHECK((found.size() - row.elements.size()) % 64 == 0);
        CHECK_THAT(load_npy(path), HasTheBytesOf(row.tensor));
    }
    CHECK(folder.file_count() == 1);
}

TEST_CASE("a tensor of any dtype, shape and strides comes back row-major with the same bytes") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.npy";
    const auto check = [&](const AnyTensor& tensor) {
        save_npy(path, tensor);
        const AnyTensor found = load_npy(path);
        CHECK_THAT(found, HasTheBytesOf(tensor));
        CHECK(found.is_contiguous());
        CHECK(found.is_writable());
        CHECK(reinterpret_cast<std::uintptr_t>(found.data()) % 64 == 0);
    };
    for (const DTypeInfo& row : dtypes) {
        if (row.dtype == DType::bfloat16) continue;
        for (const Shape& shape :
             {Shape{}, Shape{0}, Shape{1}, Shape{1003}, Shape{4, 0, 2}, Shape{2, 3, 4, 5}, Shape(40, 1)})
            check(patterned(row.dtype, shape));
        const AnyTensor tensor = patterned(row.dtype, {5, 4, 3});
        check(tensor.transpose(0, 2));
        check(tensor.slice(0, 1, 5, 2).slice(2, 1, 2));
        check(tensor.slice(2, 0, 1).broadcast_to({5, 4, 7}));
    }
}

TEST_CASE("an array in Fortran's order keeps it as strides") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.npy";
    write_file(path, npy_file("{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3), }",
                              bytes_of_elements<std::int32_t>({0, 3, 1, 4, 2, 5})));
    const auto found = load_npy<std::int32_t>(path);
    CHECK(found.shape() == Shape{2, 3});
    CHECK(found.strides() == Strides{1, 2});
    CHECK(found.to_vector() == std::vector<std::int32_t>{0, 1, 2, 3, 4, 5});
    save_npy(path, found);
    CHECK(load_npy(path).strides() == Strides{3, 1});
    CHECK_THAT(load_npy(path), HasTheBytesOf(found));
}

TEST_CASE("formats 1.0, 2.0 and 3.0, keys in any order, other quotes and old padding are read") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.npy";
    const std::string elements = bytes_of_elements<double>({1, 2});
    const std::string dict = "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }";
    for (const int major : {1, 2, 3})
        for (const std::size_t alignment : {16, 64, 4096}) {
            write_file(path, npy_file(dict, elements, major, alignment));
            CHECK(load_npy<double>(path).to_vector() == std::vector<double>{1, 2});
        }
    for (const char* other : {"{'shape':(2,),'descr':'<f8','fortran_order':False}",
                              R"({"shape": ( 2 , ) , "fortran_order" : False , "descr" : "<f8"  ,  })",
                              "{ 'descr': '<f8', 'fortran_order': False, 'shape': (2,)}"}) {
        write_file(path, npy_file(other, elements));
        CHECK(load_npy<double>(path).to_vector() == std::vector<double>{1, 2});
    }
    write_file(path, npy_file("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1,), }", elements));
    CHECK(load_npy(path).shape() == Shape{2, 1});
}

TEST_CASE("a typed load refuses another dtype before it reads elements") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.npy";
    save_npy(path, ones<double>({3}));
    CHECK(load_npy<double>(path).at({1}) == 1);
    CHECK(load_npy<const double>(path).at({1}) == 1);
    CHECK_THROWS_MATCHES(
        load_npy<float>(path), DTypeError,
        Says("load_npy: " + path + ": it holds float64, wanted float32: load it as float64"));
}

TEST_CASE("bools are saved as 0 and 1, whatever bytes they were") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.npy";
    std::uint8_t bytes[] = {0, 1, 0x5a, 0xff};
    const AnyTensor mask(DType::boolean, bytes, {4}, {1}, true, nullptr);
    save_npy(path, mask);
    CHECK(read_file(path).ends_with(std::string("\x00\x01\x01\x01", 4)));
    CHECK(bytes[2] == 0x5a);
    CHECK(load_npy<bool>(path).to_vector() == std::vector<bool>{false, true, true, true});
}

TEST_CASE("a masked tensor is two files, its values and its mask") {
    const TemporaryFolder folder;
    const auto m = MaskedTensor<float>::coo({2, 4}, {{0, 1, 1}, {2, 0, 2}}, {3, 4, 5});
    save_npy(folder / "values.npy", m.to_dense(0));
    save_npy(folder / "mask.npy", m.mask_tensor());
    CHECK(same(masked(load_npy<float>(folder / "values.npy"), load_npy<bool>(folder / "mask.npy")), m));
}

TEST_CASE("a file is replaced whole, or not at all") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.npy";
    save_npy(path, ones<float>({4}));
    save_npy(path, ones<double>({1000}));
    CHECK(load_npy(path).size() == 1000);
    std::filesystem::create_directory(folder / "b.npy");
    CHECK_THROWS_MATCHES(save_npy(folder / "b.npy", ones<float>({1})), IoError,
                         Says("save_npy: " + folder / "b.npy" +
                              ": it cannot be written: it is there and no regular file, wanted one to "
                              "replace: give another path"));
    CHECK_THROWS_MATCHES(save_npy(folder / "none/a.npy", ones<float>({1})), IoError,
                         Says("save_npy: " + folder / "none/a.npy" +
                              ": it cannot be written: no file can be made beside it: No such file or "
                              "directory"));
    CHECK_THROWS_MATCHES(save_npy(path, ones<bfloat16>({1})), DTypeError,
                         Says("save_npy: " + path +
                              ": the tensor is bfloat16, which NumPy's files do not have: save "
                              "tensor.to(DType::float32)"));
    CHECK_THROWS_MATCHES(
        save_npy(path, AnyTensor(DType::float32, Shape(30000, 1))), IoError,
        Says("save_npy: " + path + ": a tensor of 30000 dimensions, wanted fewer: reshape it"));
    CHECK(load_npy(path).size() == 1000);
    CHECK(folder.file_count() == 2);
}

TEST_CASE("who reads while others write sees one whole file or another") {
    const TemporaryFolder folder;
    const std::string path = folder / "a.npy";
    save_npy(path, full<std::int32_t>({1}, 1));
    std::vector<std::thread> writers;
    for (int t = 1; t <= 2; ++t)
        writers.emplace_back([&path, t] {
            for (std::int32_t i = 1; i <= 100; ++i) {
                const std::int32_t count = i * t * 7;
                save_npy(path, full<std::int32_t>({count}, count));
            }
        });
    for (int i = 0; i < 200; ++i) {
        const auto found = load_npy<std::int32_t>(path);
        REQUIRE(same(found, full<std::int32_t>(found.shape(), static_cast<std::int32_t>(found.size()))));
    }
    for (std::thread& writer : writers) writer.join();
    CHECK(folder.file_count() == 1);
}

}  // namespace npy_files_test

// SPDX-License-Identifier: MIT
#include "../../../runtime/io/dlpack.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <dlpack/dlpack.h>

#include <atomic>
#include <cstddef>
#include <limits>
#include <optional>
#include <thread>

#include "../../support/matchers.hpp"

namespace dlpack_import_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

/// A tensor of another library: six floats, 0 … 5, as shape [2, 3], whose deleter counts its calls.
template <class Managed>
struct Foreign {
    alignas(64) float memory[6] = {0, 1, 2, 3, 4, 5};
    std::int64_t shape[2] = {2, 3}, strides[2] = {3, 1};
    std::atomic<int> deletions{0};
    Managed managed;

    Foreign() {
        managed.dl_tensor = {.data = static_cast<void*>(memory),
                             .device = {kDLCPU, 0},
                             .ndim = 2,
                             .dtype = {kDLFloat, 32, 1},
                             .shape = shape,
                             .strides = strides,
                             .byte_offset = 0};
        managed.manager_ctx = &deletions;
        managed.deleter = [](Managed* self) { ++*static_cast<std::atomic<int>*>(self->manager_ctx); };
        if constexpr (requires { managed.version; }) {
            managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
            managed.flags = 0;
        }
    }
    DLTensor& tensor() { return managed.dl_tensor; }
    Tensor<float> import() { return Tensor<float>(from_dlpack(&managed)); }
};

using Floats = std::vector<float>;
using Versioned = Foreign<DLManagedTensorVersioned>;

/// The import is refused with the sentence, and the struct is still the caller's.
template <class ErrorClass, class Managed>
void check_refused(Foreign<Managed>& given, const std::string& sentence) {
    CHECK_THROWS_MATCHES(from_dlpack(&given.managed), ErrorClass, Says("from_dlpack: " + sentence));
    CHECK(given.deletions == 0);
}

}  // namespace

TEMPLATE_TEST_CASE("an imported tensor is the memory that was given", "", DLManagedTensor,
                   DLManagedTensorVersioned) {
    Foreign<TestType> given;
    {
        const Tensor<float> tensor = given.import();
        CHECK(tensor.data() == given.memory);
        CHECK(tensor.shape() == Shape{2, 3});
        CHECK(tensor.is_contiguous());
        CHECK(tensor.is_writable());
        tensor.at({1, 2}) = 9;
        CHECK(given.memory[5] == 9);
    }
    CHECK(given.deletions == 1);
}

TEMPLATE_TEST_CASE("strides, an offset and null strides of an import mean what DLPack says", "",
                   DLManagedTensor, DLManagedTensorVersioned) {
    Foreign<TestType> given;
    SECTION("null strides are row-major") {
        given.tensor().strides = nullptr;
        CHECK(given.import().strides() == Strides{3, 1});
    }
    SECTION("transposed") {
        given.shape[0] = 3, given.shape[1] = 2, given.strides[0] = 1, given.strides[1] = 3;
        CHECK(given.import().to_vector() == Floats{0, 3, 1, 4, 2, 5});
    }
    SECTION("backwards, from an offset") {
        given.tensor().byte_offset = 5 * sizeof(float);
        given.strides[0] = -3, given.strides[1] = -1;
        CHECK(given.import().to_vector() == Floats{5, 4, 3, 2, 1, 0});
    }
    SECTION("one row repeated") {
        given.strides[0] = 0;
        CHECK(given.import().to_vector() == Floats{0, 1, 2, 0, 1, 2});
    }
    SECTION("a stride of a dimension of extent 1 does not matter") {
        given.shape[0] = 1, given.strides[0] = std::numeric_limits<std::int64_t>::max();
        CHECK(given.import().to_vector() == Floats{0, 1, 2});
    }
    CHECK(given.deletions == 1);
}

TEST_CASE("an import has the dtype that was given, for every dtype") {
    for (const DTypeInfo& row : dtypes) {
        DLManagedTensorVersioned* const managed = to_dlpack(AnyTensor(row.dtype, {2}));
        const DLDataType type = managed->dl_tensor.dtype;
        CHECK(type.bits == 8 * row.bytes);
        CHECK(type.lanes == 1);
        CHECK(from_dlpack(managed).dtype() == row.dtype);
    }
}

TEMPLATE_TEST_CASE("an import without elements needs no memory, one without dimensions no shape", "",
                   DLManagedTensor, DLManagedTensorVersioned) {
    Foreign<TestType> given;
    SECTION("without elements") {
        given.shape[1] = 0;
        given.tensor().data = nullptr;
        given.tensor().byte_offset = 12;
        const Tensor<float> tensor = given.import();
        CHECK(tensor.shape() == Shape{2, 0});
        CHECK(tensor.data() == nullptr);
        CHECK(tensor.clone().size() == 0);
        CHECK(given.deletions == 0);
    }
    SECTION("without elements, extents whose product would overflow") {
        given.shape[0] = std::numeric_limits<std::int64_t>::max(), given.shape[1] = 0;
        given.tensor().strides = nullptr;
        CHECK(given.import().size() == 0);
    }
    SECTION("without dimensions") {
        given.tensor().ndim = 0;
        given.tensor().shape = given.tensor().strides = nullptr;
        given.tensor().byte_offset = 8;
        CHECK(given.import().at({}) == 2);
    }
    CHECK(given.deletions == 1);
}

TEST_CASE("a read-only import is read-only, and so is what it is handed on as") {
    Versioned given;
    given.managed.flags = DLPACK_FLAG_BITMASK_READ_ONLY | DLPACK_FLAG_BITMASK_IS_COPIED;
    {
        const AnyTensor tensor = from_dlpack(&given.managed);
        CHECK(!tensor.is_writable());
        CHECK_THROWS_AS(Tensor<float>(tensor), ValueError);
        CHECK(Tensor<const float>(tensor).at({1, 0}) == 3);
        DLManagedTensorVersioned* const again = to_dlpack(tensor);
        CHECK(again->flags == DLPACK_FLAG_BITMASK_READ_ONLY);
        again->deleter(again);
        CHECK(given.deletions == 0);
    }
    CHECK(given.deletions == 1);
}

TEMPLATE_TEST_CASE("the deleter is called once, when the last handle goes, whatever the handles are", "",
                   DLManagedTensor, DLManagedTensorVersioned) {
    Foreign<TestType> given;
    {
        std::optional<Tensor<float>> first = given.import();
        const AnyTensor column = first->slice(1, 0, 1);
        const AnyTensor reshaped = first->reshape({6});
        const AnyTensor apart = first->clone();
        first.reset();
        CHECK(given.deletions == 0);
        CHECK(Tensor<float>(column).to_vector() == Floats{0, 3});
    }
    CHECK(given.deletions == 1);
    given.managed.deleter = nullptr;
    CHECK(given.import().size() == 6);
    CHECK(given.deletions == 1);
}

TEST_CASE("handles of an import may go in any thread") {
    for (int round = 0; round < 50; ++round) {
        Versioned given;
        std::vector<std::thread> threads;
        {
            const Tensor<float> tensor = given.import();
            for (int t = 0; t < 4; ++t)
                threads.emplace_back([mine = tensor] {
                    for (int i = 0; i < 20; ++i) (void)AnyTensor(mine.transpose(0, 1)).size();
                });
        }
        for (std::thread& thread : threads) thread.join();
        threads.clear();
        REQUIRE(given.deletions == 1);
    }
}

TEMPLATE_TEST_CASE("what cannot be imported stays the caller's, and the sentence says why", "",
                   DLManagedTensor, DLManagedTensorVersioned) {
    Foreign<TestType> given;
    DLTensor& tensor = given.tensor();
    constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();

    CHECK_THROWS_MATCHES(from_dlpack(static_cast<TestType*>(nullptr)), ValueError,
                         Says("from_dlpack: the struct is a null pointer: was the capsule used already?"));
    SECTION("device") {
        tensor.device = {kDLCUDA, 1};
        check_refused<TargetError>(given,
                                   "the tensor is on device CUDA, number 1, wanted memory of the CPU, or of "
                                   "CUDA or OpenCL, number 0: copy it to one of these first");
        tensor.device = {kDLHexagon, 0};
        check_refused<TargetError>(given,
                                   "the tensor is on device of type 16, number 0, wanted memory of the CPU, "
                                   "or of CUDA or OpenCL, number 0: copy it to one of these first");
    }
    SECTION("dtype") {
        const auto refused = [&](DLDataType type, const std::string& text) {
            tensor.dtype = type;
            CHECK_THROWS_MATCHES(from_dlpack(&given.managed), DTypeError,
                                 Catch::Matchers::MessageMatches(Catch::Matchers::StartsWith(
                                     "frisket: from_dlpack: the elements are " + text +
                                     ", wanted one of bool, "
                                     "uint8, int32, int64, ")));
            CHECK(given.deletions == 0);
        };
        refused({kDLInt, 16, 1}, "int16");
        refused({kDLUInt, 64, 1}, "uint64");
        refused({kDLFloat, 128, 1}, "float128");
        refused({kDLComplex, 64, 1}, "complex64");
        refused({kDLFloat, 32, 4}, "float32 in 4 lanes");
        refused({kDLFloat, 32, 0}, "float32 in 0 lanes");
        refused({kDLBool, 1, 1}, "bool1");
        refused({kDLFloat8_e4m3, 8, 1}, "code 8 of 8 bits");
        refused({255, 255, 1}, "code 255 of 255 bits");
    }
    SECTION("shape") {
        tensor.ndim = -1;
        check_refused<ShapeError>(
            given, "the tensor has -1 dimensions, wanted 0 to 64: give the number of its extents");
        for (const std::int32_t count : {65, 1 << 20, std::numeric_limits<std::int32_t>::max()}) {
            tensor.ndim = count;  // the list has two extents
            check_refused<ShapeError>(given, "the tensor has " + std::to_string(count) +
                                                 " dimensions, wanted 0 to 64: give the number of its "
                                                 "extents");
        }
        tensor.ndim = 2;
        given.shape[1] = -3;
        CHECK_THROWS_MATCHES(from_dlpack(&given.managed), ShapeError,
                             Says("shape [2, -3] has extent -3: extents are 0 or more"));
        given.shape[0] = huge, given.shape[1] = huge;
        CHECK_THROWS_AS(from_dlpack(&given.managed), ShapeError);
        given.shape[0] = 1, given.shape[1] = huge;
        CHECK_THROWS_MATCHES(from_dlpack(&given.managed), ShapeError,
                             Says("view: shape [1, 9223372036854775807] of float32 has more than 2^57 bytes, "
                                  "no memory holds that: make it smaller"));
        tensor.shape = nullptr;
        check_refused<ValueError>(
            given, "the shape is a null pointer, the tensor has 2 dimensions: give one number for each");
    }
    SECTION("strides") {
        given.strides[0] = huge / 4;
        CHECK_THROWS_MATCHES(from_dlpack(&given.managed), ShapeError,
                             Says("view: shape [2, 3] with strides [2305843009213693951, 1] reaches further "
                                  "than 2^57 bytes, no memory holds that: give the strides of the memory"));
        given.strides[0] = std::numeric_limits<std::int64_t>::min();
        CHECK_THROWS_AS(from_dlpack(&given.managed), ShapeError);
        given.strides[0] = -(std::int64_t{1} << 54);
        CHECK_THROWS_MATCHES(from_dlpack(&given.managed), ValueError,
                             Says("view: shape [2, 3] with strides [-18014398509481984, 1] leads out of the "
                                  "address space: give the data and strides of the memory"));
    }
    SECTION("data") {
        tensor.byte_offset = std::numeric_limits<std::uint64_t>::max();
        check_refused<ValueError>(
            given, "a byte offset of 18446744073709551615 leads out of the address space: give "
                   "that of the memory");
        tensor.byte_offset = 2;
        check_refused<ValueError>(given,
                                  "the data lies at a multiple of 2 bytes, float32 wants one of 4: copy it "
                                  "to aligned memory");
        tensor.data = nullptr;
        check_refused<ValueError>(given,
                                  "the data is a null pointer, shape [2, 3] has 6 elements: give it memory");
    }
    CHECK(given.deletions == 0);
}

TEST_CASE("another major version is refused before anything else is read") {
    Versioned given;
    given.managed.version = {2, 0};
    given.tensor().ndim = -7;
    check_refused<ValueError>(
        given, "the struct is of DLPack 2.0, wanted 1.x: ask the library that made it for that version");
    given.managed.version = {1, 99};
    given.tensor().ndim = 2;
    CHECK(given.import().size() == 6);
}

}  // namespace dlpack_import_test

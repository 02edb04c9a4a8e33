// SPDX-License-Identifier: MIT
#include <catch2/catch_template_test_macros.hpp>

#include <functional>

#include "../../../runtime/io/tensor_files.hpp"
#include "../../support/folder.hpp"
#include "../../support/matchers.hpp"

namespace misaligned_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

/// Elements 0, 1, 0, 2, 0, 3, … of a type, some of them 0.
template <class T>
Tensor<T> some(Shape shape) {
    Tensor<T> tensor(std::move(shape));
    for (std::int64_t i = 0; i < tensor.size(); ++i)
        tensor.data()[i] = static_cast<T>(static_cast<float>(i % 2 == 0 ? 0 : i / 2 % 50));
    return tensor;
}

/// A copy of the elements at the given number of bytes past a multiple of 64.
template <class T>
Tensor<T> misaligned(const Tensor<T>& elements, int bytes) {
    return Guarded<T>(elements, {.misalignment = bytes}).tensor();
}

/// An operation on a tensor; its result is compared.
template <class T>
struct Use {
    const char* name;
    std::function<AnyTensor(const Tensor<T>&)> run;
};

template <class T>
const std::vector<Use<T>>& uses() {
    static const std::vector<Use<T>> uses = [] {
        std::vector<Use<T>> made{
            {"clone", [](const Tensor<T>& x) { return x.clone(); }},
            {"clone of a transpose", [](const Tensor<T>& x) { return x.transpose(0, 1).clone(); }},
            {"clone of a slice", [](const Tensor<T>& x) { return x.slice(1, 0, 7, 2).clone(); }},
            {"reshape of a transpose", [](const Tensor<T>& x) { return x.transpose(0, 1).reshape({-1}); }},
            {"clone of a broadcast",
             [](const Tensor<T>& x) { return AnyTensor(x).slice(0, 0, 1).broadcast_to({3, 7}).clone(); }},
            {"to_vector", [](const Tensor<T>& x) { return Tensor<T>(x.shape(), x.to_vector()); }},
            {"item", [](const Tensor<T>& x) { return full<T>({}, x.slice(0, 0, 1).slice(1, 3, 4).item()); }},
            {"text",
             [](const Tensor<T>& x) {
                 return arange<std::int64_t>(static_cast<std::int64_t>(
                     std::hash<std::string>()(to_string(x) + to_string(x, {.threshold = 1})) % 1024));
             }},
        };
        for (const DTypeInfo& row : dtypes)
            made.push_back({"to", [to = row.dtype](const Tensor<T>& x) { return AnyTensor(x).to(to); }});
        return made;
    }();
    return uses;
}

/// A masked tensor whose values and mask are the given number of bytes past a multiple of 64.
AnyMasked misaligned(const AnyMasked& made, int bytes) {
    const auto moved = [&](const AnyTensor& tensor) {
        return dispatch(tensor.dtype(),
                        [&]<class T>() { return AnyTensor(misaligned(Tensor<T>(tensor.clone()), bytes)); });
    };
    switch (made.layout()) {
        case Layout::dense: return AnyMasked::dense(moved(made.values()));
        case Layout::strided: return AnyMasked::strided(moved(made.values()), moved(made.mask()));
        case Layout::bitmask: return AnyMasked::bitmask(moved(made.values()), moved(made.mask()));
        case Layout::coo:
        case Layout::rows:
            return AnyMasked::indexed(made.layout(), made.shape(), made.index(), moved(made.values()));
        default: break;
    }
    const CompressedIndex& index = *made.compressed_index();
    const AnyTensor values = moved(made.values());
    std::optional<AnyTensor> mask;
    if (made.mask().size() > 0) mask = moved(made.mask());
    switch (made.layout()) {
        case Layout::csr: return AnyMasked::csr(made.shape(), index.pointers, index.indices, values);
        case Layout::csc: return AnyMasked::csc(made.shape(), index.pointers, index.indices, values);
        case Layout::bsr:
            return AnyMasked::bsr(made.shape(), index.blocksize, index.pointers, index.indices, values, mask);
        case Layout::bsc:
            return AnyMasked::bsc(made.shape(), index.blocksize, index.pointers, index.indices, values, mask);
        default: return AnyMasked::two_four(made.shape(), index.indices, values, mask);
    }
}

template <class T>
AnyMasked some_masked(Layout layout) {
    Tensor<bool> mask({6, 8});
    for (std::int64_t i = 0; i < mask.size(); ++i) mask.data()[i] = i % 4 == 1 || i % 4 == 2;
    if (layout == Layout::rows)
        for (std::int64_t i = 0; i < mask.size(); ++i) mask.data()[i] = i / 8 % 2 == 0;
    if (layout == Layout::dense) return AnyMasked::dense(some<T>({6, 8}));
    return AnyMasked::strided(some<T>({6, 8}), mask).to(layout);
}

}  // namespace

TEMPLATE_TEST_CASE("a tensor at any address is read and written as one that is aligned", "", bool,
                   std::uint8_t, std::int32_t, std::int64_t, float, double, float16, bfloat16) {
    const Tensor<TestType> aligned = some<TestType>({5, 7});
    for (int bytes = 1; bytes < 8; ++bytes) {
        CAPTURE(bytes);
        const Guarded<TestType> guarded(aligned, {.misalignment = bytes});
        const Tensor<TestType>& x = guarded.tensor();
        for (const Use<TestType>& use : uses<TestType>()) {
            CAPTURE(use.name);
            CHECK_THAT(use.run(x), HasTheBytesOf(use.run(aligned)));
        }
        CHECK(same(x, aligned));
        CHECK(same(aligned.transpose(0, 1), x.transpose(0, 1)));
        CHECK(allclose(x, aligned));
        CHECK(allclose(aligned, x));
        const Guarded<TestType> target({7, 5}, {.misalignment = bytes});
        copy(x.transpose(0, 1), target.tensor());
        CHECK(same(target.tensor(), aligned.transpose(0, 1)));
        CHECK(target.is_intact());
        CHECK(guarded.is_intact());
        if (dtype_of<TestType> == DType::bfloat16) continue;  // which .npy files do not have
        const Folder folder;
        save_npy(folder / "x.npy", x);
        CHECK(same(load_npy(folder / "x.npy"), aligned));
    }
}

TEMPLATE_TEST_CASE("a masked tensor at any address means what one that is aligned means", "", bool,
                   std::uint8_t, std::int32_t, std::int64_t, float, double, float16, bfloat16) {
    for (const Layout layout : all_layouts()) {
        const AnyMasked aligned = some_masked<TestType>(layout);
        for (int bytes = 1; bytes < 8; ++bytes) {
            CAPTURE(layout, bytes);
            const AnyMasked x = misaligned(aligned, bytes);
            CHECK(same(x, aligned));
            CHECK(same(x.clone(), aligned));
            CHECK(x.specified_count() == aligned.specified_count());
            CHECK(same(x.to_dense(1), aligned.to_dense(1)));
            CHECK(same(x.mask_tensor(), aligned.mask_tensor()));
            CHECK(to_string(x) == to_string(aligned));
            CHECK(to_string(x, {.threshold = 1}) == to_string(aligned, {.threshold = 1}));
            for (const Layout to : {Layout::strided, Layout::bitmask, Layout::coo, Layout::csr, Layout::csc,
                                    Layout::bsr, Layout::bsc})
                CHECK(same(x.to(to), aligned));
        }
    }
}

TEMPLATE_TEST_CASE("duplicates at any address are summed as those that are aligned", "", bool, std::uint8_t,
                   std::int32_t, std::int64_t, float, double, float16, bfloat16) {
    const Tensor<TestType> entries = some<TestType>({5}), rows = some<TestType>({5, 33});
    for (int bytes = 1; bytes < 8; ++bytes) {
        const auto coo = [&](const AnyTensor& values) {
            return AnyMasked::coo({9}, {{3, 8, 3, 0, 3}}, values).coalesce();
        };
        CHECK(same(coo(misaligned(entries, bytes)), coo(entries)));
        const auto listed = [&](const AnyTensor& values) {
            return AnyMasked::rows({4, 33}, {2, 0, 2, 2, 3}, values).coalesce();
        };
        CHECK(same(listed(misaligned(rows, bytes)), listed(rows)));
    }
}

TEST_CASE("an element is referred to only where its type may lie") {
    const Tensor<float> aligned = arange<float>(3);
    const Tensor<float> x = misaligned(aligned, 1);
    CHECK_THROWS_MATCHES(x.at({2}), ValueError,
                         Says("at: the element lies at a multiple of 1 bytes, a reference to float32 wants "
                              "one of 4: use to_vector(), or at() of a clone()"));
    CHECK(x.clone().at({2}) == 2);
    CHECK(misaligned(full<std::uint8_t>({3}, 7), 3).at({2}) == 7);
}

}  // namespace misaligned_test

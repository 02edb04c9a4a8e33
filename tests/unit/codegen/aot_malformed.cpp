// SPDX-License-Identifier: MIT
#include "../../support/matchers.hpp"

#include <frisket/frisket.hpp>

#include <aot_kernels.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include "c_faults.hpp"

namespace aot_malformed_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr frisket_layout layouts[] = {FRISKET_DENSE, FRISKET_STRIDED, FRISKET_BITMASK, FRISKET_COO,
                                      FRISKET_ROWS,  FRISKET_CSR,     FRISKET_CSC,     FRISKET_BSR,
                                      FRISKET_BSC,   FRISKET_TWO_FOUR};

/// Values that a good call writes.
std::vector<double> good_result(frisket_layout layout, bool with_strides) {
    CCall call(layout, with_strides);
    const std::vector<std::byte> before = call.bytes();
    REQUIRE(call.run() == FRISKET_OK);
    REQUIRE(call.is_intact());
    REQUIRE(call.bytes() != before);
    return call.result();
}

/// True if a call returns one of the codes with a sentence, and changes nothing.
bool is_refused(CCall& call, const std::vector<std::byte>& before, std::initializer_list<int> codes) {
    const int code = call.run();
    const std::string text = aot_kernels_last_error();
    return std::ranges::find(codes, code) != codes.end() && text.starts_with("frisket: functions: ") &&
           !text.ends_with("no memory") && text.find("std::") == std::string::npos &&
           call.bytes() == before && call.is_intact();
}

/// Runs a call in a process of its own, so that a fault which ends it has a name.  Gives false then.
bool survives(CCall& call, const std::vector<std::byte>& before, std::initializer_list<int> codes) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) _exit(is_refused(call, before, codes) ? 0 : 1);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    return WIFEXITED(status);
}

/// Runs a call that is wrong; it must give one of the codes and change nothing.
void check_refused(CCall& call, const std::string& what, std::initializer_list<int> codes) {
    const std::vector<std::byte> before = call.bytes();
    if (!survives(call, before, codes)) {
        FAIL_CHECK(what << ": a malformed call ends its process");
        return;
    }
    if (is_refused(call, before, codes)) return;
    const int code = call.run();
    const std::string text = aot_kernels_last_error();
    INFO(what << ": " << text);
    CHECK(code == *codes.begin());
    CHECK(text.starts_with("frisket: functions: "));
    CHECK(call.bytes() == before);
    CHECK(call.is_intact());
    FAIL_CHECK("a malformed call was not refused as it should be");
}

/// Calls with one fault each, or with two faults in different arguments, each of which may be found first.
struct Table {
    frisket_layout layout;
    bool with_strides;
    std::vector<CFault> faults = faults_of(layout);
    std::vector<double> good = good_result(layout, with_strides);
    int calls = 0;

    void check(std::initializer_list<const CFault*> spoils, std::initializer_list<int> codes) {
        CCall call(layout, with_strides);
        std::string what = std::string(name_of(static_cast<Layout>(layout)));
        for (const CFault* fault : spoils) {
            what += ", " + fault->what;
            fault->spoil(call);
        }
        check_refused(call, what, codes);
        ++calls;
        // The library still works.
        if (good_result(layout, with_strides) == good) return;
        INFO(what);
        FAIL_CHECK("a good call gives something else after a malformed one");
    }
};

}  // namespace

TEST_CASE("every malformed C call under guard pages is refused with its code and changes nothing",
          "[codegen]") {
    int calls = 0;
    for (const frisket_layout layout : layouts)
        for (const bool with_strides : {false, true}) {
            Table table{layout, with_strides};
            for (const CFault& fault : table.faults) table.check({&fault}, {fault.code});
            calls += table.calls;
        }
    WARN(calls << " malformed C calls");
    CHECK(calls >= 650);
}

TEST_CASE("C calls with faults in two arguments are refused with the code of one and change nothing",
          "[codegen][deep]") {
    constexpr std::size_t step = 61;  // one of so many pairs is tried
    int calls = 0;
    for (const frisket_layout layout : layouts) {
        Table table{layout, true};
        std::size_t pair = 0;
        for (const CFault& first : table.faults)
            for (const CFault& second : table.faults)
                if (first.argument < second.argument && pair++ % step == 0)
                    table.check({&first, &second}, {first.code, second.code});
        calls += table.calls;
    }
    WARN(calls << " malformed C calls");
    CHECK(calls >= 650);
}

TEST_CASE("parts that a layout does not have are ignored, whatever they hold", "[codegen]") {
    for (const frisket_layout layout : layouts) {
        INFO(name_of(static_cast<Layout>(layout)));
        const std::vector<double> good = good_result(layout, false);
        CCall call(layout, false);
        const frisket_tensor nonsense{reinterpret_cast<void*>(1), 99, -7, nullptr,
                                      reinterpret_cast<const std::int64_t*>(3)};
        if (layout != FRISKET_STRIDED && layout != FRISKET_BITMASK && layout < FRISKET_CSR)
            call.grad->mask = nonsense;
        if (CCall::pointers_of(layout).empty()) {
            call.grad->pointers = nonsense.strides;
            call.grad->pointer_count = -9;
            call.grad->block_rows = call.grad->block_columns = -2;
        }
        if (layout < FRISKET_COO) {
            call.grad->index_dtype = 99;
            call.grad->rank = 1000;
            call.grad->shape = nonsense.strides;
            call.grad->indices = nonsense.strides;
            call.grad->count = -5;
        }
        CHECK(call.run() == FRISKET_OK);
        CHECK(call.result() == good_result(layout, false));
        CHECK(call.is_intact());
    }
}

namespace {

/// The gradient of a call as C++ makes it from the same lists; `mask`: the mask of the values, or none.
AnyMasked gradient_of(const CCall& call, frisket_layout layout, const std::optional<AnyTensor>& mask) {
    const Shape shape{CCall::height, CCall::width};
    const frisket_tensor& given = call.grad->values;
    const AnyTensor values(DType::float32, given.data, Shape(given.shape, given.shape + given.rank),
                           contiguous_strides(Shape(given.shape, given.shape + given.rank)), true, {});
    const Numbers indices = CCall::indices_of(layout), pointers = CCall::pointers_of(layout);
    const Blocksize block{CCall::block_rows, CCall::block_columns};
    switch (layout) {
        case FRISKET_CSR: return AnyMasked::csr(shape, pointers, indices, values, mask);
        case FRISKET_CSC: return AnyMasked::csc(shape, pointers, indices, values, mask);
        case FRISKET_BSR: return AnyMasked::bsr(shape, block, pointers, indices, values, mask);
        case FRISKET_BSC: return AnyMasked::bsc(shape, block, pointers, indices, values, mask);
        default: return AnyMasked::two_four(shape, indices, values, mask);
    }
}

}  // namespace

TEST_CASE("lists of matrices in C mean what they mean in C++, with indices of 32 and 64 bits and masks",
          "[codegen]") {
    const auto layout = GENERATE(FRISKET_CSR, FRISKET_CSC, FRISKET_BSR, FRISKET_BSC, FRISKET_TWO_FOUR);
    const bool is_narrow = GENERATE(false, true), has_mask = GENERATE(false, true);
    INFO(name_of(static_cast<Layout>(layout)) << (is_narrow ? ", int32" : "") << (has_mask ? ", mask" : ""));
    CCall call(layout, false), same(layout, false);
    std::optional<AnyTensor> mask;
    const std::int64_t count = element_count(CCall::stored_shape(layout));
    std::vector<std::uint8_t> bytes;
    for (std::int64_t i = 0; i < count; ++i) bytes.push_back(i % 3 != 1 ? 1 : 0);
    if (has_mask) {
        call.grad->mask = call.grad->values;
        call.grad->mask.dtype = FRISKET_BOOL;
        call.grad->mask.data = call.put(bytes);
        mask = AnyTensor(DType::boolean, bytes.data(), CCall::stored_shape(layout),
                         contiguous_strides(CCall::stored_shape(layout)), true, {});
    }
    if (is_narrow) {
        const auto narrow = [](const Numbers& wide) {
            return std::vector<std::int32_t>(wide.begin(), wide.end());
        };
        call.grad->index_dtype = FRISKET_INT32;
        call.grad->indices = call.put(narrow(CCall::indices_of(layout)));
        if (call.grad->pointers != nullptr)
            call.grad->pointers = call.put(narrow(CCall::pointers_of(layout)));
    }
    REQUIRE(call.run() == FRISKET_OK);

    const AnyMasked grad = gradient_of(same, layout, mask);
    const auto tensor = [](const frisket_tensor& given) {
        const Shape shape(given.shape, given.shape + given.rank);
        return AnyTensor(static_cast<DType>(given.dtype), given.data, shape, contiguous_strides(shape), true,
                         {});
    };
    aot_kernels::functions(steps::mu = *same.mu, steps::count = 3, steps::a = Tensor<float>(tensor(*same.a)),
                           steps::grad = MaskedTensor<float>(grad),
                           steps::weight = Tensor<float>(tensor(*same.weight)),
                           steps::wide = Tensor<double>(tensor(*same.wide)), steps::lr = 0.5);
    CHECK(call.result() == same.result());
    CHECK(call.result() != CCall(layout, false).result());
}

TEST_CASE("C gives true as any byte but 0", "[codegen]") {
    CCall call(FRISKET_STRIDED, false);
    auto* const mask = static_cast<std::uint8_t*>(call.grad->mask.data);
    for (std::int64_t i = 0; i < CCall::elements; ++i)
        if (mask[i] != 0) mask[i] = static_cast<std::uint8_t>(2 + i);
    CHECK(call.run() == FRISKET_OK);
    CHECK(call.result() == good_result(FRISKET_STRIDED, false));
}

}  // namespace aot_malformed_test

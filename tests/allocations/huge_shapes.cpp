// SPDX-License-Identifier: MIT
/// Shapes that are legal and larger than any memory.
#include "../support/matchers.hpp"

#include <frisket/frisket.hpp>

namespace huge_shapes_test {

using namespace frisket;
using namespace frisket::testing;

namespace {

constexpr std::int64_t huge = std::int64_t{1} << 50, longest = std::int64_t{1} << 62;

struct Case {
    const char* what;
    std::function<void()> run;
    ErrorCode code = ErrorCode::shape;
};

std::vector<Case> cases() {
    const auto list = [](Shape shape) { return MaskedTensor<float>::coo(std::move(shape), {{3}, {5}}, {1}); };
    const auto repeated = [] { return random_tensor({1}, 1).broadcast_to({huge}); };
    return {
        {"Tensor", [] { Tensor<float>({huge}); }},
        {"Tensor of bools", [] { Tensor<bool>({longest}); }},
        {"Tensor of two dimensions", [] { Tensor<double>({std::int64_t{1} << 30, std::int64_t{1} << 29}); }},
        {"full", [] { full<float>({huge}, 1); }},
        {"zeros", [] { zeros<std::int64_t>({huge}); }},
        {"ones", [] { ones<bfloat16>({huge}); }},
        {"arange", [] { arange<std::uint8_t>(longest); }},
        {"clone", [=] { repeated().clone(); }},
        {"reshape", [=] { repeated().reshape({2, huge / 2}); }},
        {"to", [=] { repeated().to(DType::float64); }},
        {"to_dense", [=] { list({huge, 1024}).to_dense(0); }},
        {"mask_tensor", [=] { list({huge, 1024}).mask_tensor(); }},
        {"to strided", [=] { list({huge, 1024}).to(Layout::strided); }},
        {"to bitmask", [=] { list({huge, 1024}).to(Layout::bitmask); }},
        {"to csr", [=] { list({huge, 1024}).to(Layout::csr); }},
        {"to csc", [=] { list({1024, huge}).to(Layout::csc); }},
        {"to csr with more rows than memory has bytes", [=] { list({longest / 8, 8}).to(Layout::csr); },
         ErrorCode::layout},
        {"to bsr", [=] { list({huge, 1024}).to(Layout::bsr); }},
        {"to two_four", [=] { list({huge, 1024}).to(Layout::two_four); }},
        {"dense values of a mask", [=] { eval(to_dense(list({huge, 1024}), 0.f)); }},
        {"interpreted", [=] { eval(to_dense(list({huge, 1024}), 0.f), {.jit = Jit::never}); }},
        {"compiled", [=] { eval(to_dense(list({huge, 1024}), 0.f), {.jit = Jit::always}); }},
    };
}

}  // namespace

TEST_CASE("a shape for which there is no memory is an error that names it", "[allocations]") {
    for (const Case& one : cases()) {
        INFO(one.what);
        try {
            one.run();
            FAIL_CHECK("gave something");
        } catch (const Error& error) {
            INFO(error.what());
            CHECK(error.code() == one.code);
            CHECK(std::string(error.what()).find("shape [") != std::string::npos);
        } catch (const std::exception& error) { FAIL_CHECK("threw " << error.what()); }
    }
}

}  // namespace huge_shapes_test

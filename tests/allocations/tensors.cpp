// SPDX-License-Identifier: MIT
/// Tensors, masked tensors and their conversions whose allocations fail one by one.
#include "bytes.hpp"

#include <frisket/frisket.hpp>

namespace tensors_test {

using namespace frisket;
using namespace frisket::testing;

TEST_CASE("a tensor is made, copied or seen otherwise whole or not at all", "[allocations]") {
    const Tensor<float> t = random_tensor({6, 4}, 1);
    const auto check = [](const std::string& what, const auto& make) {
        check_every_allocation(what, [=] { return giving([=] { return bytes_in({make()}); }); });
    };
    check("full", [] { return full<float>({3, 4}, 2); });
    check("arange", [] { return arange<std::int32_t>(7); });
    check("elements", [] { return Tensor<double>({2, 2}, {1, 2, 3, 4}); });
    check("clone", [=] { return t.transpose(0, 1).clone(); });
    check("reshape", [=] { return t.transpose(0, 1).reshape({3, 8}); });
    check("slice", [=] { return t.slice(1, 1, 3); });
    check("to", [=] { return t.to<std::int64_t>(); });
    check("broadcast_to", [=] { return t.broadcast_to({2, 6, 4}); });
    check_every_allocation("assignment", [=] {
        struct Two { Tensor<float> a, b; };
        auto two = std::make_shared<Two>(Two{random_tensor({2, 2}, 1), random_tensor({3, 1, 1, 1, 1}, 2)});
        return Operation{.run = [=] { two->a = two->b; },
                         .bytes = [=] { return to_string(two->a.shape()) + bytes_in({two->a}); }};
    });
    check_every_allocation("copy", [=] {
        auto to = std::make_shared<Tensor<float>>(random_tensor({4, 6}, 2));
        return Operation{.run = [=] { copy(t.transpose(0, 1), *to); },
                         .bytes = [=] { return bytes_in({*to}); }};
    });
    check_every_allocation("text", [=] { return giving([=] { return to_string(t); }); });
}

TEST_CASE("a masked tensor is converted whole or not at all", "[allocations]") {
    for (const Layout from : all_layouts()) {
        const auto make = [from] {
            return random_masked<float>({8, 8}, specified(from == Layout::two_four ? 0.2 : 0.4), from, 5,
                                        from == Layout::coo || from == Layout::rows ? Listed::with_duplicates
                                                                                    : Listed::ascending);
        };
        const auto check = [&](const std::string& what, const auto& use) {
            check_every_allocation(std::string(name_of(from)) + ", " + what, [=] {
                const auto m = make();
                return giving([=] { return use(m); });
            });
        };
        for (const Layout to : all_layouts()) {
            try {
                make().to(to);
            } catch (const LayoutError&) { continue; }
            check("to " + std::string(name_of(to)), [=](const auto& m) { return bytes_in(m.to(to)); });
        }
        check("to_dense", [](const auto& m) { return bytes_in({m.to_dense(3)}); });
        check("mask_tensor", [](const auto& m) { return bytes_in({m.mask_tensor()}); });
        check("coalesce", [](const auto& m) { return bytes_in(m.coalesce()); });
        check("clone", [](const auto& m) { return bytes_in(m.clone()); });
        check("specified_count", [](const auto& m) { return std::to_string(m.specified_count()); });
        check("text", [](const auto& m) { return to_string(m); });
        check("mask", [](const auto& m) { return std::to_string(same(m, m.clone())); });
    }
}

TEST_CASE("a masked tensor is made from lists whole or not at all", "[allocations]") {
    const auto check = [](const std::string& what, const auto& make) {
        check_every_allocation(what, [=] { return giving([=] { return bytes_in(make()); }); });
    };
    check("coo", [] { return MaskedTensor<float>::coo({2, 4}, {{0, 1, 1}, {2, 0, 2}}, {3, 4, 5}); });
    check("csr", [] { return MaskedTensor<float>::csr({2, 4}, {0, 1, 3}, {2, 0, 2}, {3, 4, 5}); });
    check("rows", [] { return MaskedTensor<float>::rows({5, 2}, {3, 1}, {1, 2, 3, 4}); });
    check("strided", [] { return masked(random_tensor({3, 4}, 1), random_mask({3, 4}, specified(0.5), 2)); });
}

}  // namespace tensors_test

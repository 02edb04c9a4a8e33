// SPDX-License-Identifier: MIT
#pragma once
#include "../../support/oracle.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <frisket/frisket.hpp>

#include <vector>

/// Helpers for tests of expressions over lists.
namespace frisket::testing {

inline constexpr std::int64_t huge = std::int64_t{1} << 40;  // extent of which no dense tensor can be made

/// Both ways of an expression, one after the other.
inline EvalOptions options() { return {.jit = GENERATE(Jit::always, Jit::never)}; }

/// A list as values and mask; unspecified elements are 3.
template <class T>
MaskedTensor<T> strided(const MaskedTensor<T>& listed) {
    return masked(listed.to_dense(T{3}), listed.mask_tensor());
}

/// A list in a matrix of 10 columns and more, whatever the number of its rows.
inline MaskedTensor<float> coo_of(std::int64_t rows, std::int64_t columns) {
    return MaskedTensor<float>::coo({rows, columns}, {{7, 5, rows - 1, 5}, {1, 2, 3, 9}}, {3, 4, 12, -2});
}

inline MaskedTensor<float> huge_coo() { return coo_of(huge, 1 << 20); }

/// The values that a list stores, in their order.
template <class T>
std::vector<T> stored_values(const MaskedTensor<T>& listed) {
    const Tensor<const T> values(listed.values());
    return std::vector<T>(values.data(), values.data() + values.size());
}

/// Checks that an expression over a list is a list, coo or in its layout, and equals the result over the same
/// as values and mask, and the interpreter's, bit for bit: where there are sums, values are such that they
/// are exact in any order.
template <class T, class Make>
void check_as_strided(const MaskedTensor<T>& m, const EvalOptions& how, Make&& make) {
    const auto found = eval(make(m), how);
    CHECK((found.layout() == Layout::coo || found.layout() == m.layout()));
    CHECK(same(found, eval(make(strided(m)), how)));
    CHECK(same(found, oracle(make(m))));
}

/// Two results whose terms may be summed in another order, so that sums may differ by a rounding.
template <class T>
void check_close(const MaskedTensor<T>& found, const MaskedTensor<T>& wanted) {
    CHECK(same(found.mask_tensor(), wanted.mask_tensor()));
    CHECK(allclose(found.to_dense(0), wanted.to_dense(0), 1e-6));
}

}  // namespace frisket::testing

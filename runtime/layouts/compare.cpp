// SPDX-License-Identifier: MIT
#include <cmath>

#include "../tensor/elements.hpp"
#include "../tensor/masked_tensor.hpp"
#include "../tensor/runs.hpp"
#include "layout_traits.hpp"

/// same and allclose.
namespace frisket {

using namespace runtime;

namespace {

template <class T>
bool close(T a, T b, double rtol, double atol) {
    if (a == b) return true;
    const auto x = static_cast<double>(a), y = static_cast<double>(b);
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
    if (std::isinf(x) || std::isinf(y)) return false;
    return std::abs(x - y) <= atol + rtol * std::abs(y);
}

}  // namespace

bool same(const AnyTensor& a, const AnyTensor& b) {
    a.check_not_moved("same");
    b.check_not_moved("same");
    if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
    bool is_same = true;
    dispatch_width(a.dtype(), [&]<class U>() {
        const Reader<U> in_a(a.data()), in_b(b.data());
        for_each_run<2>(a.shape(), {a.strides(), b.strides()}, [&](const Run<2>& run) {
            for (std::int64_t i = 0; i < run.count; ++i)
                is_same &= in_a[run.offset[0] + i * run.step[0]] == in_b[run.offset[1] + i * run.step[1]];
        });
    });
    return is_same;
}

bool same(const AnyMasked& a, const AnyMasked& b) {
    a.check_not_moved("same");
    b.check_not_moved("same");
    if (a.dtype() != b.dtype() || !same_mask(a, b)) return false;
    return same(traits_of(a.layout()).entries(a).values, traits_of(b.layout()).entries(b).values);
}

bool allclose(const AnyTensor& a, const AnyTensor& b, double rtol, double atol) {
    a.check_not_moved("allclose");
    b.check_not_moved("allclose");
    if (a.dtype() != b.dtype())
        throw DTypeError("allclose: " + std::string(name_of(a.dtype())) + " and " +
                         std::string(name_of(b.dtype())) + ": both must have the same dtype");
    if (a.shape() != b.shape()) return false;
    bool is_close = true;
    dispatch(a.dtype(), [&]<class T>() {
        const Reader<T> in_a(a.data()), in_b(b.data());
        for_each_run<2>(a.shape(), {a.strides(), b.strides()}, [&](const Run<2>& run) {
            for (std::int64_t i = 0; i < run.count && is_close; ++i)
                is_close = close(in_a[run.offset[0] + i * run.step[0]], in_b[run.offset[1] + i * run.step[1]],
                                 rtol, atol);
        });
    });
    return is_close;
}

}  // namespace frisket

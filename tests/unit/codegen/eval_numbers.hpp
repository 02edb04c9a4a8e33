// SPDX-License-Identifier: MIT
#pragma once
#include "../../support/child.hpp"
#include "../../support/folder.hpp"
#include "../../support/random.hpp"

#include <frisket/frisket.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

/// Expressions with many host scalars, and the fate of their loops.
namespace frisket::testing {

inline constexpr int values_of_each = 1000;

/// The numbers at which floats end first, then any.
inline std::vector<double> floats() {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    std::vector<double> values{0.25,
                               1,
                               0.0,
                               -0.0,
                               infinity,
                               -infinity,
                               1e300,
                               -1e300,
                               1e-310,
                               -1e-45,
                               0x1p-20,
                               0x1p53 + 2,
                               3.4028235677973366e38,
                               0x1.000001p-149,
                               2,
                               -2};
    values.push_back(std::numeric_limits<double>::quiet_NaN());
    Random random(1);
    while (values.size() < values_of_each)
        values.push_back(std::ldexp(1 + 0x1p-20 * static_cast<double>(random.below(1 << 20)),
                                    static_cast<int>(random.below(60)) - 30));
    return values;
}

inline std::vector<std::int64_t> whole_numbers() {
    constexpr std::int64_t exact = std::int64_t{1} << 53;
    std::vector<std::int64_t> values{3,
                                     std::numeric_limits<std::int64_t>::max(),
                                     std::numeric_limits<std::int64_t>::min(),
                                     exact + 1,
                                     -exact - 1,
                                     (exact << 1) + 3,
                                     0x7fff'ffff'4000'0001,
                                     std::int64_t{1} << 31,
                                     -(std::int64_t{1} << 31) - 1};
    for (std::int64_t n = -64; n < values_of_each; ++n)
        if (n != 0 && values.size() < values_of_each) values.push_back(n);
    return values;
}

/// Numbers that int32 holds, the only numbers that may meet elements of int32.
inline std::vector<std::int64_t> narrow_numbers() {
    std::vector<std::int64_t> values = whole_numbers();
    using Limits = std::numeric_limits<std::int32_t>;
    std::erase_if(values, [](std::int64_t v) { return v < Limits::min() || v > Limits::max(); });
    values.insert(values.end(), {Limits::max(), Limits::min()});
    return values;
}

/// Equal bits; all NaN are equal.
inline bool same_values(const AnyTensor& a, const AnyTensor& b) {
    if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
    return dispatch(a.dtype(), [&]<class T>() {
        const AnyTensor left = a.clone(), right = b.clone();
        for (std::int64_t i = 0; i < a.size(); ++i) {
            const T x = static_cast<const T*>(left.data())[i], y = static_cast<const T*>(right.data())[i];
            if constexpr (std::is_floating_point_v<T>)
                if (std::isnan(x) && std::isnan(y)) continue;
            if (std::memcmp(&x, &y, sizeof x) != 0) return false;
        }
        return true;
    });
}

/// Loops from objects in this process: memory that can be run, and is of no file.
inline int mappings() {
    std::ifstream maps("/proc/self/maps");
    int count = 0;
    for (std::string line; std::getline(maps, line);)
        count += line.find(" r-xp 00000000 00:00 0") != line.npos && line.find('[') == line.npos ? 1 : 0;
    return count;
}

inline Tensor<float> elements() {
    Tensor<float> x = random_tensor<float>({2, 35}, 3);
    const float infinity = std::numeric_limits<float>::infinity();
    const float special[] = {0.0F, -0.0F, infinity, -infinity, std::nanf(""), 1e-42F, 1.0F, 3.0e38F};
    std::copy(std::begin(special), std::end(special), x.data() + 9);
    return x;
}

inline Tensor<double> wide_elements() {
    const Tensor<float> x = elements();
    return eval(cast<double>(x) * 1.1, {.jit = Jit::never});
}

template <class T>
Tensor<T> whole_elements() {
    Tensor<T> x = arange<T>(70);
    x.data()[3] = std::numeric_limits<T>::max();
    x.data()[4] = std::numeric_limits<T>::min();
    x.data()[5] = -7;
    return x;
}

inline MaskedTensor<float> masked_elements(Layout layout) {
    return random_masked<float>({8, 12}, specified(0.4), layout, 5, Listed::ascending);
}

/// The number that a child printed after "NAME ", or -1.
inline int said(const ChildResult& child, const std::string& name) {
    const auto at = child.output.find(name + " ");
    return at == std::string::npos ? -1 : std::atoi(child.output.c_str() + at + name.size() + 1);
}

/// Runs a hidden test with a folder of loops of its own.
inline ChildResult run_counted(const std::string& test, const std::string& more) {
    const Folder folder;
    return run_child("child: " + test,
                     "FRISKET_SHOW=cache FRISKET_CACHE_DIR=" + (folder / "jit") + " " + more);
}

/// Loops that it compiled or read.
inline int made(const ChildResult& child) { return count_of(child.output, "--- cache: "); }

}  // namespace frisket::testing

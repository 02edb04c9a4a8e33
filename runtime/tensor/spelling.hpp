// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <string>
#include <string_view>

namespace frisket::runtime {

/// Advice to users of the Python package where loops are missing.
inline constexpr std::string_view compiler_wanted =
    "needs the compiler: pip install halide==21.0.0 on Python 3.11 to 3.13";

/// A sentence of an error as users of the Python package write its code: `to_dense(x, fill)` is
/// `fk.to_dense(x, fill)`, `cast<float>(x)` is `fk.cast(x, "float32")`.
std::string python_spelling(std::string sentence);

}  // namespace frisket::runtime

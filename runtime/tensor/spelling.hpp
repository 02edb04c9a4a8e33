// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <string>

namespace frisket::runtime {

/// A sentence of an error as users of the Python package write its code: `to_dense(x, fill)` is
/// `fk.to_dense(x, fill)`, `cast<float>(x)` is `fk.cast(x, "float32")`.
std::string python_spelling(std::string sentence);

}  // namespace frisket::runtime

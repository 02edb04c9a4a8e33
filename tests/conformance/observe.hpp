// SPDX-License-Identifier: MIT
#pragma once
#include "backend.hpp"
#include "program.hpp"

#include <string>
#include <vector>

namespace conformance {

/// What a run left: values, and which elements were written.
struct Observed {
    frisket::DType dtype = frisket::DType::float32;
    frisket::Shape shape;
    bool is_masked = false;
    std::vector<double> values;  ///< row-major; 0 where nothing was written
    std::vector<bool> written;
    std::string
        fault;  ///< empty, or what no run may do: write beyond its target, depend on unspecified bytes
};

/// Runs a step twice, on targets and unspecified inputs of two poisons: an element counts as written unless
/// both targets still hold theirs, and both runs must agree.
/// Errors: the library's.
std::vector<Observed> observe(const Step& step, const std::vector<Value>& inputs, const Backend& backend);

}  // namespace conformance

// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "aot_module.hpp"

namespace frisket::kernel_calls {

/// Memory of the caller's for the results of a function called from C.
class CResults {
public:
    /// Errors: ValueError for null pointers.
    CResults(std::string function, std::span<frisket_result* const> results);
    /// Tells the caller dtypes and shapes; true if that is all that is asked for.
    /// Errors: LayoutError for layouts that results do not come in.
    bool describe(std::span<const aot::ResultForm> forms);
    /// Writes the values, or tells the caller how many there are, if memory was not given.
    /// Errors: LayoutError if a layout cannot hold a result; ShapeError if memory is too small, ValueError if
    /// parts of it overlap.  Nothing is written then.
    void write(std::vector<aot::Value> values);

private:
    struct Copy;
    void fill(std::size_t i, aot::Value& value, std::vector<Copy>& copies) const;
    void check_place(const Copy& copy) const;
    std::string name(std::size_t i) const;

    std::string function_;
    std::span<frisket_result* const> results_;
    std::vector<bool> is_masked_;
};

}  // namespace frisket::kernel_calls

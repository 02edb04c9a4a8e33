// SPDX-License-Identifier: MIT
// Finds parameters by the memory that they occupy.
#pragma once
#include "../runtime/tensor/overlap.hpp"

#include <string>
#include <vector>

namespace frisket::optim {

/// The memory of an optimizer's parameters, to find the one that a tensor overlaps.
class ParameterMemory {
public:
    /// Parameters without elements have no memory.
    void add(std::string name, const AnyTensor& tensor);
    /// The name of a parameter that shares a byte with a tensor, or null.
    /// Cost: a binary search where parameters do not overlap.
    const std::string* overlapping(const AnyTensor& tensor) const;

private:
    struct Entry {
        runtime::ByteRange range;
        std::uintptr_t furthest;  // the largest end of this range and those before it
        std::string name;
        AnyTensor tensor;
    };
    std::vector<Entry> entries_;  // ascending by where they begin
};

}  // namespace frisket::optim

// SPDX-License-Identifier: MIT
// Checks that masked arguments list the same rows.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "../../runtime/iterate/row_parts.hpp"
#include "../../runtime/kernel/argument.hpp"

namespace frisket::codegen {

/// Masked arguments of layout rows with one list: they share it, or have lists of the same rows without
/// duplicates.
class SameRows {
public:
    /// Takes the arguments with these numbers; returns nothing if one has another layout, or other rows.
    static std::optional<SameRows> of(std::span<const int> masked, std::span<const Argument> arguments);
    /// Number of the listed rows.
    std::int64_t count() const { return all_.front().values().shape()[0]; }
    /// The rows, on the processor.
    const IndexList& index() const { return *all_.front().index(); }
    /// The rows, on a device: int32.
    const AnyTensor& places() const { return all_.front().places(); }
    /// Their values, in the order of the list.
    std::vector<kernel_calls::ListedRows> rows() const;

private:
    std::vector<AnyMasked> all_;
};

}  // namespace frisket::codegen

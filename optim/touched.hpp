// SPDX-License-Identifier: MIT
// Internal: the rows of a parameter that a gradient touches.
#pragma once
#include "../runtime/kernel/argument.hpp"

#include <cstdint>
#include <vector>

namespace frisket::optim {

/// Rows of a parameter (all that is under one index of the first dimension; a number is one row) of which a
/// gradient specifies an element.
struct TouchedRows {
    bool all = false;
    std::vector<std::int64_t> rows = {};  ///< ascending, if not all
    AnyTensor places = {};                ///< in place of them, on a device: int32
};

/// A gradient with the rows that it touches specified whole: what it does not specify there is zero.
/// Cost: linear in the stored elements of the gradient, and in the touched rows.
class WholeRows {
public:
    /// Must outlive the results of gradient(), which may refer to it.
    explicit WholeRows(const Argument& gradient);

    Argument gradient() const { return is_masked_ ? Argument::borrow(masked_) : given_; }
    const TouchedRows& rows() const { return rows_; }

private:
    void list(const AnyMasked& gradient);
    void fill(const AnyMasked& gradient);
    void fill_on_device(const AnyMasked& gradient);

    Argument given_;
    bool is_masked_ = false;
    AnyMasked masked_;
    TouchedRows rows_;
};

}  // namespace frisket::optim

// SPDX-License-Identifier: MIT
#pragma once
#include "../support/guarded.hpp"
#include "../support/poison.hpp"

#include <frisket/runtime.hpp>

namespace conformance {

using frisket::testing::Poison;

/// A tensor for a result, all of it poison: a byte that still holds the poison of two runs was written by
/// neither. It is between red zones; with the signalling poison its last byte is the last before a page
/// that must not be touched.
class Target {
public:
    Target(frisket::DType dtype, const frisket::Shape& shape, Poison poison);

    const frisket::AnyTensor& tensor() const { return tensor_; }
    bool is_written(std::int64_t position) const;
    bool zones_are_intact() const { return buffer_.is_intact(); }
    /// True if an element has equal bytes in both, or is NaN in both.
    bool has_same(const Target& other, std::int64_t position) const;

private:
    Poison poison_;
    frisket::testing::GuardedBuffer buffer_;
    frisket::AnyTensor tensor_;
};

}  // namespace conformance

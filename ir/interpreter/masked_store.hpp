// SPDX-License-Identifier: MIT
// Stores new elements of a target where its mask is true.
#pragma once
#include "tensor_kernels.hpp"
#include "tensor_kernels_walk.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace frisket::ir {

/// New elements of a target, to be stored where an update reaches, so that no other byte changes.
class MaskedStore {
public:
    MaskedStore(const AnyTensor& target, const AnyTensor& value, const AnyTensor& written)
        : target_(target),
          value_(value),
          written_(written),
          strides_{target.strides(), tensor_kernels::seen_as(value, target.shape()),
                   tensor_kernels::seen_as(written, target.shape())} {}

    void run() const noexcept {
        if (target_.size() > 0) store(0, {});
    }

private:
    using Offsets = std::array<std::int64_t, 3>;

    void store(std::size_t dim, Offsets at) const noexcept {
        const Shape& shape = target_.shape();
        if (dim == shape.size()) return store(at);
        for (std::int64_t i = 0; i < shape[dim]; ++i) {
            store(dim + 1, at);
            for (std::size_t k = 0; k < at.size(); ++k) at[k] += strides_[k][dim];
        }
    }
    void store(const Offsets& at) const noexcept {
        if (!tensor_kernels::element<bool>(written_, at[2])) return;
        const int bytes = bytes_of(target_.dtype());
        std::copy_n(static_cast<const std::byte*>(value_.data()) + at[1] * bytes, bytes,
                    static_cast<std::byte*>(target_.data()) + at[0] * bytes);
    }

    AnyTensor target_, value_, written_;
    std::array<Strides, 3> strides_;
};

}  // namespace frisket::ir

// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "../support/failing_allocations.hpp"
#include "../support/random.hpp"

/// The bytes of tensors, row-major, one tensor after the other.
namespace frisket::testing {

inline std::string bytes_in(const std::vector<AnyTensor>& tensors) {
    std::string bytes;
    for (const AnyTensor& tensor : tensors) {
        const AnyTensor whole = tensor.is_contiguous() ? tensor : tensor.clone();
        bytes.append(static_cast<const char*>(whole.data()),
                     static_cast<std::size_t>(whole.size() * bytes_of(whole.dtype())));
    }
    return bytes;
}

inline std::string bytes_in(const AnyMasked& masked) {
    return to_string(masked.shape()) + bytes_in({masked.to_dense(0), masked.mask_tensor()});
}

/// Something that returns a value and writes nothing: the value's bytes, nothing before there is one.
template <class Make>
Operation giving(Make make) {
    struct Given { std::string bytes; };
    auto given = std::make_shared<Given>();
    return {.run = [given, make] { given->bytes = make(); }, .bytes = [given] { return given->bytes; }};
}

}  // namespace frisket::testing

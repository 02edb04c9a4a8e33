// SPDX-License-Identifier: MIT
#include "target.hpp"

#include <cstring>

using namespace frisket;

namespace conformance {

namespace {

unsigned char* element(const AnyTensor& tensor, std::int64_t position) {
    return static_cast<unsigned char*>(tensor.data()) + position * bytes_of(tensor.dtype());
}

}  // namespace

Target::Target(DType dtype, const Shape& shape, Poison poison)
    : poison_(poison),
      buffer_(static_cast<std::size_t>(element_count(shape) * bytes_of(dtype)),
              {.misalignment = 0, .at_page_end = poison == Poison::signalling}),
      tensor_(dtype, buffer_.data(), shape, contiguous_strides(shape), true, nullptr) {
    dispatch(dtype, [&]<class T>() {
        const auto bits = testing::poison_bits<T>(poison_);
        for (std::int64_t i = 0; i < tensor_.size(); ++i)
            std::memcpy(element(tensor_, i), &bits, sizeof bits);
    });
}

bool Target::is_written(std::int64_t position) const {
    return dispatch(tensor_.dtype(), [&]<class T>() {
        const auto bits = testing::poison_bits<T>(poison_);
        return std::memcmp(element(tensor_, position), &bits, sizeof bits) != 0;
    });
}

bool Target::has_same(const Target& other, std::int64_t position) const {
    return dispatch(tensor_.dtype(), [&]<class T>() {
        using Stored = std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>;
        Stored a, b;
        std::memcpy(&a, element(tensor_, position), sizeof a);
        std::memcpy(&b, element(other.tensor_, position), sizeof b);
        return a == b || (a != a && b != b);
    });
}

}  // namespace conformance

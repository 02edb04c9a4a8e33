// SPDX-License-Identifier: MIT
#include "argument.hpp"

#include <memory>

namespace frisket {

Argument::Argument(AnyTensor&& tensor) : kind_(Kind::tensor) {
    tensor.check_not_moved("an argument of a call");
    auto held = std::make_shared<const AnyTensor>(std::move(tensor));
    tensor_ = held.get();
    held_ = std::move(held);
}

Argument::Argument(AnyMasked&& masked) : kind_(Kind::masked) {
    masked.check_not_moved("an argument of a call");
    auto held = std::make_shared<const AnyMasked>(std::move(masked));
    masked_ = held.get();
    held_ = std::move(held);
}

}  // namespace frisket

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

std::vector<Shape> shapes_of(std::span<const Argument> arguments) {
    std::vector<Shape> shapes;
    for (const Argument& argument : arguments) {
        const bool has_shape =
            argument.kind() == Argument::Kind::tensor || argument.kind() == Argument::Kind::masked;
        shapes.push_back(has_shape ? argument.shape() : Shape{});
    }
    return shapes;
}

}  // namespace frisket

// SPDX-License-Identifier: MIT
#include "list_coordinates.hpp"

namespace frisket::planning {

std::vector<Tensor<std::int64_t>> indices_of(const runtime::IndexView& positions, const Shape& shape) {
    std::vector<Tensor<std::int64_t>> indices;
    for (std::size_t d = 0; d < shape.size(); ++d) indices.emplace_back(Shape{positions.size()});
    for (std::int64_t i = 0; i < positions.size(); ++i) {
        std::int64_t rest = positions[i];
        for (std::size_t d = shape.size(); d-- > 0;) {
            indices[d].data()[i] = rest % shape[d];
            rest /= shape[d];
        }
    }
    return indices;
}

}  // namespace frisket::planning

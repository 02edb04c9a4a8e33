// SPDX-License-Identifier: MIT
#include "indexing.hpp"

namespace frisket::op {

ir::Value Subscript::lower(ir::Value x) const {
    int dim = 0;
    for (const IndexSpec& index : indices) {
        if (index.kind == IndexSpec::Kind::newaxis) {
            x = ir::unsqueeze(x, dim++);
            continue;
        }
        if (dim >= x.rank())
            x.graph->fail(ErrorCode::dim, "more indices than dimensions: the shape left is " +
                                              to_string(x.shape()) + ", write at most as many as there are");
        if (index.kind == IndexSpec::Kind::select)
            x = ir::select(x, dim, *index.start);
        else
            x = ir::slice(x, dim++, index.start, index.end, index.step);
    }
    return x;
}

}  // namespace frisket::op

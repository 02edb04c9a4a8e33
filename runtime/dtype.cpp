// SPDX-License-Identifier: MIT
#include "dtype.hpp"

#include <string>

#include "error.hpp"

namespace frisket::detail {

void refuse_dtype(DType dtype) {
    std::string names;
    for (const DTypeInfo& row : dtypes) names += (names.empty() ? "" : ", ") + std::string(row.name);
    throw DTypeError("dtype: number " + std::to_string(static_cast<int>(dtype)) +
                     " was cast to a dtype and is none: use one of " + names);
}

}  // namespace frisket::detail

// SPDX-License-Identifier: MIT
#include "dtype.hpp"

#include <string>

#include "../support/joined.hpp"
#include "error.hpp"

namespace frisket::detail {

void refuse_dtype(DType dtype) {
    throw DTypeError("dtype: number " + std::to_string(static_cast<int>(dtype)) +
                     " was cast to a dtype and is none: use one of " +
                     runtime::joined(dtypes, &DTypeInfo::name));
}

}  // namespace frisket::detail

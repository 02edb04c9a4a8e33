// SPDX-License-Identifier: MIT
#include "dtype.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include "../support/joined.hpp"
#include "error.hpp"

namespace frisket {

DType parse_dtype(std::string_view name) {
    const auto* const found = std::ranges::find(dtypes, name, &DTypeInfo::name);
    if (found != std::end(dtypes)) return found->dtype;
    throw DTypeError("dtype: there is no \"" + std::string(name) + "\": use one of " +
                     runtime::joined(dtypes, &DTypeInfo::name));
}

namespace detail {

void refuse_dtype(DType dtype) {
    throw DTypeError("dtype: number " + std::to_string(static_cast<int>(dtype)) +
                     " was cast to a dtype and is none: use one of " +
                     runtime::joined(dtypes, &DTypeInfo::name));
}

}  // namespace detail

}  // namespace frisket

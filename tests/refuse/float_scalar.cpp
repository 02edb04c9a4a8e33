// says: frisket: a Scalar is a double or a std::int64_t
// SPDX-License-Identifier: MIT
#include "given.hpp"

constexpr Scalar<"momentum", float> wrong;

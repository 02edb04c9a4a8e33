// SPDX-License-Identifier: MIT
#include "sources_hash.hpp"

#include "sources_id.hpp"

namespace frisket::codegen {

std::string_view sources_hash() { return sources_id; }

}  // namespace frisket::codegen

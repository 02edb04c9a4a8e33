// SPDX-License-Identifier: MIT
// Internal.
#pragma once
#include <cstdint>

#include "../kernel/scratch.hpp"

/// Tensors that a call broadcasts: flat loops read their values side by side, made for each part.
namespace frisket::kernel_calls {

inline bool is_repeated(const Call& call, int i) {
    return call.is_tensor(i) && call.scratch.flat[i].repeated != nullptr;
}
/// True if the call has such tensors.
bool repeats(const Call& call);

/// Makes their values for the elements of a part, in the memory of the part.
void repeat_values(const Call& call, Scratch& scratch, std::int64_t begin, std::int64_t count);

}  // namespace frisket::kernel_calls

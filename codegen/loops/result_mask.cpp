// SPDX-License-Identifier: MIT
#include "result_mask.hpp"

#include <algorithm>
#include <cstdint>

#include "../../runtime/support/parallel.hpp"
#include "../../runtime/tensor/bitmask_ops.hpp"
#include "../../runtime/tensor/byte_mask.hpp"
#include "../../runtime/tensor/result_memory.hpp"
#include "../limits.hpp"

namespace frisket::codegen {

namespace {

/// A copy of a mask, in tasks of whole words.
struct MaskCopy {
    const AnyMasked& masked;
    std::uint8_t* to;

    void run(int task) const {
        const std::int64_t begin = task * limits::mask_task,
                           end = std::min(begin + limits::mask_task, masked.size());
        const void* const from = masked.mask().data();
        if (masked.layout() == Layout::bitmask)
            runtime::unpack_bits(static_cast<const std::uint64_t*>(from), begin / 64, (end + 63) / 64,
                                 masked.size(), to);
        else
            runtime::copy_truth(static_cast<const std::uint8_t*>(from) + begin, to + begin, end - begin);
    }
};

}  // namespace

AnyTensor copied_mask(const AnyMasked& masked) {
    AnyTensor mask = runtime::result_tensor(DType::boolean, masked.shape());
    MaskCopy copy{masked, static_cast<std::uint8_t*>(mask.data())};
    const auto tasks = static_cast<int>((masked.size() + limits::mask_task - 1) / limits::mask_task);
    if (tasks == 1) copy.run(0);
    if (tasks > 1)
        runtime::run_tasks(
            tasks, [](void* closure, int i) { static_cast<const MaskCopy*>(closure)->run(i); }, &copy);
    return mask;
}

}  // namespace frisket::codegen

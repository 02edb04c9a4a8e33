// SPDX-License-Identifier: MIT
#include "../../runtime/io/dlpack.hpp"
#include "../../runtime/kernel/aot_module.hpp"

namespace frisket::aot {

int from_dlpack(const void* dl_tensor, frisket_tensor* tensor) noexcept {
    return report_errors([&] {
        const DLPackView view = view_dlpack(dl_tensor);
        *tensor = {view.data, static_cast<int>(view.dtype), view.rank, view.shape, view.strides};
    });
}

}  // namespace frisket::aot

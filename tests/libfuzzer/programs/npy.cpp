// SPDX-License-Identifier: MIT
#include "../../../runtime/io/tensor_files.hpp"
#include "input.hpp"

using namespace frisket;
using namespace frisket::testing;

/// A file that load_npy takes is one that save_npy writes back.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const InputFile input(".npy"), output(".saved.npy");
    expect_error_or_nothing([&] {
        const AnyTensor loaded = load_npy(input.with(data, size));
        const std::string& path = output.with(nullptr, 0);
        save_npy(path, loaded);
        if (!same(load_npy(path), loaded)) std::abort();
    });
    return 0;
}

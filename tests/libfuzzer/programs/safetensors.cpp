// SPDX-License-Identifier: MIT
#include "../../../runtime/io/tensor_files.hpp"
#include "input.hpp"

using namespace frisket;
using namespace frisket::testing;

/// A file that load_safetensors takes is one that save_safetensors writes back.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const InputFile input(".safetensors"), output(".saved.safetensors");
    expect_error_or_nothing([&] {
        const Safetensors loaded = load_safetensors(input.with(data, size));
        const std::string& path = output.with(nullptr, 0);
        save_safetensors(path, loaded.tensors, loaded.metadata);
        const Safetensors again = load_safetensors(path);
        if (again.metadata != loaded.metadata || again.tensors.size() != loaded.tensors.size()) std::abort();
        for (const NamedTensor& tensor : loaded.tensors) {
            bool is_found = false;
            for (const NamedTensor& other : again.tensors)
                is_found |= other.name == tensor.name && same(other.tensor, tensor.tensor);
            if (!is_found) std::abort();
        }
    });
    return 0;
}

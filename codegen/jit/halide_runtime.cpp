// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "halide_runtime.hpp"

namespace frisket::codegen {

void write_halide_runtime(const std::string& file) {
    // The target has no instruction set: this runtime finds out which there are.
    const Halide::Target host = Halide::get_host_target();
    Halide::Target target(host.os, host.arch, host.bits);
#if defined(__SANITIZE_THREAD__)
    target.set_feature(Halide::Target::TSAN);
#endif
    Halide::compile_standalone_runtime({{Halide::OutputFileType::object, file}}, target);
}

}  // namespace frisket::codegen

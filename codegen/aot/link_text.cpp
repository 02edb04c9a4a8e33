// SPDX-License-Identifier: MIT
#include "text_parts.hpp"

/// Files that linkers and pkg-config read.
namespace frisket::aot {

std::string exported_symbols(const Library& library) {
    std::string names;
    for (const char* const function : {"last_error", "from_dlpack", "describe"})
        names += "    " + library.name + "_" + function + ";\n";
    if (library.has_devices()) names += "    " + library.name + "_device_*;\n";
    for (const LibraryStep& step : library.steps)
        names += "    " + library.name + "_" + step.name + "_sized;\n";
    return "{\nglobal:\n" + names + "local:\n    *;\n};\n";
}

std::string pkg_config(const Library& library) {
    const bool is_shared = !library.version.empty();
    const std::string parts = library.optimizers.empty() ? "frisket-plans" : "frisket-optim";
    return fill("prefix=${pcfiledir}/../..\n"
                "includedir=${prefix}/include\n"
                "libdir=${prefix}/lib\n"
                "\n"
                "Name: @NAME@\n"
                "Description: Kernels compiled ahead of time by frisket from @HEADER@\n"
                "Version: @VERSION@\n"
                "@REQUIRES@"
                "Cflags: -I${includedir}\n"
                "Libs: -L${libdir} -l@NAME@@UNUSED@\n",
                {{"NAME", library.name},
                 {"HEADER", library.header},
                 // Programs of these kernels hold only the functions that they call.
                 {"UNUSED", is_shared ? "" : " -Wl,--gc-sections"},
                 {"VERSION", is_shared ? library.version : "1"},
                 {"REQUIRES", is_shared ? "" : "Requires: " + parts + "\n"}});
}

}  // namespace frisket::aot

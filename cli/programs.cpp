// SPDX-License-Identifier: MIT
#include "programs.hpp"

#include <link.h>

#include <string_view>

#include "../runtime/tensor/error.hpp"

namespace frisket::cli {

namespace {

namespace fs = std::filesystem;

/// The shared libraries of this process whose names begin so.
std::vector<fs::path> loaded(std::initializer_list<std::string_view> names) {
    struct Search {
        std::initializer_list<std::string_view> names;
        std::vector<fs::path> found = {};
    } search{names};
    const auto look = [](dl_phdr_info* info, std::size_t /*size*/, void* data) {
        auto& to = *static_cast<Search*>(data);
        const fs::path file = info->dlpi_name;
        for (const std::string_view name : to.names)
            if (file.filename().string().starts_with(name)) to.found.push_back(file);
        return 0;
    };
    dl_iterate_phdr(look, &search);
    return search.found;
}

fs::path folder_of_program() { return fs::read_symlink("/proc/self/exe").parent_path(); }

}  // namespace

Parts find_parts() {
    const fs::path folder = folder_of_program();
    // Installed, and in a build.
    const Parts places[] = {{folder / "../../include", folder / "../.." / FRISKET_LIBDIR, {}},
                            {folder / "../include", folder / "../lib", {}}};
    for (Parts parts : places) {
        if (!fs::exists(parts.include / "frisket/aot.hpp") ||
            !fs::exists(parts.libraries / "libfrisket_aot.a"))
            continue;
        parts.include = fs::canonical(parts.include);
        parts.libraries = fs::canonical(parts.libraries);
        parts.shared = loaded({"libHalide.so", "libsqlite3.so"});
        return parts;
    }
    throw IoError("build: the headers and libraries of frisket are not where this program was installed, " +
                  folder.string() + ": install all of it");
}

std::string find_page_script() {
    const fs::path built = folder_of_program() / "../share/frisket/report.py",
                   installed = folder_of_program() / "../.." / FRISKET_DATADIR / "frisket/report.py";
    return (fs::exists(built) ? built : installed).lexically_normal();
}

}  // namespace frisket::cli

// SPDX-License-Identifier: MIT
#include "../../codegen/aot/programs.hpp"
#include "../../runtime/io/file.hpp"
#include "../../runtime/support/joined.hpp"
#include "measure.hpp"

#include <cstdio>
#include <cstring>
#include <filesystem>

namespace frisket::cli {

std::string data_path(const std::string& page) {
    return std::filesystem::path(page).replace_extension(".json").string();
}

void write_report(runtime::FileWriter& file, const SearchSettings& settings, const Report& report) {
    const std::string &page = settings.report, data = data_path(page), text = data_of(report);
    file.write(text.data(), text.size());
    file.replace();
    if (page == data) {
        std::printf("            %s\n", data.c_str());
        return;
    }
    const std::vector<std::string> command{"python3", "-B", settings.page_script, "tuning", data, page};
    const aot::ProgramEnd end = aot::end_of_program(command);
    const std::string words = runtime::joined(command, shell_word, " ");
    if (end.error != 0)
        std::printf("            %s has the page's data; python3 cannot be started (%s), this draws it: %s\n",
                    data.c_str(), std::strerror(end.error), words.c_str());
    else if (end.status != 0)
        throw IoError("tune: " + data +
                      " has the page's data; this command, which draws it, failed: " + words);
    else
        std::printf("            %s\n            %s\n", page.c_str(), data.c_str());
}

}  // namespace frisket::cli

// SPDX-License-Identifier: MIT
#include "../../../codegen/tuning/records/record_text.hpp"
#include "input.hpp"

using namespace frisket;
using namespace frisket::codegen;
using namespace frisket::testing;

/// The text of records that were parsed parses to the same records; every other line has its sentence.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    expect_error_or_nothing([&] {
        std::vector<std::string> messages;
        std::vector<TuningRecord> records;
        for (const ExportLine& line :
             parse_export({reinterpret_cast<const char*>(data), size}, "input", messages))
            records.push_back(line.record);
        std::vector<TuningRecord> again;
        for (const ExportLine& line : parse_export(export_text(records), "again", messages))
            again.push_back(line.record);
        if (again != records) std::abort();
    });
    return 0;
}

// SPDX-License-Identifier: MIT
#include "../../../codegen/loops/schedule.hpp"
#include "input.hpp"

using namespace frisket;
using namespace frisket::testing;

/// The text of a schedule that was parsed parses to the same schedule.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    expect_error_or_nothing([&] {
        const Schedule parsed = schedule({reinterpret_cast<const char*>(data), size});
        if (schedule(to_string(parsed)) != parsed) std::abort();
    });
    return 0;
}

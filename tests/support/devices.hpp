// SPDX-License-Identifier: MIT
#pragma once
#include <frisket/runtime.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <string>

namespace frisket::testing {

/// Name of the device of these tests: the environment variable FRISKET_TEST_DEVICE, or opencl.
inline std::string there_name() {
    const char* const named = std::getenv("FRISKET_TEST_DEVICE");
    return named == nullptr ? "opencl" : named;
}

/// The device of these tests; skips the test, with a word why, if the machine has none.
inline Device there() {
    Device found;
    try {
        found = device(there_name());
    } catch (const TargetError& error) { SKIP(error.what()); }
    return found;
}

/// Use of a device while a function runs.
template <class Body>
DeviceUse use_of(const Device& device, const Body& body) {
    const DeviceUse before = device_use(device);
    body();
    DeviceUse use = device_use(device);
    use.bytes_uploaded -= before.bytes_uploaded;
    use.bytes_downloaded -= before.bytes_downloaded;
    use.launches -= before.launches;
    use.bytes_in_use -= before.bytes_in_use;
    return use;
}

}  // namespace frisket::testing

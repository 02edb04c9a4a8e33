// SPDX-License-Identifier: MIT
#pragma once
#include <frisket/runtime.hpp>

#include <catch2/catch_test_macros.hpp>

namespace frisket::testing {

/// The device opencl; skips the test, with a word why, if there is none.
inline Device there() {
    Device found;
    try {
        found = device("opencl");
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

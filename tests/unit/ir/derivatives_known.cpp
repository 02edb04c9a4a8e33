// SPDX-License-Identifier: MIT
#include "derivatives_table.hpp"

#include <catch2/catch_test_macros.hpp>

namespace derivatives_known_test {

using namespace frisket;
using namespace frisket::testing;

TEST_CASE("derivatives of every order are those in 50 digits", "[ir]") {
    const std::vector<Derivative> all = known_derivatives(KNOWN_DERIVATIVES);
    CHECK(all.size() > 5000);
    CHECK(difference_of_derivatives(all, 0, 1, &evaluate) == "");
}

}  // namespace derivatives_known_test

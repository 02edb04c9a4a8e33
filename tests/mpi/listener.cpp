// SPDX-License-Identifier: MIT
// MPI around all tests.  A rank on which a test fails ends all: the remaining ranks would wait for it.
#include <catch2/catch_test_case_info.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <optional>

#include "ranks.hpp"

namespace {

std::optional<frisket::mpi::Environment> environment;
std::optional<frisket::mpi::Communicator> of_tests;

class EndAll : public Catch::EventListenerBase {
public:
    using EventListenerBase::EventListenerBase;
    void testRunStarting(const Catch::TestRunInfo& /*info*/) override {
        int count = 0;
        char** arguments = nullptr;
        environment.emplace(count, arguments);
        of_tests.emplace(frisket::mpi::world({.time_out = std::chrono::seconds(30), .message_bytes = 4000}));
    }
    void testCaseEnded(const Catch::TestCaseStats& stats) override {
        has_failed = !stats.totals.assertions.allOk();
    }
    // The reporter has printed the failure when the next case begins, or the run ends.
    void testCaseStarting(const Catch::TestCaseInfo& /*info*/) override { end(); }
    void testRunEnded(const Catch::TestRunStats& /*stats*/) override {
        end();
        of_tests.reset();
        environment.reset();
    }

private:
    void end() const {
        if (!has_failed) return;
        std::cout.flush();
        std::fflush(stdout);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    bool has_failed = false;
};
CATCH_REGISTER_LISTENER(EndAll)

}  // namespace

const frisket::mpi::Communicator& mpi_test::ranks() { return *of_tests; }

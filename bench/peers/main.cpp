// SPDX-License-Identifier: MIT
// Workloads of the race against other libraries, as race.py asks for them: a line "NAME<TAB>SECONDS" is
// answered by "NAME<TAB>MILLISECONDS<TAB>OF THE FIRST CALL<TAB>TOTAL", or by "NAME<TAB>error: ...".
#include "workloads.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <sstream>

using namespace bench;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

double duration_of(const std::function<void()>& run) {
    const auto start = Clock::now();
    run();
    return seconds_since(start);
}

/// A workload with its data, which stay until another one is asked for.
struct Made {
    std::string name;
    Timed timed;
    double first_s = 0;  // duration of the first call
    double total = 0;
};

Made made(const Workload& workload, const Settings& settings) {
    Made all{.name = workload.name, .timed = workload.make(settings)};
    all.first_s = duration_of(all.timed.run);
    all.total = all.timed.total();
    return all;
}

/// The shortest of at least three calls.
double best_of(const Timed& timed, double seconds) {
    constexpr int least_calls = 3;
    double best = duration_of(timed.run);
    const auto start = Clock::now();
    for (int call = 1; call < least_calls || seconds_since(start) < seconds; ++call)
        best = std::min(best, duration_of(timed.run));
    return best;
}

void answer(const std::vector<Workload>& workloads, const Settings& settings, const std::string& line,
            std::optional<Made>& last) {
    const std::string name = line.substr(0, line.find('\t'));
    const double seconds = std::strtod(line.c_str() + std::min(line.size(), name.size() + 1), nullptr);
    const auto found = std::ranges::find(workloads, name, &Workload::name);
    if (found == workloads.end()) {
        std::cout << name << "\terror: no such workload" << std::endl;
        return;
    }
    try {
        if (!last || last->name != name) {
            last.reset();
            last = made(*found, settings);
        }
        std::cout << name << '\t' << 1e3 * best_of(last->timed, seconds) << '\t' << 1e3 * last->first_s
                  << '\t' << last->total << std::endl;
    } catch (const std::exception& error) {
        std::string text = error.what();
        std::ranges::replace(text, '\n', ' ');
        std::cout << name << "\terror: " << text << std::endl;
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        std::cerr
            << "usage: bench_peers SIZE DENSITY float32|float64, with lines \"NAME<TAB>SECONDS\" to read; "
               "race.py runs it\n";
        return 2;
    }
    Settings settings{.size = std::atoll(argv[1]), .density = std::atof(argv[2])};
    if (const char* target = std::getenv("FRISKET_TARGET"))
        settings.eval.target = frisket::TargetName{target};
    std::vector<Workload> workloads;
    if (std::string(argv[3]) == "float64") {
        add_row_workloads<double>(workloads);
        add_product_workloads<double>(workloads);
        add_list_product_workloads<double>(workloads);
        add_list_workloads<double>(workloads);
        add_graph_workloads<double>(workloads);
        add_training_workloads<double>(workloads);
    } else {
        add_row_workloads<float>(workloads);
        add_product_workloads<float>(workloads);
        add_list_product_workloads<float>(workloads);
        add_list_workloads<float>(workloads);
        add_graph_workloads<float>(workloads);
        add_training_workloads<float>(workloads);
    }
    std::cout.precision(12);
    std::optional<Made> last;
    for (std::string line; std::getline(std::cin, line);) answer(workloads, settings, line, last);
}

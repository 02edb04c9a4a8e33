// SPDX-License-Identifier: MIT
#include "report.hpp"

#include <unistd.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "hand_loops.hpp"

namespace bench {

namespace {

/// Threads of OpenMP that wait by spinning would take the cores from the next contender.
void let_threads_sleep(char** argv) {
    if (std::getenv("OMP_WAIT_POLICY")) return;
    setenv("OMP_WAIT_POLICY", "passive", 1);
    execv("/proc/self/exe", argv);
}

double triad_bandwidth(double seconds) {
    constexpr std::int64_t count = std::int64_t{1} << 24;
    std::vector<float> a(count), b(count, 1.0F), c(count, 2.0F);
    std::vector<Contender> memory{{"triad", [&] { triad(a.data(), b.data(), c.data(), count); }}};
    race(memory, seconds);
    return 16.0 * count / memory[0].best_s;
}

}  // namespace

Options options_of(int argc, char** argv) {
    let_threads_sleep(argv);
    Options options;
    for (int i = 1; i < argc; ++i) {
        char* end = nullptr;
        const double number = std::strtod(argv[i], &end);
        if (std::strcmp(argv[i], "all") == 0) {
            options.all = true;
        } else if (std::strcmp(argv[i], "--json") == 0 && i + 1 < argc) {
            options.json = argv[++i];
        } else if (*end == '\0' && number > 0) {
            options.seconds = number;
        } else {
            std::fprintf(stderr, "usage: %s [SECONDS] [all] [--json FILE]\n", argv[0]);
            std::exit(2);
        }
    }
    return options;
}

Ratios::Ratios(const Options& options) : options_(options), bandwidth_(triad_bandwidth(options.seconds)) {
    std::printf("triad %.1f GB/s; hand-written vectors: %s\n", bandwidth_ * 1e-9,
                std::string(instructions()).c_str());
}

double Ratios::share_of_limit(const Case& row, double seconds) const {
    return row.bytes / bandwidth_ / seconds;
}

void Ratios::race(const Case& row, std::vector<Contender> contenders) const {
    bench::race(contenders, options_.seconds);
    for (Contender& contender : contenders) contender.best_s /= row.calls;
    const auto others = std::ranges::subrange(contenders.begin() + 1, contenders.end());
    Contender best = *std::ranges::min_element(others, {}, &Contender::best_s);
    if (row.goal_s > 0) best = {"time wanted", {}, row.goal_s};
    print(row, contenders, best);
    if (!options_.json.empty()) keep(row, contenders[0], best);
}

void Ratios::print(const Case& row, const std::vector<Contender>& contenders, const Contender& best) const {
    const double seconds = contenders[0].best_s, ratio = seconds / best.best_s;
    std::printf("%-24s %-26s frisket %9.4f ms  %-12s %9.4f ms  ratio %5.2f %s %4.2f", row.workload.c_str(),
                row.what.c_str(), seconds * 1e3, best.name.c_str(), best.best_s * 1e3, ratio,
                ratio <= row.goal ? "<=" : "> ", row.goal);
    if (row.bytes > 0) std::printf("  limit %3.0f %%", share_of_limit(row, seconds) * 100);
    for (std::size_t i = 1; i < contenders.size(); ++i)
        std::printf("  %s %.4g", contenders[i].name.c_str(), contenders[i].best_s * 1e3);
    std::printf("\n");
    std::fflush(stdout);
}

void Ratios::keep(const Case& row, const Contender& ours, const Contender& best) const {
    std::FILE* file = std::fopen(options_.json.c_str(), "a");
    if (file == nullptr) {
        std::perror(options_.json.c_str());
        std::exit(1);
    }
    std::fprintf(file,
                 R"({"workload": "%s", "case": "%s", "ms": %.6g, "best": "%s", "best_ms": %.6g, "goal": %g, )"
                 R"("limit": %.4g, "triad_gb_s": %.4g})"
                 "\n",
                 row.workload.c_str(), row.what.c_str(), ours.best_s * 1e3, best.name.c_str(),
                 best.best_s * 1e3, row.goal, share_of_limit(row, ours.best_s), bandwidth_ * 1e-9);
    std::fclose(file);
}

}  // namespace bench

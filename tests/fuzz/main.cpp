// SPDX-License-Identifier: MIT
#include "ahead.hpp"
#include "calls.hpp"
#include "device.hpp"
#include "generate.hpp"
#include "gradients.hpp"
#include "minimise.hpp"
#include "optimizers.hpp"
#include "oracle.hpp"
#include "print.hpp"
#include "reached.hpp"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <functional>
#include <iostream>
#include <map>
#include <mutex>
#include <ranges>
#include <thread>
#include <utility>
#include <vector>

using namespace fuzz;

namespace {

const char* const description =
    R"(Random programs, compiled and interpreted, compared.

  frisket_fuzz --programs 2000 --seed 1        the same programs in every run
  frisket_fuzz --seconds 600 --seed 7          as many as fit
  frisket_fuzz --program 123456                one of them again, by the number that a fault names

A fault is printed with the number of its program and the smallest program found that still shows it, as C++.
The exit status is 1 if there is one, and 77 if the machine lacks the device of --via.)";

struct Settings {
    double seconds = 0;
    std::int64_t programs = 0;
    std::uint32_t seed = 1;
    std::int64_t program = -1;
    int threads = static_cast<int>(std::thread::hardware_concurrency());
    int instructions = 6;
    int data = 3;
    int tries = 150;
    int slowest = 0;
    std::string via;  // a device
    bool reach_all = false;
    bool verbose = false;
};

/// CPU time of this thread: other programs of a busy machine do not count.
double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

thread_local char current[32] = "";

/// Loops that leave their tensors end the program, as running out of memory does: print which it was.
void say_where(int signal) {
    static_cast<void>(!write(STDERR_FILENO, current, sizeof current));
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

/// Counts of all threads.
class Tally {
public:
    void add(const Program& program, const Comparison& judgement, bool verbose) {
        const std::lock_guard lock(mutex_);
        ++runs_;
        steps_ += program.is_step();
        errors_ += judgement.is_error;
        exact_ += judgement.exact;
        close_ += judgement.close;
        uncertain_ += judgement.uncertain;
        hash_ += judgement.hash;
        instructions_ += std::ssize(program.instructions);
        for (const Instruction& one : program.instructions) ++forms_[form_text(one)];
        if (verbose)
            std::cout << "program " << program.seed << ": " << program.instructions.size() << " instructions"
                      << (judgement.is_error ? ", an error" : "") << "\n";
    }
    void add(const Trajectory& trajectory, const Comparison& judgement, bool verbose) {
        Program none;
        none.seed = trajectory.seed;
        add(none, judgement, verbose);
        const std::lock_guard lock(mutex_);
        ++forms_["optimizer " + trajectory.rule];
    }
    void fault(std::uint32_t program, const std::string& text, const std::string& smallest) {
        const std::lock_guard lock(mutex_);
        ++faults_;
        std::cout << "FAULT in program " << program << ": " << text << "\n" << smallest << std::endl;
    }
    void took(std::uint32_t program, double seconds) {
        const std::lock_guard lock(mutex_);
        times_.emplace_back(seconds, program);
    }
    void print_times(int slowest) {
        if (slowest <= 0 || times_.empty()) return;
        std::ranges::sort(times_, std::greater());
        std::printf("CPU time of a program: median %.3f s, most %.3f s\n", times_[times_.size() / 2].first,
                    times_[0].first);
        for (const auto& [seconds, program] : times_ | std::views::take(slowest))
            std::printf("  %.3f s  program %u\n", seconds, program);
    }
    void print(std::int64_t programs, double seconds, bool verbose) {
        if (verbose)
            for (const auto& [name, count] : forms_) std::cout << "  " << count << "  " << name << "\n";
        std::printf(
            "%lld programs (%lld runs, %lld of steps, %lld with an error, %lld instructions) in %.1f s\n",
            static_cast<long long>(programs), static_cast<long long>(runs_), static_cast<long long>(steps_),
            static_cast<long long>(errors_), static_cast<long long>(instructions_), seconds);
        std::printf("elements: %lld exact, %lld close, %lld uncertain, hash %016llx\n%lld mismatches\n",
                    static_cast<long long>(exact_), static_cast<long long>(close_),
                    static_cast<long long>(uncertain_), static_cast<unsigned long long>(hash_),
                    static_cast<long long>(faults_));
    }
    bool is_clean() const { return faults_ == 0; }
    void reached(const std::set<std::string>& names) {
        const std::lock_guard lock(mutex_);
        for (const std::string& name : names) ++reached_[name];
    }
    /// Prints how many programs reached each rule, kind of loop and strategy; tells if all were reached but
    /// strategies, some of which few programs can take.
    bool print_reached() const {
        bool all = true;
        std::cout << "programs that reached\n";
        for (const std::string& name : reachable()) {
            const auto found = reached_.find(name);
            std::printf("%8lld  %s\n", static_cast<long long>(found == reached_.end() ? 0 : found->second),
                        name.c_str());
            all = all && (found != reached_.end() || name.starts_with("strategy"));
        }
        return all;
    }

private:
    static std::string form_text(const Instruction& one) {
        const Form& form = forms()[static_cast<std::size_t>(one.form)];
        return std::string(form.name) + (form.text.find("with.op") != std::string_view::npos
                                             ? " " + std::string(info_of(one.op).name)
                                             : "");
    }
    std::mutex mutex_;
    std::int64_t runs_ = 0, steps_ = 0, errors_ = 0, exact_ = 0, close_ = 0, uncertain_ = 0, faults_ = 0,
                 instructions_ = 0;
    std::uint64_t hash_ = 0;  // hash of all results: builds that mean the same have the same
    std::map<std::string, std::int64_t> forms_;
    std::map<std::string, std::int64_t> reached_;          // programs, by feature reached
    std::vector<std::pair<double, std::uint32_t>> times_;  // and the number of the program
};

using Judge = Comparison (*)(const Program&);

std::string fault_of(const Program& program, Judge judge) {
    try {
        return judge(program).fault;
    } catch (const std::exception& error) { return std::string("the fuzzer itself: ") + error.what(); }
}

/// Judges a program; true without faults.
bool is_fine(const Program& program, std::uint32_t seed, const Settings& settings, Tally& tally,
             Judge judge = &fuzz::judge) {
    const Comparison judgement = judge(program);
    tally.add(program, judgement, settings.verbose);
    if (judgement.fault.empty()) return true;
    const auto fails = [&](const Program& candidate) { return !fault_of(candidate, judge).empty(); };
    tally.fault(seed, judgement.fault, cpp_of(minimised(program, fails, settings.tries)));
    return false;
}

/// Makes some calls of a kernel together, large and small; true if results equal single calls.
bool are_calls_fine(const Program& kernel, std::uint32_t seed, Tally& tally) {
    testing::Random random(seed);
    std::vector<Program> calls{kernel};
    for (std::int64_t left = 1 + random.below(12); left > 0; --left)
        calls.push_back(with_other_call(kernel, seed + static_cast<std::uint32_t>(calls.size()),
                                        random.below(6) == 0 ? 30'000 : 0));
    const std::string fault = calls_fault(calls);
    if (!fault.empty()) tally.fault(seed, fault, cpp_of(kernel));
    return fault.empty();
}

bool is_fine(const Trajectory& trajectory, std::uint32_t seed, const Settings& settings, Tally& tally) {
    const Comparison judgement = judge(trajectory);
    tally.add(trajectory, judgement, settings.verbose);
    if (!judgement.fault.empty())
        tally.fault(seed, judgement.fault, text_of(settings.tries > 0 ? minimised(trajectory) : trajectory));
    return judgement.fault.empty();
}

/// An optimizer over some steps, with several sets of parameters.
void run_trajectory(std::uint32_t seed, const Settings& settings, Tally& tally) {
    const Trajectory first = generate_trajectory(seed);
    for (int data = 0; data < 2 * settings.data; ++data)
        if (!is_fine(data == 0 ? first : with_other_data(first, seed + static_cast<std::uint32_t>(data)),
                     seed, settings, tally))
            return;
}

constexpr std::uint32_t trajectories_beside = 2;  ///< each program

/// Steps of optimizers that are interpreted, which takes no compiler.
bool check_trajectories(std::uint32_t seed, const Settings& settings, Tally& tally) {
    for (std::uint32_t i = 0; i < trajectories_beside; ++i) {
        Trajectory trajectory = generate_trajectory(seed + i);
        trajectory.is_compiled = false;
        if (!is_fine(trajectory, seed, settings, tally)) return false;
    }
    return true;
}

constexpr int calls_ahead = 6;  ///< in addition to each program

/// Calls kernels that were compiled ahead of time; whether all calls were right.
bool run_ahead(std::uint32_t seed, const Settings& settings, Tally& tally) {
    for (int call = 0; call < calls_ahead; ++call)
        if (!is_fine(generate_ahead(seed + static_cast<std::uint32_t>(call)), seed, settings, tally))
            return false;
    return are_calls_fine(generate_ahead(seed + calls_ahead), seed, tally);
}

constexpr int gradients_beside = 8;  ///< each program

bool check_gradients(std::uint32_t seed, const Settings& settings, Tally& tally) {
    for (std::uint32_t i = 0; i < gradients_beside; ++i) {
        const Program program = generate_differentiable(seed + i, settings.instructions);
        if (!program.results.empty() && !is_fine(program, seed, settings, tally, &judge_gradients))
            return false;
    }
    return true;
}

constexpr std::uint32_t plans_beside = 16;  ///< each program

/// Runs plans with interpreted bodies, which takes no compiler.
bool check_plans(std::uint32_t seed, const Settings& settings, Tally& tally) {
    for (std::uint32_t i = 0; i < plans_beside; ++i) {
        Program program = generate(seed + i, settings.instructions);
        if (i % 2 == 1) program = with_other_data(program, seed + i);
        const bool is_empty = program.results.empty() && program.targets.empty();
        if (!is_empty && !is_fine(program, seed, settings, tally, &judge_plan)) return false;
    }
    return true;
}

constexpr std::uint32_t whole_numbers_beside = 16;  ///< each program

/// Integers next to limits, which takes no compiler.
bool check_whole_numbers(std::uint32_t seed, const Settings& settings, Tally& tally) {
    for (std::uint32_t i = 0; i < whole_numbers_beside; ++i)
        if (!is_fine(generate_whole_numbers(seed + i), seed, settings, tally, &judge_plan)) return false;
    return true;
}

constexpr std::uint32_t kernel_calls = 40;  ///< calls of each kernel; `large_calls` of them are large
constexpr std::uint32_t large_calls = 2;

/// Calls one kernel over many tensors: whatever their shapes, its loops are compiled once.
void run_kernel(const Program& first, const Settings& settings, Tally& tally) {
    if (!is_fine(first, first.seed, settings, tally)) return;
    for (std::uint32_t call = 1; call < kernel_calls; ++call) {
        const std::int64_t least = call <= large_calls ? large_call(call) : 0;
        if (!is_fine(with_other_call(first, first.seed + call, least), first.seed, settings, tally)) return;
    }
    are_calls_fine(first, first.seed, tally);
}

constexpr std::uint32_t idioms_beside = 1;  ///< each program

/// Compiles programs as users write them.
bool check_idioms(std::uint32_t seed, const Settings& settings, Tally& tally) {
    for (std::uint32_t i = 0; i < idioms_beside; ++i) {
        const Program program = generate_idiom(seed + i);
        const bool is_empty = program.results.empty() && program.targets.empty();
        if (!is_empty && !is_fine(program, seed, settings, tally)) return false;
    }
    return true;
}

/// Programs as they are made, and as users write them, on a device.
void run_on_device(std::uint32_t seed, const Settings& settings, Tally& tally) {
    Program program = seed / 16U % 2 == 0 ? generate(seed, settings.instructions) : generate_idiom(seed);
    for (int data = 0; data < settings.data; ++data) {
        if (data > 0) program = with_other_data(program, seed + static_cast<std::uint32_t>(data));
        const bool is_empty = program.results.empty() && program.targets.empty();
        if (is_empty || !is_fine(program, seed, settings, tally, &judge_on_device)) return;
    }
}

/// One program over several sets of data, of which now and then one is large.
void run_program(std::uint32_t seed, const Settings& settings, Tally& tally) {
    std::snprintf(current, sizeof current, "\nin program %u\n", seed);
    if (!settings.via.empty()) return run_on_device(seed, settings, tally);
    // Programs are numbered by sixteens.
    const std::uint32_t kind = seed / 16U * 2654435761U >> 27U;
    if (kind <= 1) return run_trajectory(seed, settings, tally);
    // Compiling takes nearly all of the time: interpreted or already compiled programs cost little.
    if (!check_gradients(seed, settings, tally) || !check_plans(seed, settings, tally) ||
        !check_whole_numbers(seed, settings, tally) || !check_trajectories(seed, settings, tally))
        return;
    if (!kernels_ahead().empty() && !run_ahead(seed, settings, tally)) return;
    if (!check_idioms(seed, settings, tally)) return;
    const Program first = generate(seed, settings.instructions);
    if (first.results.empty() && first.targets.empty()) return;
    if (first.as == RunAs::kernel) return run_kernel(first, settings, tally);
    for (int data = 0; data < settings.data; ++data) {
        const Program program =
            data == 0 ? first : with_other_data(first, seed + static_cast<std::uint32_t>(data));
        if (!is_fine(program, seed, settings, tally)) return;
    }
    const std::int64_t most = kind == 2 ? 1 << 21 : 1 << 18;
    if (const auto large = kind <= 8 ? with_large_data(first, seed + 15, most) : std::nullopt)
        is_fine(*large, seed, settings, tally);
}

int run(const Settings& settings) {
    const auto start = std::chrono::steady_clock::now();
    const auto elapsed = [&] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    Tally tally;
    std::atomic<std::int64_t> next = 0, done = 0;
    const std::int64_t programs = settings.program >= 0 ? 1 : settings.programs;
    const auto work = [&] {
        for (;;) {
            const std::int64_t i = next++;
            if (programs > 0 ? i >= programs : elapsed() >= settings.seconds) return;
            if (settings.seconds > 0 && elapsed() >= settings.seconds) return;
            // Numbers far apart: data sets count up from them.
            const std::uint32_t seed = (settings.seed * 1'000'003U + static_cast<std::uint32_t>(i)) * 16U;
            const std::uint32_t program =
                settings.program >= 0 ? static_cast<std::uint32_t>(settings.program) : seed;
            const double before = cpu_seconds();
            run_program(program, settings, tally);
            tally.reached(take_reached());
            tally.took(program, cpu_seconds() - before);
            ++done;
        }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < settings.threads; ++i) threads.emplace_back(work);
    for (std::thread& thread : threads) thread.join();
    const bool is_all_reached = tally.print_reached();
    tally.print(done, elapsed(), settings.verbose);
    tally.print_times(settings.slowest);
    if (settings.reach_all && !is_all_reached)
        std::cout << "some rule or kind of loop was reached by no program\n";
    return tally.is_clean() && (is_all_reached || !settings.reach_all) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{description, "frisket_fuzz"};
    Settings settings;
    app.add_option("--seconds", settings.seconds, "stop after so long");
    app.add_option("--programs", settings.programs, "stop after so many; without either: 100");
    app.add_option("--seed", settings.seed, "which programs")->capture_default_str();
    app.add_option("--program", settings.program, "only this one");
    app.add_option("--threads", settings.threads, "programs at a time")->capture_default_str();
    app.add_option("--instructions", settings.instructions, "of a program, at most")->capture_default_str();
    app.add_option("--data", settings.data, "sets of data for each program")->capture_default_str();
    app.add_option("--tries", settings.tries, "runs to make a fault smaller")->capture_default_str();
    app.add_option("--slowest", settings.slowest, "name so many that took most CPU time");
    app.add_option("--via", settings.via, "run programs on this device, \"opencl\", and nothing else");
    app.add_flag("--reach-all", settings.reach_all,
                 "fail if a rule of the planner or a kind of loop is reached by no program");
    app.add_flag("--verbose", settings.verbose, "a line for every run, and what was tried how often");
    CLI11_PARSE(app, argc, argv);
    if (settings.seconds <= 0 && settings.programs <= 0) settings.programs = 100;
    std::signal(SIGSEGV, say_where);
    std::signal(SIGBUS, say_where);
    std::signal(SIGABRT, say_where);
    try {
        if (!settings.via.empty()) use_device(settings.via);
    } catch (const TargetError& error) {
        std::cout << "SKIP: " << error.what() << "\n";
        return 77;
    }
    try {
        return run(settings);
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return 2;
    }
}

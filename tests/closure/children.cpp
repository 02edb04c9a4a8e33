// SPDX-License-Identifier: MIT
#include "children.hpp"

#include "../../runtime/support/joined.hpp"
#include "../fuzz/print.hpp"

#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace closure {

namespace {

constexpr char field_end = '\x1f', record_end = '\x1e';
constexpr rlim_t address_space = rlim_t{2} << 30U;
constexpr int most_milliseconds = 120'000;  // a program with its compilation and smaller programs

std::string text_of(const std::vector<Pair>& pairs) {
    std::string text;
    for (const Pair& pair : pairs) text += pair.from + "\t" + pair.to + "\n";
    return text;
}

std::vector<Pair> pairs_in(const std::string& text) {
    std::vector<Pair> pairs;
    std::istringstream lines(text);
    for (Pair pair; std::getline(lines, pair.from, '\t') && std::getline(lines, pair.to);)
        pairs.push_back(pair);
    return pairs;
}

std::string packed(const Record& record) {
    std::string text;
    for (const std::string& field :
         {std::to_string(record.seed), std::to_string(static_cast<int>(record.fault)),
          std::string(record.is_begun ? "begun" : ""), record.text, record.whole, record.cause, record.blamed,
          record.program, record.plan, text_of(record.pairs), text_of(record.smallest)})
        text += field + field_end;
    return text + record_end;
}

Record unpacked(const std::string& text) {
    std::vector<std::string> fields;
    std::istringstream in(text);
    for (std::string field; std::getline(in, field, field_end);) fields.push_back(field);
    return {.seed = static_cast<std::uint32_t>(std::stoul(fields.at(0))),
            .fault = static_cast<Fault>(std::stoi(fields.at(1))),
            .is_begun = !fields.at(2).empty(),
            .text = fields.at(3),
            .whole = fields.at(4),
            .cause = fields.at(5),
            .blamed = fields.at(6),
            .program = fields.at(7),
            .plan = fields.at(8),
            .pairs = pairs_in(fields.at(9)),
            .smallest = pairs_in(fields.at(10))};
}

std::uint32_t first_of(const Request& request) {
    constexpr std::uint32_t apart = 1'000'000;
    return request.first.value_or(request.seed * apart);
}

void send(int to, const Record& record) {
    const std::string text = packed(record);
    for (std::size_t sent = 0; sent < text.size();) {
        const ssize_t count = write(to, text.data() + sent, text.size() - sent);
        if (count <= 0) std::_Exit(1);
        sent += static_cast<std::size_t>(count);
    }
}

void add_smallest(Record& record, const Sized& least) {
    const std::vector<std::string> operations = operations_of(least.small);
    record.cause = runtime::joined(operations);
    record.blamed = runtime::joined(operands_of_last(least.small)) + " -> " + operations.back();
    record.program = fuzz::calls_of(least.large);
    record.smallest = pairs_of(least.small);
}

const Sizes& sizes_of(const Request& request) {
    return request.settings.via == Via::loops ? large : least_large;
}

/// Says that a program is about to run.
void send_begun(int to, const Record& of, const Sized& sized) {
    Record begun = of;
    begun.is_begun = true;
    add_smallest(begun, sized);
    send(to, begun);
}

/// A child: a record before each program that is run, of the fault if that ends the process, and one at the
/// end.
void run_programs(const Request& request, std::uint32_t first, std::uint32_t end, int to) {
    for (std::uint32_t seed = first; seed < end; ++seed) {
        Record record{.seed = seed, .fault = Fault::ended};
        const Sized sized = generate(seed, sizes_of(request), request.only);
        if (sized.small.instructions.empty()) {
            record.fault = Fault::invalid;
            send(to, record);
            continue;
        }
        record.whole = fuzz::calls_of(sized.large);
        record.pairs = pairs_of(sized.small);
        const auto judge_one = [&](const Sized& one) {
            send_begun(to, record, one);
            return judge(one, request.settings);
        };
        const Verdict verdict = judge_one(sized);
        Record found = record;
        found.fault = verdict.fault;
        found.text = verdict.text;
        if (verdict.fault != Fault::none && verdict.fault != Fault::invalid) {
            const Sized least = smallest(sized, verdict.fault, request.tries, judge_one);
            add_smallest(found, least);
            found.text = judge_one(least).text;
            found.plan = offending_stages(least.large);
        }
        send(to, found);
    }
}

/// A verdict by another process, of which only the end is of interest.
Verdict judge_apart(const Sized& sized, const Settings& settings) {
    constexpr unsigned most_seconds = 20;
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("no process");
    if (child == 0) {
        alarm(most_seconds);
        static_cast<void>(judge(sized, settings));
        std::_Exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return {WIFSIGNALED(status) ? Fault::ended : Fault::none};
}

/// A child: the smallest program that ends its process.
void find_smallest_end(const Request& request, Record record, int to) {
    const Sized sized = generate(record.seed, sizes_of(request), request.only);
    const Sized least = smallest(sized, Fault::ended, request.tries,
                                 [&](const Sized& one) { return judge_apart(one, request.settings); });
    add_smallest(record, least);
    record.is_begun = false;
    send(to, record);
}

/// Runs a child, and returns the program that it began and did not finish.
std::optional<Record> run_child(const std::function<void(int)>& body,
                                const std::function<void(const Record&)>& take) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("no process");
    if (child == 0) {
        close(ends[0]);
        const rlimit limit{address_space, address_space};
        setrlimit(RLIMIT_AS, &limit);
        body(ends[1]);
        std::_Exit(0);
    }
    close(ends[1]);
    std::string text;
    std::optional<Record> begun;
    for (;;) {
        pollfd waited{.fd = ends[0], .events = POLLIN, .revents = 0};
        if (poll(&waited, 1, most_milliseconds) <= 0) {
            kill(child, SIGKILL);
            break;
        }
        std::array<char, 65536> buffer{};
        const ssize_t count = read(ends[0], buffer.data(), buffer.size());
        if (count <= 0) break;
        text.append(buffer.data(), static_cast<std::size_t>(count));
        for (auto at = text.find(record_end); at != std::string::npos; at = text.find(record_end)) {
            const Record record = unpacked(text.substr(0, at));
            text.erase(0, at + 1);
            begun.reset();
            if (record.is_begun)
                begun = record;
            else
                take(record);
        }
    }
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (begun) begun->text = WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status)) : "ended";
    return begun;
}

}  // namespace

void run_in_children(const Request& request, const std::function<void(const Record&)>& take) {
    const std::uint32_t first = first_of(request);
    const std::uint32_t end = first + static_cast<std::uint32_t>(request.programs);
    // Compiled loops stay in a child's memory: few programs for each.
    constexpr std::uint32_t most = 100;
    for (std::uint32_t next = first; next < end;) {
        const std::uint32_t last = std::min(end, next + most);
        const std::uint32_t begin = next;
        auto ended = run_child([&](int to) { run_programs(request, begin, last, to); },
                               [&](const Record& record) {
                                   take(record);
                                   next = record.seed + 1;
                               });
        if (next == last) continue;
        // One that ends between two programs ended in the making of the next.
        if (!ended) ended = Record{.seed = next, .fault = Fault::ended};
        Record found = *ended;
        static_cast<void>(run_child([&](int to) { find_smallest_end(request, *ended, to); },
                                    [&](const Record& record) { found = record; }));
        take(found);
        next = found.seed + 1;
    }
}

}  // namespace closure

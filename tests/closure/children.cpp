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
constexpr int most_milliseconds = 120'000;  // a program with its compilation and smaller ones

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
         {std::to_string(record.seed), std::to_string(static_cast<int>(record.fault)), record.text,
          record.whole, record.cause, record.blamed, record.program, record.plan, text_of(record.pairs),
          text_of(record.smallest)})
        text += field + field_end;
    return text + record_end;
}

Record unpacked(const std::string& text) {
    std::vector<std::string> fields;
    std::istringstream in(text);
    for (std::string field; std::getline(in, field, field_end);) fields.push_back(field);
    return {.seed = static_cast<std::uint32_t>(std::stoul(fields.at(0))),
            .fault = static_cast<Fault>(std::stoi(fields.at(1))),
            .text = fields.at(2),
            .whole = fields.at(3),
            .cause = fields.at(4),
            .blamed = fields.at(5),
            .program = fields.at(6),
            .plan = fields.at(7),
            .pairs = pairs_in(fields.at(8)),
            .smallest = pairs_in(fields.at(9))};
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

/// The child: a record before each program that is run, of a fault that ends the process, and one at the end.
void run_programs(const Request& request, std::uint32_t first, std::uint32_t end, int to) {
    const Sizes& sizes = request.settings.via == Via::loops ? large : least_large;
    for (std::uint32_t seed = first; seed < end; ++seed) {
        Record record{.seed = seed, .fault = Fault::ended};
        const Sized sized = generate(seed, sizes, request.only);
        if (sized.small.instructions.empty()) {
            record.fault = Fault::invalid;
            send(to, record);
            continue;
        }
        record.whole = fuzz::calls_of(sized.large);
        record.pairs = pairs_of(sized.small);
        add_smallest(record, sized);
        send(to, record);
        const Verdict verdict = judge(sized, request.settings);
        record.fault = verdict.fault;
        record.text = verdict.text;
        if (verdict.fault != Fault::none && verdict.fault != Fault::invalid) {
            const auto before = [&](const Sized& candidate) {
                Record tried = record;
                tried.fault = Fault::ended;
                add_smallest(tried, candidate);
                send(to, tried);
            };
            const Sized least = smallest(sized, verdict.fault, request.settings, request.tries, before);
            add_smallest(record, least);
            record.text = judge(least, request.settings).text;
            record.plan = offending_stages(least.large);
        }
        send(to, record);
    }
}

/// Programs from `first` on until the child ends: gives the number of the next one.
std::uint32_t run_child(const Request& request, std::uint32_t first, std::uint32_t end,
                        const std::function<void(const Record&)>& take) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("no process");
    if (child == 0) {
        close(ends[0]);
        const rlimit limit{address_space, address_space};
        setrlimit(RLIMIT_AS, &limit);
        run_programs(request, first, end, ends[1]);
        std::_Exit(0);
    }
    close(ends[1]);
    std::string text;
    std::optional<Record> begun;
    std::uint32_t next = first;
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
            Record record = unpacked(text.substr(0, at));
            text.erase(0, at + 1);
            if (record.fault == Fault::ended) {
                begun = std::move(record);
                continue;
            }
            begun.reset();
            next = record.seed + 1;
            take(record);
        }
    }
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (!begun && next == end) return next;
    // One that ends between two programs ended in the making of the next.
    if (!begun) begun = Record{.seed = next, .fault = Fault::ended};
    begun->text = WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status)) : "ended";
    take(*begun);
    return begun->seed + 1;
}

}  // namespace

void run_in_children(const Request& request, const std::function<void(const Record&)>& take) {
    const std::uint32_t first = first_of(request);
    const std::uint32_t end = first + static_cast<std::uint32_t>(request.programs);
    // Compiled loops stay in a child's memory: few programs for each.
    constexpr std::uint32_t most = 100;
    for (std::uint32_t next = first; next < end;)
        next = run_child(request, next, std::min(end, next + most), take);
}

}  // namespace closure

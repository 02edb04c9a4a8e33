// SPDX-License-Identifier: MIT
#include "../fuzz/print.hpp"
#include "children.hpp"
#include "operations.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <map>

using namespace closure;

namespace {

const char* const description =
    R"(Random list expressions at extents of a million under 2 GB of address space, and at extents of 40
against the interpreter: a list stays a list under every composition.

  frisket_closure --programs 1000 --seed 1     the same programs in every run
  frisket_closure --program 4711               one of them again, by the number that a fault names
  frisket_closure --only cat                   programs with an operation of this name

A fault prints the smallest program found that still shows it, and its plan.  The exit status is 1 if there
is one.)";

struct Count { std::int64_t reached = 0, failed = 0; };

/// Programs by pairs of operations, and the first small program of each failing shape.
class Tally {
public:
    void add(const Record& record) {
        ++programs_;
        ++kinds_[std::string(name_of(record.fault))];
        for (const Pair& pair : record.pairs) ++pairs_[pair].reached;
        if (record.fault == Fault::none || record.fault == Fault::invalid) return;
        for (const Pair& pair : record.smallest)
            if (pair.from != "list" && pair.from != "dense") ++pairs_[pair].failed;
        auto& [count, first] = causes_[std::string(name_of(record.fault)) + ": " + record.blamed];
        if (count++ > 0) return;
        first = record;
        std::cout << "FAULT " << name_of(record.fault) << " in program " << record.seed << ": "
                  << record.blamed << ", of " << record.cause << "\n  " << record.text << "\n"
                  << record.program << record.plan << std::flush;
    }
    bool print(bool has_pairs) const {
        if (has_pairs) {
            std::cout << "\nreached  failed  pair\n";
            for (const auto& [pair, count] : pairs_)
                std::printf("%7lld %7lld  %s -> %s\n", static_cast<long long>(count.reached),
                            static_cast<long long>(count.failed), pair.from.c_str(), pair.to.c_str());
        }
        std::cout << "\nprograms  fault: operands -> the operation that fails\n";
        std::vector<std::pair<std::int64_t, std::string>> causes;
        for (const auto& [cause, first] : causes_)
            causes.emplace_back(first.first, cause + "   (" + first.second.cause + ", program " +
                                                 std::to_string(first.second.seed) + ")");
        std::ranges::sort(causes, std::greater());
        for (const auto& [count, text] : causes)
            std::printf("%8lld  %s\n", static_cast<long long>(count), text.c_str());
        std::int64_t faults = 0;
        std::cout << programs_ << " programs, " << pairs_.size() << " pairs";
        for (const auto& [kind, count] : kinds_) {
            std::cout << ", " << count << " " << kind;
            if (kind != "none" && kind != "invalid") faults += count;
        }
        std::cout << "\n" << faults << " faults\n";
        return faults == 0;
    }

private:
    std::int64_t programs_ = 0;
    std::map<std::string, std::int64_t> kinds_;
    std::map<Pair, Count> pairs_;
    std::map<std::string, std::pair<std::int64_t, Record>> causes_;
};

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{description};
    Request request;
    std::string sizes = "both", via = "loops";
    std::int64_t program = -1;
    bool has_no_pairs = false;
    app.add_option("--programs", request.programs, "Number of programs");
    app.add_option("--seed", request.seed, "Programs of seed * 1,000,000 and on");
    app.add_option("--program", program, "One program again");
    app.add_option("--only", request.only, "Programs with this operation");
    app.add_option("--sizes", sizes)->check(CLI::IsMember({"both", "large", "small"}));
    app.add_option("--via", via)->check(CLI::IsMember({"loops", "interpreter"}));
    app.add_option("--seconds", request.settings.seconds, "Limit of a second call");
    app.add_option("--tries", request.tries, "Programs that are tried to find a smaller one");
    app.add_flag("--no-pairs", has_no_pairs, "Without the table of pairs");
    CLI11_PARSE(app, argc, argv);
    request.settings.sizes = sizes == "large"   ? AtSizes::large
                             : sizes == "small" ? AtSizes::small
                                                : AtSizes::both;
    request.settings.via = via == "loops" ? Via::loops : Via::interpreter;
    if (program >= 0) request.first = static_cast<std::uint32_t>(program), request.programs = 1;
    Tally tally;
    run_in_children(request, [&](const Record& record) {
        tally.add(record);
        if (program >= 0)
            std::cout << name_of(record.fault) << " " << record.text << "\n" << record.whole << record.plan;
    });
    return tally.print(!has_no_pairs) ? 0 : 1;
}

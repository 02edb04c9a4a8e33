// SPDX-License-Identifier: MIT
#pragma once
#include "list_programs.hpp"

#include <functional>
#include <string>

namespace closure {

/// Failures of a program.
enum class Fault : std::uint8_t {
    none,
    refused,  ///< an error, where the interpreter has a result at the small size
    memory,   ///< more bytes held than lists, extents and dense operands explain
    slow,     ///< a second call of the large program takes more than a second
    wrong,    ///< other values than the interpreter's
    ended,    ///< the process ended, or did not in time
    invalid,  ///< no fault: the interpreter refuses the program, or it is no list expression
};
std::string_view name_of(Fault fault);

struct Verdict {
    Fault fault = Fault::none;
    std::string text = {};
};

/// Ways to run bodies.
enum class Via : std::uint8_t {
    loops,        ///< compiled
    interpreter,  ///< plans with interpreted bodies: without a compiler, and not timed
};
enum class AtSizes : std::uint8_t { both, large, small };

struct Settings {
    Via via = Via::loops;
    AtSizes sizes = AtSizes::both;
    double seconds = 1;  ///< limit of a second call
};

Verdict judge(const Sized& sized, const Settings& settings);
/// The smallest program found with a fault of the same kind.
/// Cost: at most `tries` programs are judged, and the last of them begins within 20 s.
Sized smallest(const Sized& sized, Fault fault, int tries,
               const std::function<Verdict(const Sized&)>& judge_one);
/// The stages of the large program's plan that walk a huge shape; all, if none does.
std::string offending_stages(const Program& program);

}  // namespace closure

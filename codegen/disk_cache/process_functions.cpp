// SPDX-License-Identifier: MIT
#include "process_functions.hpp"

#include <math.h>  // names of C, which have no overloads

#include <array>
#include <cstring>

#include "../../runtime/support/made_once.hpp"
#include "../loops/loop_functions.hpp"

namespace frisket::codegen {

namespace {

template <class Result, class... Arguments>
ProcessFunction named(std::string_view name, Result (*function)(Arguments...)) {
    return {.name = name, .address = reinterpret_cast<std::uintptr_t>(function)};
}

}  // namespace

std::span<const ProcessFunction> process_functions() {
    return runtime::made_once([] {
        return std::array{
            named("halide_do_par_for", frisket_loop_do_par_for),
            named("halide_malloc", frisket_loop_malloc),
            named("halide_free", frisket_loop_free),
            named("halide_error", frisket_loop_error),
            named("memset", ::memset),
            named("memcpy", ::memcpy),
            named("memmove", ::memmove),
            // Targets without an instruction for them.
            named("fma", static_cast<double (*)(double, double, double)>(::fma)),
            named("fmaf", ::fmaf),
        };
    });
}

}  // namespace frisket::codegen

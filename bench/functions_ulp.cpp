// SPDX-License-Identifier: MIT
// How far functions are from the exact result, in units of the last place (ULP) of the dtype: compiled loops
// and the interpreter.  Prints a table; --write FILE writes it as a document.
//   --all            every float32, all 2^32 (hours)
//   --stride N       every N-th float32; 2053 unless said (about a minute)
#include <frisket/frisket.hpp>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "../dsl/interpret.hpp"
#include "exact_functions.hpp"

using namespace frisket;

namespace {

struct Options {
    std::uint64_t stride = 2053;
    std::string file;
};

/// The worst error met, and where.
struct Worst {
    double ulps = 0;
    double x = 0, y = 0;

    void meet(double found_ulps, double at_x, double at_y) {
        if (!(found_ulps > ulps)) return;
        *this = {found_ulps, at_x, at_y};
    }
};

/// The distance of `found` from the exact result in units of the last place that T has there; infinite where
/// one is NaN or infinite and the other is not.
template <class T>
double ulps_between(T found, long double exact) {
    using Limits = std::numeric_limits<T>;
    if (std::isnan(exact) || std::isnan(found))
        return std::isnan(exact) && std::isnan(found) ? 0 : std::numeric_limits<double>::infinity();
    const T rounded = static_cast<T>(exact);
    if (found == rounded) {
        if (std::isinf(found)) return 0;
    } else if (std::isinf(found) || std::isinf(exact)) {
        return std::numeric_limits<double>::infinity();
    }
    const int exponent = exact == 0 ? Limits::min_exponent : std::ilogb(exact) + 1;
    const int last =
        std::min(std::max(exponent, Limits::min_exponent), Limits::max_exponent) - Limits::digits;
    return static_cast<double>(std::fabs(static_cast<long double>(found) - exact) / std::ldexp(1.0L, last));
}

/// out = op(x) or op(x, y).
template <class T>
Graph graph_of(const bench::Exact& function) {
    GraphBuilder b("function");
    const DType dtype = dtype_of<T>;
    b.symbol("out", SymbolKind::in_out, dtype);
    std::vector<NodeId> operands{b.symbol("x", SymbolKind::in, dtype)};
    if (function.of_two) operands.push_back(b.symbol("y", SymbolKind::in, dtype));
    b.update("out", b.apply(find_op(function.name), operands));
    return b.finish();
}

/// One function in one dtype, both ways.
template <class T>
class Measurement {
public:
    explicit Measurement(const bench::Exact& function)
        : function_(function), graph_(graph_of<T>(function)), kernel_(jit(graph_)) {}

    void meet(const Tensor<T>& x, const Tensor<T>& y) {
        const Tensor<T> by_loops(x.shape()), by_interpreter(x.shape());
        call(x, y, by_loops, [&](const auto& arguments) { kernel_(std::span(arguments)); });
        call(x, y, by_interpreter, [&](const auto& arguments) { interpret(graph_, std::span(arguments)); });
        for (std::int64_t i = 0; i < x.size(); ++i) {
            const T a = x.data()[i], b = y.data()[i];
            const long double exact = function_.of_two ? function_.of_two(a, b) : function_.of_one(a);
            loops.meet(ulps_between(by_loops.data()[i], exact), a, b);
            interpreter.meet(ulps_between(by_interpreter.data()[i], exact), a, b);
        }
    }

    Worst loops, interpreter;

private:
    template <class Call>
    void call(const Tensor<T>& x, const Tensor<T>& y, const Tensor<T>& out, Call&& run) const {
        std::vector<NamedArgument> arguments{{"out", out}, {"x", x}};
        if (function_.of_two) arguments.push_back({"y", y});
        run(static_cast<const std::vector<NamedArgument>&>(arguments));
    }

    const bench::Exact& function_;
    Graph graph_;
    CompiledKernel kernel_;
};

constexpr std::int64_t chunk = 1 << 16;

/// Numbers of every size, most of them not far from 1.
template <class T>
T some_number(std::mt19937_64& random) {
    const double mantissa = 1 + static_cast<double>(random() >> 11) * 0x1p-53;
    const int far = random() % 8 == 0 ? std::numeric_limits<T>::max_exponent - 1 : 12;
    const int exponent = static_cast<int>(random() % static_cast<std::uint64_t>(2 * far)) - far;
    return static_cast<T>(std::ldexp(random() % 2 == 0 ? mantissa : -mantissa, exponent));
}

template <class T>
Measurement<T> measure_sampled(const bench::Exact& function, std::int64_t count) {
    Measurement<T> measured(function);
    std::mt19937_64 random(1);
    const Tensor<T> x({chunk}), y({chunk});
    for (std::int64_t done = 0; done < count; done += chunk) {
        for (std::int64_t i = 0; i < chunk; ++i) {
            x.data()[i] = some_number<T>(random);
            y.data()[i] = some_number<T>(random);
        }
        measured.meet(x, y);
    }
    return measured;
}

/// Of one operand: every stride-th float32, from the one of bits 0 on.
Measurement<float> measure_float32(const bench::Exact& function, std::uint64_t stride) {
    constexpr std::uint64_t all = std::uint64_t{1} << 32;
    if (function.of_two) return measure_sampled<float>(function, static_cast<std::int64_t>(all / stride));
    Measurement<float> measured(function);
    const Tensor<float> x({chunk});
    for (std::uint64_t bits = 0; bits < all;) {
        for (std::int64_t i = 0; i < chunk; ++i, bits += stride)
            x.data()[i] = std::bit_cast<float>(static_cast<std::uint32_t>(bits < all ? bits : 0));
        measured.meet(x, x);
    }
    return measured;
}

std::string text(const Worst& worst, bool of_two) {
    char line[96];
    if (worst.ulps == 0) return "0 | |";
    const int length = std::snprintf(line, sizeof line, "%.2f | %.9g", worst.ulps, worst.x);
    std::string result(line, static_cast<std::size_t>(length));
    if (of_two) result += (std::snprintf(line, sizeof line, ", %.9g", worst.y), line);
    return result + " |";
}

void print_head(std::ostream& out, const Options& options) {
    out << "# How exact functions are\n\n"
           "Greatest distance from the exact result in units of the last place (ULP): 0.5 is correctly "
           "rounded.\n"
           "Of compiled loops on this processor, and of the interpreter. float32: every "
        << options.stride
        << "-th of all 2^32 numbers, and as\nmany random pairs for functions of two operands; float64: a "
           "million random "
           "numbers.  The exact\nresult is that of the C library in `long double` (64 bits of precision), or "
           "of a series "
           "in it where the\nlibrary has none.  Written by `build/bin/bench_functions_ulp --stride "
        << options.stride
        << " --write docs/functions.md`.\n\n"
           "Next to a root that is no power of 2 (`sinc`, `digamma`, `lgamma`, `logit`, `logaddexp`) and to "
           "a pole "
           "(`trigamma`),\nwhat is left of a difference has few exact digits, and so many units; `sigmoid` "
           "is 0 where its "
           "result is\ndenormal, `sinc` NaN where pi times its operand overflows.\n\n"
           "| function | float32, loops | at | float32, interpreter | at | float64, loops | at | float64, "
           "interpreter | at |\n|---|---:|---|---:|---|---:|---|---:|---|\n";
}

Options parse(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--all")
            options.stride = 1;
        else if (word == "--stride" && i + 1 < argc)
            options.stride = std::max(1ULL, std::strtoull(argv[++i], nullptr, 10));
        else if (word == "--write" && i + 1 < argc)
            options.file = argv[++i];
        else
            throw ValueError("bench_functions_ulp takes --all, --stride N and --write FILE, not " + word);
    }
    return options;
}

void run(const Options& options) {
    std::ostringstream document;
    print_head(document, options);
    std::cout << document.str() << std::flush;
    for (const bench::Exact& function : bench::exact_functions()) {
        const auto single = measure_float32(function, options.stride);
        const auto twofold = measure_sampled<double>(function, 1 << 20);
        const bool of_two = function.of_two != nullptr;
        std::ostringstream row;
        row << "| `" << function.name << "` | " << text(single.loops, of_two) << ' '
            << text(single.interpreter, of_two) << ' ' << text(twofold.loops, of_two) << ' '
            << text(twofold.interpreter, of_two) << '\n';
        std::cout << row.str() << std::flush;
        document << row.str();
    }
    if (!options.file.empty()) std::ofstream(options.file) << document.str();
}

}  // namespace

int main(int argc, char** argv) {
    try {
        run(parse(argc, argv));
        return 0;
    } catch (const Error& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}

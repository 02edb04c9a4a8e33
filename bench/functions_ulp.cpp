// SPDX-License-Identifier: MIT
// How far functions are from the exact result, in units of the last place (ULP) of the dtype: compiled loops
// and the interpreter.  Prints a table.
//   --all            every float32, all 2^32 (about half an hour)
//   --stride N       every N-th float32; 2053 unless said
//   --only NAME      of one function
//   --write FILE     writes the table as a document
//   --check FILE     compares it with such a document: nothing may be further off than that says
#include <frisket/frisket.hpp>

#include <atomic>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <future>
#include <iostream>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "../ir/interpreter/interpret.hpp"
#include "exact_functions.hpp"

using namespace frisket;

namespace {

struct Options {
    std::uint64_t stride = 2053;
    std::string written, checked, only;
};

/// The worst error found, and where.
struct Worst {
    double ulps = 0;
    double x = 0, y = 0;

    void meet(double found_ulps, double at_x, double at_y) {
        if (!(found_ulps > ulps)) return;
        *this = {found_ulps, at_x, at_y};
    }
};

/// The distance of `found` from the exact result in units of the last place that T has there; infinite where
/// one is NaN or infinite and the other is not, and where zeros differ in sign.  Where terms of a greater
/// `size` cancel, the unit is theirs.
template <class T, class Real>
double ulps_between(T found, Real exact, Real size) {
    using Limits = std::numeric_limits<T>;
    if (std::isnan(exact) || std::isnan(found))
        return std::isnan(exact) && std::isnan(found) ? 0 : std::numeric_limits<double>::infinity();
    const T rounded = static_cast<T>(exact);
    if (found == rounded) {
        if (std::isinf(found)) return 0;
        if (exact == 0 && std::signbit(found) != std::signbit(exact)) return Limits::infinity();
    } else if (std::isinf(found) || std::isinf(exact)) {
        return std::numeric_limits<double>::infinity();
    }
    const Real unit_of = std::fmax(std::fabs(exact), size);
    const int exponent = unit_of == 0 ? Limits::min_exponent : std::ilogb(unit_of) + 1;
    const int last =
        std::min(std::max(exponent, Limits::min_exponent), Limits::max_exponent) - Limits::digits;
    return static_cast<double>(std::fabs(static_cast<Real>(found) - exact) / std::ldexp(Real(1), last));
}

/// Distance in ulps of a finite float32 from an exact result in double whose size is that of a normal number,
/// as most results are.
double ulps_of_normal(float found, double exact) {
    const auto exponent = static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(exact) >> 52 & 0x7ff);
    const double units = std::bit_cast<double>(static_cast<std::uint64_t>(2 * 1023 + 23 - exponent) << 52);
    return std::fabs(static_cast<double>(found) - exact) * units;
}
bool is_normal(float found, double exact) {
    const double size = std::fabs(exact);
    return size >= std::numeric_limits<float>::min() && size <= std::numeric_limits<float>::max() / 2 &&
           std::isfinite(found);
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

    /// The interpreter is asked for every `step`-th of them.
    void meet(const Tensor<T>& x, const Tensor<T>& y, std::int64_t step = 1) {
        call(x, y, by_loops_of(x.shape()), [&](const auto& arguments) { kernel_(std::span(arguments)); });
        for (std::int64_t i = 0; i < x.size(); ++i)
            loops.meet(off(by_loops_.data()[i], x.data()[i], y.data()[i]), x.data()[i], y.data()[i]);
        const Tensor<T> some_x = x.slice(0, 0, x.size(), step), some_y = y.slice(0, 0, x.size(), step);
        const Tensor<T> out(some_x.shape());
        call(some_x, some_y, out, [&](const auto& arguments) { interpret(graph_, std::span(arguments)); });
        for (std::int64_t i = 0; i < out.size(); ++i) {
            const T a = x.data()[i * step], b = y.data()[i * step];
            interpreter.meet(off(out.data()[i], a, b), a, b);
        }
    }

    Worst loops, interpreter;

private:
    const Tensor<T>& by_loops_of(const Shape& shape) {
        if (by_loops_.shape() != shape) by_loops_ = Tensor<T>(shape);
        return by_loops_;
    }
    /// Distance of `found` from the exact result in ulps; for most float32 in double, which is exact to 1e-8
    /// ulp.
    double off(T found, T x, T y) const {
        const long double size = function_.size_of_terms ? function_.size_of_terms(x, y) : 0;
        if (function_.of_two) return ulps_between(found, function_.of_two(x, y), size);
        if constexpr (std::is_same_v<T, float>) {
            const double exact = function_.of_one_fast(x);
            return size == 0 && is_normal(found, exact)
                       ? ulps_of_normal(found, exact)
                       : ulps_between<float, double>(found, exact, static_cast<double>(size));
        }
        return ulps_between(found, function_.of_one(x), size);
    }

    template <class Call>
    void call(const Tensor<T>& x, const Tensor<T>& y, const Tensor<T>& out, Call&& run) const {
        std::vector<NamedArgument> arguments{{"out", out}, {"x", x}};
        if (function_.of_two) arguments.push_back({"y", y});
        run(static_cast<const std::vector<NamedArgument>&>(arguments));
    }

    const bench::Exact& function_;
    Graph graph_;
    CompiledKernel kernel_;
    Tensor<T> by_loops_;
};

constexpr std::int64_t chunk = 1 << 14;

/// Every so many float32 what is slow is asked for one, where all are measured: the interpreter, and exact
/// results that are series.
constexpr std::int64_t slow_of_all = 61;

template <class T>
constexpr T edges[] = {0,
                       -T(0),
                       std::numeric_limits<T>::denorm_min(),
                       -std::numeric_limits<T>::denorm_min(),
                       std::numeric_limits<T>::min(),
                       -std::numeric_limits<T>::min(),
                       1,
                       -1,
                       std::numeric_limits<T>::max(),
                       std::numeric_limits<T>::lowest(),
                       std::numeric_limits<T>::infinity(),
                       -std::numeric_limits<T>::infinity(),
                       std::numeric_limits<T>::quiet_NaN()};

/// From 1 to 2, or their negatives.
double some_mantissa(std::mt19937_64& random) {
    const double mantissa = 1 + static_cast<double>(random() >> 11) * 0x1p-53;
    return random() % 2 == 0 ? mantissa : -mantissa;
}

/// A number so near to another that it differs in any of its last bits.
template <class T>
T some_number_near(double x, std::mt19937_64& random) {
    const int bits = static_cast<int>(random() % std::numeric_limits<T>::digits) + 1;
    return static_cast<T>(x + x * std::ldexp(some_mantissa(random), -bits));
}

/// Numbers of every size, most of them not far from 1; many next to halves and whole ones, where functions
/// have their roots and poles, and next to the function's own.
template <class T>
T some_number(const bench::Exact& function, std::mt19937_64& random) {
    const auto kind = random() % 8;
    if (kind == 0 && function.root != 0) return some_number_near<T>(function.root, random);
    if (kind < 2) return some_number_near<T>(static_cast<double>(random() % 512) / 2 - 128, random);
    const int far = kind == 2 ? std::numeric_limits<T>::max_exponent - 1 : 12;
    const int exponent = static_cast<int>(random() % static_cast<std::uint64_t>(2 * far)) - far;
    return static_cast<T>(std::ldexp(some_mantissa(random), exponent));
}

template <class T>
void measure_edges(Measurement<T>& measured) {
    const std::int64_t count = std::ssize(edges<T>);
    const Tensor<T> x({count * count}), y({count * count});
    for (std::int64_t i = 0; i < x.size(); ++i) {
        x.data()[i] = edges<T>[i / count];
        y.data()[i] = edges<T>[i % count];
    }
    measured.meet(x, y);
}

template <class T>
void measure_sampled(Measurement<T>& measured, const bench::Exact& function, std::int64_t count) {
    std::mt19937_64 random(1);
    const Tensor<T> x({chunk}), y({chunk});
    for (std::int64_t done = 0; done < count; done += chunk) {
        for (std::int64_t i = 0; i < chunk; ++i) {
            x.data()[i] = some_number<T>(function, random);
            y.data()[i] = some_number<T>(function, random);
            if (function.partner && i % 4 == 0)
                y.data()[i] = some_number_near<T>(function.partner(x.data()[i]), random);
        }
        measured.meet(x, y);
    }
}

template <class T>
Measurement<T> measure(const bench::Exact& function, std::int64_t count) {
    Measurement<T> measured(function);
    measure_edges(measured);
    measure_sampled(measured, function, count);
    return measured;
}

/// Measures float32: of one operand every stride-th number, counted from bits 0.
Measurement<float> measure_float32(const bench::Exact& function, std::uint64_t stride) {
    constexpr std::uint64_t all = std::uint64_t{1} << 32;
    if (function.of_two)
        return measure<float>(function, static_cast<std::int64_t>(std::min(all / stride, all >> 6)));
    if (stride == 1 && function.by_series) stride = slow_of_all;
    Measurement<float> measured(function);
    measure_edges(measured);
    const Tensor<float> x({chunk});
    for (std::uint64_t bits = 0; bits < all;) {
        for (std::int64_t i = 0; i < chunk; ++i, bits += stride)
            x.data()[i] = std::bit_cast<float>(static_cast<std::uint32_t>(bits < all ? bits : 0));
        measured.meet(x, x, stride == 1 ? slow_of_all : 1);
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
    const std::string which =
        options.stride == 1 ? "all 2^32 numbers" : "every " + std::to_string(options.stride) + "-th number";
    const std::string how = options.stride == 1 ? "--all" : "--stride " + std::to_string(options.stride);
    out << "# How exact functions are\n\n"
           "Greatest distance from the exact result in units of the last place (ULP): 0.5 is correctly "
           "rounded.\n"
           "Of compiled loops on this processor, and of the interpreter. float32: "
        << which
        << (options.stride == 1 ? " (the interpreter, and the last four functions of one operand: every " +
                                      std::to_string(slow_of_all) + "-th)"
                                : "")
        << ", and as many random pairs\n(at most 2^26) for functions of two operands; float64: 2^20 random "
           "numbers. "
           "Random numbers are of every size, many of\nthem next to roots, poles and whole numbers; zeros, "
           "denormals, infinities and NaN are among all. The exact result is\nthat of the C library in `long "
           "double` (64 bits of precision), or of a series in it where the library has none.\n"
           "Written by `build/bin/bench_functions_ulp "
        << how
        << " --write docs/functions.md`; the test `functions_table` compares.\n\n"
           "`digamma` of negative numbers is counted in units of the greatest of 1, `digamma(1 - x)` and the "
           "result, `logaddexp` in\nthose of the greater operand or the result: their roots (one between any "
           "two poles; where exp(a) + exp(b) is 1) are no\nnumbers, and next to one a single rounding of the "
           "terms is many units of what they leave.\n\n"
           "| function | float32, loops | at | float32, interpreter | at | float64, loops | at | float64, "
           "interpreter | at |\n|---|---:|---|---:|---|---:|---|---:|---|\n";
}

/// The four distances of a function's row in a document.
std::vector<double> documented(const std::string& file, std::string_view name) {
    std::ifstream document(file);
    const std::string begin = "| `" + std::string(name) + "` |";
    for (std::string line; std::getline(document, line);) {
        if (!line.starts_with(begin)) continue;
        std::vector<double> distances;
        std::istringstream cells(line.substr(begin.size()));
        for (std::string distance, at; std::getline(cells, distance, '|') && std::getline(cells, at, '|');)
            distances.push_back(std::strtod(distance.c_str(), nullptr));
        return distances;
    }
    return {};
}

/// Faults of a row, as text.  Half a unit more is allowed: C libraries differ.
std::string compared(const std::string& file, std::string_view name, const std::vector<Worst>& row) {
    const std::vector<double> wanted = documented(file, name);
    if (wanted.size() != row.size())
        return file + ": " + std::string(name) + " has no row of " + std::to_string(row.size()) +
               " distances: write it with --write " + file + "\n";
    std::ostringstream faults;
    constexpr const char* columns[] = {"float32, loops", "float32, interpreter", "float64, loops",
                                       "float64, interpreter"};
    for (std::size_t i = 0; i < row.size(); ++i)
        if (row[i].ulps > wanted[i] + 0.5)
            faults << file << ": " << name << " (" << columns[i] << ") is off by " << row[i].ulps
                   << " units at " << row[i].x << ", " << row[i].y << ", at most " << wanted[i]
                   << " are documented\n";
    return faults.str();
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
            options.written = argv[++i];
        else if (word == "--check" && i + 1 < argc)
            options.checked = argv[++i];
        else if (word == "--only" && i + 1 < argc)
            options.only = argv[++i];
        else
            throw ValueError("bench_functions_ulp takes --all, --stride N, --only NAME, --write FILE and "
                             "--check FILE, not " +
                             word);
    }
    return options;
}

std::vector<Worst> measure_both(const bench::Exact& function, const Options& options) {
    const auto single = measure_float32(function, options.stride);
    const auto twofold = measure<double>(function, options.checked.empty() ? 1 << 20 : 1 << 16);
    return {single.loops, single.interpreter, twofold.loops, twofold.interpreter};
}

/// Gives the faults that a comparison finds.  A function for each core at a time.
std::string run(const Options& options) {
    std::ostringstream document;
    std::string faults;
    print_head(document, options);
    std::cout << document.str() << std::flush;
    const auto functions = bench::exact_functions();
    std::vector<std::promise<std::vector<Worst>>> rows(functions.size());
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t i = next++; i < functions.size(); i = next++) try {
                if (!options.only.empty() && functions[i].name != options.only) {
                    rows[i].set_value({});
                    continue;
                }
                rows[i].set_value(measure_both(functions[i], options));
            } catch (...) { rows[i].set_exception(std::current_exception()); }
    };
    std::vector<std::jthread> workers(std::max(1U, std::thread::hardware_concurrency()));
    for (std::jthread& worker : workers) worker = std::jthread(work);
    for (std::size_t i = 0; i < functions.size(); ++i) {
        const std::vector<Worst> row = rows[i].get_future().get();
        if (row.empty()) continue;
        std::string line = "| `" + std::string(functions[i].name) + "` |";
        for (const Worst& worst : row) line += ' ' + text(worst, functions[i].of_two != nullptr);
        std::cout << line << '\n' << std::flush;
        document << line << '\n';
        if (!options.checked.empty()) faults += compared(options.checked, functions[i].name, row);
    }
    if (!options.written.empty()) std::ofstream(options.written) << document.str();
    return faults;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const std::string faults = run(parse(argc, argv));
        std::cerr << faults;
        return faults.empty() ? 0 : 1;
    } catch (const Error& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}

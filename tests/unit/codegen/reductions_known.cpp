// SPDX-License-Identifier: MIT
/// Reductions, interpreted and compiled, against their values in 120 digits.  make_reductions.py writes
/// the table.
#include <frisket/frisket.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace reductions_known_test {

using namespace frisket;

namespace {

/// A line of the table.
struct Known {
    std::string op, dtype;
    std::vector<double> values, results, errors;
};

std::vector<double> numbers(const std::string& text) {
    std::istringstream words(text);
    std::vector<double> made;
    for (std::string word; words >> word;) made.push_back(std::strtod(word.c_str(), nullptr));
    return made;
}

std::vector<Known> table() {
    std::ifstream file(KNOWN_REDUCTIONS);
    REQUIRE(file);
    std::vector<Known> made;
    for (std::string line; std::getline(file, line);) {
        std::istringstream columns(line);
        std::string cell[5];
        for (std::string& one : cell) std::getline(columns, one, '\t');
        made.push_back({cell[0], cell[1], numbers(cell[2]), numbers(cell[3]), numbers(cell[4])});
    }
    return made;
}

template <class T>
std::vector<double> wide(const Tensor<T>& x) {
    const std::vector<T> values = x.to_vector();
    return {values.begin(), values.end()};
}

template <class T>
using Operation = std::function<std::vector<double>(const Tensor<T>&, const EvalOptions&)>;

template <class T>
std::map<std::string, Operation<T>> operations() {
    const auto of = [](auto made) -> Operation<T> {
        return
            [made](const Tensor<T>& x, const EvalOptions& options) { return wide(eval(made(x), options)); };
    };
    return {
        {"sum", of([](const auto& x) { return sum(x); })},
        {"mean", of([](const auto& x) { return mean(x); })},
        {"prod", of([](const auto& x) { return prod(x); })},
        {"var", of([](const auto& x) { return var(x, {}, {}, 0); })},
        {"std_dev", of([](const auto& x) { return std_dev(x, {}, {}, 0); })},
        {"norm1", of([](const auto& x) { return norm(x, {}, {}, 1); })},
        {"norm2", of([](const auto& x) { return norm(x); })},
        {"norm3", of([](const auto& x) { return norm(x, {}, {}, 3); })},
        {"logsumexp", of([](const auto& x) { return logsumexp(x); })},
        {"softmax", of([](const auto& x) { return softmax(x, 0); })},
        {"log_softmax", of([](const auto& x) { return log_softmax(x, 0); })},
        {"cumsum", of([](const auto& x) { return cumsum(x, 0); })},
        {"cumprod", of([](const auto& x) { return cumprod(x, 0); })},
        {"dot", of([](const auto& x) { return sum(x * x); })},
    };
}

/// How far a result is from the table's in units of the error that it may have; 1 if it is right.
double distance(const std::vector<double>& found, const Known& known) {
    if (found.size() != known.results.size()) return INFINITY;
    double most = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const double far = std::abs(found[i] - known.results[i]) / known.errors[i];
        most = std::isnan(far) ? INFINITY : std::max(most, far);
    }
    return most;
}

template <class T>
void check(const Known& known, Jit jit) {
    static const auto all = operations<T>();
    const std::vector<T> values(known.values.begin(), known.values.end());
    const Tensor<T> x({static_cast<std::int64_t>(values.size())}, values);
    const std::vector<double> found = all.at(known.op)(x, {.jit = jit});
    if (distance(found, known) <= 1) return;
    CAPTURE(known.op, known.dtype, known.values, known.results, known.errors, found);
    CHECK(distance(found, known) <= 1);
}

void check_all(Jit jit, const std::function<bool(const Known&)>& is_wanted) {
    std::size_t count = 0;
    for (const Known& known : table()) {
        if (!is_wanted(known)) continue;
        ++count;
        known.dtype == "float32" ? check<float>(known, jit) : check<double>(known, jit);
    }
    REQUIRE(count > 100);
}

bool all(const Known& /*known*/) { return true; }

}  // namespace

TEST_CASE("interpreted reductions are those in 120 digits", "[codegen]") { check_all(Jit::never, all); }

TEST_CASE("compiled reductions of float32 are those in 120 digits", "[codegen]") {
    check_all(Jit::always, [](const Known& known) {
        return known.dtype == "float32" && known.values.size() > 2 && known.op != "norm3" &&
               known.op != "std_dev";
    });
}

TEST_CASE("all compiled reductions are those in 120 digits", "[codegen][deep]") {
    check_all(Jit::always, all);
}

}  // namespace reductions_known_test

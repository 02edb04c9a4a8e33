// SPDX-License-Identifier: MIT
#include "../../codegen/jit/evaluate.hpp"
#include "../support/matchers.hpp"
#include "table.hpp"

#include <frisket/frisket.hpp>

#include <cmath>
#include <functional>
#include <numeric>
#include <string>

namespace reductions_test {

using namespace frisket;
using namespace frisket::testing;
using Along = ir::Dims;
using ir::ExpressionContext;
using ir::Value;

namespace {

std::vector<Result> compiled(const Graph& graph, std::span<const Argument> arguments) {
    return codegen::jit_evaluate(graph, arguments);
}

/// The elements of a result, as double.
std::vector<double> elements(const Result& result) {
    return Tensor<double>(result.values.to(DType::float64)).to_vector();
}

/// Small integers that differ from one element to the next; every dtype holds them.
double pattern(std::int64_t i) { return static_cast<double>(i * 7 % 11 + i / 64 % 3); }

AnyTensor tensor_of(DType dtype, const Shape& shape, const std::function<double(std::int64_t)>& value) {
    AnyTensor made(DType::float64, shape);
    for (std::int64_t i = 0; i < made.size(); ++i) static_cast<double*>(made.data())[i] = value(i);
    return made.to(dtype);
}

/// A shape as [outer, reduced, inner]: `reduced` is the dimension that goes.
struct Fold {
    std::int64_t outer, reduced, inner;
    Along dims;
    Shape shape;
    double at(const AnyTensor& x, std::int64_t o, std::int64_t r, std::int64_t i) const {
        return static_cast<const double*>(x.data())[(o * reduced + r) * inner + i];
    }
};

Along along(int dim) { return std::vector<int>{dim}; }

using Slice = std::vector<double>;
struct Reduced {
    std::string name;
    Value (*make)(Value, const Along&);
    double (*wanted)(const Slice&);
    double tolerance = 0;  ///< tolerance for float64
};

double squares(const Slice& x) { return std::inner_product(x.begin(), x.end(), x.begin(), 0.0); }
double total(const Slice& x) { return std::accumulate(x.begin(), x.end(), 0.0); }
double mean_of(const Slice& x) { return total(x) / static_cast<double>(x.size()); }
double variance(const Slice& x) {
    const double mean = mean_of(x);
    double sum = 0;
    for (const double one : x) sum += (one - mean) * (one - mean);
    return sum / static_cast<double>(x.size());
}

/// Every reduction but reductions to a position. Sums of integers this small are exact in any order.
const std::vector<Reduced>& reductions() {
    constexpr double inexact = 1e-11;
    static const std::vector<Reduced> all{
        {"sum", [](Value x, const Along& d) { return sum(x, d); }, &total},
        {"sum of squares", [](Value x, const Along& d) { return sum(x * x, d); }, &squares},
        {"mean", [](Value x, const Along& d) { return mean(x, d); }, &mean_of, inexact},
        {"amin", [](Value x, const Along& d) { return amin(x, d); },
         [](const Slice& x) { return std::ranges::min(x); }},
        {"amax", [](Value x, const Along& d) { return amax(x, d); },
         [](const Slice& x) { return std::ranges::max(x); }},
        {"count", [](Value x, const Along& d) { return count(x, d); },
         [](const Slice& x) { return static_cast<double>(x.size()); }},
        {"var", [](Value x, const Along& d) { return var(x, d, 0); }, &variance, inexact},
        {"std", [](Value x, const Along& d) { return ir::std(x, d, 0); },
         [](const Slice& x) { return std::sqrt(variance(x)); }, inexact},
        {"norm 1", [](Value x, const Along& d) { return norm(x, 1, d); }, &total},
        {"norm 2", [](Value x, const Along& d) { return norm(x, 2, d); },
         [](const Slice& x) { return std::sqrt(squares(x)); }, inexact},
        {"norm 0", [](Value x, const Along& d) { return norm(x, 0, d); },
         [](const Slice& x) {
             return static_cast<double>(x.size()) - static_cast<double>(std::ranges::count(x, 0.0));
         }},
        {"norm infinity", [](Value x, const Along& d) { return norm(x, INFINITY, d); },
         [](const Slice& x) { return std::ranges::max(x); }},
        {"logsumexp", [](Value x, const Along& d) { return logsumexp(x, d); },
         [](const Slice& x) {
             double sum = 0;
             for (const double one : x) sum += std::exp(one);
             return std::log(sum);
         },
         inexact},
    };
    return all;
}

/// Difference between the results of loops for `x` along `fold` and the expected results; empty: none.
std::string fault_of(const AnyTensor& x, const Fold& fold, const std::vector<Result>& found) {
    std::vector<std::vector<double>> values;
    for (const Result& result : found) values.push_back(elements(result));
    for (std::int64_t kept = 0; kept < fold.outer * fold.inner; ++kept) {
        Slice slice;
        for (std::int64_t r = 0; r < fold.reduced; ++r)
            slice.push_back(fold.at(x, kept / fold.inner, r, kept % fold.inner));
        for (std::size_t k = 0; k < reductions().size(); ++k) {
            const Reduced& one = reductions()[k];
            const double wanted = one.wanted(slice), value = values[k].at(static_cast<std::size_t>(kept));
            if (std::abs(value - wanted) > one.tolerance * std::abs(wanted))
                return one.name + " over " + to_string(fold.shape) + ", slice " + std::to_string(kept) +
                       ", is " + std::to_string(value) + ", wanted " + std::to_string(wanted);
        }
    }
    return "";
}

std::string fault_of(const Fold& fold) {
    const AnyTensor x = tensor_of(DType::float64, fold.shape, pattern);
    ExpressionContext session("reduced", &compiled);
    const Value operand = session.tensor(x);
    std::vector<Value> results;
    for (const Reduced& one : reductions()) results.push_back(one.make(operand, fold.dims));
    return fault_of(x, fold, session.run(results));
}

/// Number of slices of `slice` elements with which loops use threads.
std::int64_t enough_for_threads(std::int64_t slice) {
    return (limits::least_for_threads + slice - 1) / slice;
}

const std::vector<std::int64_t>& folded_sizes() {
    static const std::vector<std::int64_t> sizes = [] {
        auto made = sizes_of(Of::folded, limits::least_for_threads);
        made.push_back(1'000'003);  // several turns of each block, and a rest
        return made;
    }();
    return sizes;
}

}  // namespace

TEST_CASE("reductions of all elements take each of them, at every size around a limit") {
    for (const std::int64_t size : folded_sizes()) CHECK(fault_of({1, size, 1, {}, {size}}) == "");
    const std::int64_t columns = 3 * limits::fold_chunk + 1, rows = enough_for_threads(columns);
    for (const std::int64_t count : {rows - 1, rows, 2 * rows + 1})
        CHECK(fault_of({1, count * columns, 1, {}, {count, columns}}) == "");
}

TEST_CASE("sums of ones of every dtype count them, at every size around a limit") {
    for (const DTypeInfo& row : dtypes)
        for (const std::int64_t size : folded_sizes()) {
            ExpressionContext session("ones", &compiled);
            const AnyTensor ones = tensor_of(row.dtype, {size}, [](std::int64_t) { return 1; });
            const Value x = session.tensor(ones);
            const Value results[] = {sum(x), count(x), prod(x), ir::all(x)};
            const std::vector<Result> found = session.run(results);
            INFO(row.name << ", " << size);
            CHECK(elements(found[0]).at(0) == static_cast<double>(size));
            CHECK(elements(found[1]).at(0) == static_cast<double>(size));
            CHECK(elements(found[2]).at(0) == 1);
            CHECK(elements(found[3]).at(0) == 1);
        }
}

TEST_CASE("one element among many is found wherever it is, and which it was") {
    for (const DType dtype : {DType::uint8, DType::int32, DType::float32, DType::float16, DType::float64})
        for (const std::int64_t size : folded_sizes()) {
            const AnyTensor x = AnyTensor(DType::float64, {size}).to(dtype);
            const AnyTensor one = tensor_of(dtype, {1}, [](std::int64_t) { return 1; });
            const AnyTensor zero = x.slice(0, 0, 1).clone();
            for (const std::int64_t edge : edges_of(Of::folded, size)) {
                copy(one, x.slice(0, edge, edge + 1));
                ExpressionContext session("peak", &compiled);
                const Value peak = session.tensor(x);
                const Value results[] = {argmax(peak), amax(peak),    any(peak),
                                         sum(peak),    argmin(-peak), amin(-peak)};
                const std::vector<Result> found = session.run(results);
                INFO(name_of(dtype) << ", " << size << ", at " << edge);
                CHECK(elements(found[0]).at(0) == static_cast<double>(edge));
                for (const std::size_t i : {1, 2, 3}) CHECK(elements(found[i]).at(0) == 1);
                CHECK(elements(found[4]).at(0) == static_cast<double>(edge));
                CHECK(elements(found[5]).at(0) == -1);
                copy(zero, x.slice(0, edge, edge + 1));
            }
        }
}

TEST_CASE("all() sees one that is false, and a product one that is 2, wherever it is") {
    for (const std::int64_t size : folded_sizes()) {
        const Tensor<bool> truth = full<bool>({size}, true);
        const Tensor<double> factors = full<double>({size}, 1);
        for (const std::int64_t edge : edges_of(Of::folded, size)) {
            truth.data()[edge] = false;
            factors.data()[edge] = 2;
            ExpressionContext session("falsehood", &compiled);
            const Value results[] = {ir::all(session.tensor(truth)), prod(session.tensor(factors))};
            const std::vector<Result> found = session.run(results);
            INFO(size << ", at " << edge);
            CHECK(elements(found[0]).at(0) == 0);
            CHECK(elements(found[1]).at(0) == 2);
            truth.data()[edge] = true;
            factors.data()[edge] = 1;
        }
    }
}

TEST_CASE("reductions along a dimension take every element of every slice, at every size around a limit") {
    constexpr std::int64_t prime = 7;
    for (const std::int64_t size : sizes_of(Of::folded, limits::fold_chunk)) {
        CHECK(fault_of({prime, size, 1, along(1), {prime, size}}) == "");
        CHECK(fault_of({1, size, prime, along(0), {size, prime}}) == "");
        CHECK(fault_of({prime, size, 3, along(1), {prime, size, 3}}) == "");
    }
    for (const std::int64_t size : sizes_of(Of::lines, 1024)) {
        CHECK(fault_of({size, prime, 1, along(1), {size, prime}}) == "");
        CHECK(fault_of({1, prime, size, along(0), {prime, size}}) == "");
    }
}

TEST_CASE("the same by several threads") {
    for (const std::int64_t size : sizes_of(Of::folded, limits::fold_chunk)) {
        const std::int64_t lines = enough_for_threads(size);
        CHECK(fault_of({lines, size, 1, along(1), {lines, size}}) == "");
        CHECK(fault_of({1, size, lines, along(0), {size, lines}}) == "");
    }
    for (const std::int64_t size : sizes_of(Of::lines, 1024)) {
        const std::int64_t reduced = enough_for_threads(size);
        CHECK(fault_of({size, reduced, 1, along(1), {size, reduced}}) == "");
        CHECK(fault_of({1, reduced, size, along(0), {reduced, size}}) == "");
        CHECK(fault_of({3, reduced, size, along(1), {3, reduced, size}}) == "");
    }
}

TEST_CASE("reductions of masked tensors take every specified element, in every layout that lists them") {
    for (const std::int64_t size : folded_sizes()) {
        const Tensor<double> values(tensor_of(DType::float64, {size}, pattern));
        const Tensor<bool> mask({size});
        double wanted = 0;
        std::int64_t specified = 0;
        for (std::int64_t i = 0; i < size; ++i) {
            mask.data()[i] = i % 3 != 1;
            wanted += mask.data()[i] ? values.data()[i] : 0;
            specified += mask.data()[i] ? 1 : 0;
        }
        for (const Layout layout : {Layout::strided, Layout::bitmask, Layout::coo}) {
            const AnyMasked masked = poison(AnyMasked::strided(values, mask)).to(layout);
            ExpressionContext session("masked sums", &compiled);
            const Value x = session.masked(masked);
            const Value results[] = {sum(x), count(x), amax(x)};
            const std::vector<Result> found = session.run(results);
            INFO(size << ", " << name_of(layout));
            CHECK(elements(found[0]).at(0) == (specified > 0 ? wanted : 0));
            CHECK(elements(found[1]).at(0) == static_cast<double>(specified));
        }
    }
}

}  // namespace reductions_test

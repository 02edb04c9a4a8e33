// SPDX-License-Identifier: MIT
#include "list_programs.hpp"

#include "../../ir/at.hpp"
#include "../fuzz/minimise.hpp"
#include "list_generator.hpp"
#include "operations.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace closure {

using ir::at;

namespace {

/// Number of a dimension's class: the classes of all dimensions tell if a shape is huge.
int weight_of(std::int64_t extent) {
    if (extent == large.ids || extent == small.ids) return 1;
    if (extent < small.columns / 2) return 0;
    const bool is_flat =
        extent >= (extent >= least_large.columns / 8 ? 1000 * least_large.rows : 12 * small.rows);
    return is_flat ? 4 : 2;
}

/// Multiples of 1/16, none of them 0: a pattern, repeated.
AnyTensor dense_of(DType dtype, const Shape& shape, std::uint32_t seed) {
    AnyTensor tensor(dtype, shape);
    if (tensor.size() == 0) return tensor;
    testing::Random random(seed);
    const std::int64_t period = std::min<std::int64_t>(tensor.size(), 4093), bytes = bytes_of(dtype);
    dispatch(dtype, [&]<class T>() {
        for (std::int64_t i = 0; i < period; ++i)
            static_cast<T*>(tensor.data())[i] = testing::random_element<T>(random);
    });
    auto* data = static_cast<std::byte*>(tensor.data());
    for (std::int64_t done = period; done < tensor.size(); done *= 2)
        std::memcpy(data + done * bytes, data,
                    static_cast<std::size_t>(std::min(done, tensor.size() - done) * bytes));
    return tensor;
}

}  // namespace

bool is_huge(const Shape& shape) {
    int weight = 0;
    for (const std::int64_t extent : shape) weight += weight_of(extent);
    return weight >= 3;
}

ListGenerator::ListGenerator(std::uint32_t seed, const Sizes& sizes)
    : random_(seed), seed_(seed), sizes_(sizes), session_("closure") {
    program_.seed = seed;
    rows_ = sizes.rows;
    columns_ = one_in(2) ? sizes.rows : sizes.columns;
    width_ = std::array<std::int64_t, 6>{4, 8, 3, 2, 5, 6}.at(at(below(6)));
}

Value ListGenerator::value(int operand) const {
    return operand < 0 ? inputs_.at(at(-1 - operand)) : made_.at(at(operand));
}

Made ListGenerator::add_dense(const Shape& shape) {
    if (is_huge(shape)) return {};
    const std::uint32_t seed = seed_ * 31 + static_cast<std::uint32_t>(program_.inputs.size());
    program_.inputs.push_back({.values = dense_of(DType::float32, shape, seed)});
    inputs_.push_back(session_.tensor(program_.inputs.back().values));
    return -static_cast<int>(inputs_.size());
}

int ListGenerator::add_ids(std::int64_t bound, Ids ids_are) {
    const AnyTensor ids(DType::int64, {sizes_.ids});
    testing::Random random(seed_ * 31 + static_cast<std::uint32_t>(program_.inputs.size()));
    for (std::int64_t i = 0; i < sizes_.ids; ++i) {
        // Hubs are gathered, so that something is found; some from the end.
        const bool is_hub = random.below(2) == 0;
        const std::int64_t id = is_hub ? random.below(sizes_.hubs) * 7 % bound : random.below(bound);
        const bool is_from_end = ids_are == Ids::any && random.below(8) == 0;
        static_cast<std::int64_t*>(ids.data())[i] = is_from_end ? id - bound : id;
    }
    program_.inputs.push_back({.values = ids, .bound = bound});
    inputs_.push_back(session_.tensor(program_.inputs.back().values));
    return -static_cast<int>(inputs_.size());
}

/// Places of lists of a shape: half of them in few rows and columns, so that products have terms.
std::vector<std::vector<std::int64_t>> ListGenerator::places(const Shape& shape, std::uint32_t which) {
    testing::Random random(seed_ * 7 + which);
    std::vector<Shape> found;
    for (std::int64_t i = 0; i < sizes_.places; ++i) {
        const bool is_hub = random.below(2) == 0;
        Shape place;
        for (const std::int64_t extent : shape) {
            const bool is_near = is_hub && extent > sizes_.hubs;
            place.push_back(is_near ? random.below(sizes_.hubs) * 7 % extent : random.below(extent));
        }
        found.push_back(place);
    }
    std::ranges::sort(found);
    found.erase(std::ranges::unique(found).begin(), found.end());
    std::vector<std::vector<std::int64_t>> lists(shape.size());
    for (const Shape& place : found)
        for (std::size_t d = 0; d < shape.size(); ++d) lists[d].push_back(place[d]);
    return lists;
}

int ListGenerator::add_list(const Shape& shape, std::optional<std::uint32_t> same) {
    const auto which = same ? *same : next_places_++;
    const auto lists = places(shape, which);
    const auto count = std::ssize(lists.at(0));
    const std::uint32_t seed = seed_ * 31 + static_cast<std::uint32_t>(program_.inputs.size());
    const AnyMasked coo = AnyMasked::coo(shape, lists, dense_of(DType::float32, {count}, seed));
    constexpr Layout layouts[] = {Layout::csr, Layout::csr, Layout::csc, Layout::coo};
    const Layout layout = layouts[below(4)];
    // An extent that is a product of two has too many rows to be counted.
    const bool is_flat = std::ranges::any_of(shape, [](auto extent) { return weight_of(extent) > 2; });
    program_.inputs.push_back({.values = {}, .list = shape.size() == 2 && !is_flat ? coo.to(layout) : coo});
    inputs_.push_back(session_.masked(*program_.inputs.back().list));
    places_of_[-static_cast<int>(inputs_.size())] = which;
    return -static_cast<int>(inputs_.size());
}

/// A call, unless an operand is missing, it is refused, or it makes a dense tensor that cannot be stored.
Made ListGenerator::add(std::string_view form, const std::vector<Made>& operands, Instruction with,
                        Allow allow) {
    std::vector<Value> values;
    for (const Made& operand : operands) {
        if (!operand) return {};
        with.operands.push_back(*operand);
        values.push_back(value(*operand));
    }
    const auto table = fuzz::forms();
    const auto found = std::ranges::find(table, form, &fuzz::Form::name);
    with.form = static_cast<int>(found - table.begin());
    try {
        const Value made = found->apply(&session_, values, with);
        if (is_huge(made.shape()) && !made.is_masked() && allow == Allow::kept) return {};
        made_.push_back(made);
    } catch (const Error&) { return {}; }
    program_.instructions.push_back(with);
    return static_cast<int>(made_.size()) - 1;
}

/// Programs begin with a list; each operation reads the last result, more often than not.
Program ListGenerator::make() {
    const bool has_batches = one_in(10);
    Made last = one_in(15)    ? add_list({rows_})
                : has_batches ? add_list({3, rows_, columns_})
                              : add_list({rows_, columns_});
    // Every fifth program is one that users write.
    constexpr std::uint32_t chained = 5;
    if (seed_ % chained == chained - 1) return with_result(add_chain(*last));
    const std::int64_t wanted = 1 + below(5);
    for (std::int64_t tries = 0, done = 0; tries < 12 && done < wanted; ++tries)
        if (const Made next = add_any(*last)) last = next, ++done;
    return with_result(*last);
}

Program ListGenerator::with_result(int value) {
    if (value >= 0) program_.results = {value};
    return program_;
}

Made ListGenerator::add_any(int x) {
    // Later operations read earlier results as well.
    if (!made_.empty() && one_in(6)) x = static_cast<int>(below(std::ssize(made_)));
    if (!info_of(value(x).dtype()).is_float && value(x).dtype() != DType::boolean) return {};
    if (is_huge(value(x).shape()) && !value(x).is_masked()) return {};
    return is_huge(value(x).shape()) ? of_list(x) : of_kept(x);
}

namespace {

/// The program of one seed; nothing if its choices depend on the size, or give nothing.
std::optional<Sized> generate_one(std::uint32_t seed, const Sizes& large_sizes, std::string_view only) {
    Sized made{ListGenerator(seed, large_sizes).make(), ListGenerator(seed, small).make()};
    const auto &a = made.large.instructions, &b = made.small.instructions;
    bool is_same = a.size() == b.size() && made.large.inputs.size() == made.small.inputs.size() &&
                   made.large.results == made.small.results && !made.large.results.empty();
    for (std::size_t i = 0; is_same && i < a.size(); ++i)
        is_same = a[i].form == b[i].form && a[i].operands == b[i].operands;
    if (!is_same) return {};
    const int result = made.large.results[0];
    made = {fuzz::with_result(made.large, result), fuzz::with_result(made.small, result)};
    if (only.empty()) return made;
    const std::vector<std::string> names = operations_of(made.small);
    if (std::ranges::find(names, only) == names.end()) return {};
    return made;
}

}  // namespace

Sized generate(std::uint32_t seed, const Sizes& large_sizes, std::string_view only) {
    constexpr std::uint32_t apart = 0x9e3779b9;
    const int tries = only.empty() ? 8 : 400;
    for (int i = 0; i < tries; ++i)
        if (auto made = generate_one(seed + static_cast<std::uint32_t>(i) * apart, large_sizes, only))
            return *std::move(made);
    return {};
}

}  // namespace closure

// SPDX-License-Identifier: MIT
// The unit of budgets.tsv: CPU seconds that a machine takes to compile this file.  It includes only the
// standard library, and never changes: a change would rescale every row.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

namespace {

template <int N>
struct Number {
    int value = N;
    friend auto operator<=>(const Number&, const Number&) = default;
};

template <int N>
int work(std::stringstream& text) {
    std::map<std::string, std::vector<Number<N>>> sorted;
    std::unordered_map<int, std::variant<Number<N>, std::string, std::unique_ptr<Number<N>>>> found;
    std::function<int(int)> next = [&](int i) {
        return i < N ? static_cast<int>(sorted.size()) : next(i - 1);
    };
    for (std::string word; text >> word;) sorted[word].push_back({next(static_cast<int>(word.size()))});
    for (auto& [word, numbers] : sorted) {
        std::ranges::sort(numbers);
        std::ranges::stable_sort(numbers, std::greater{}, &Number<N>::value);
        found.emplace(static_cast<int>(numbers.size()), word);
    }
    int sum = 0;
    for (const auto& [size, one] : found)
        sum += std::visit([](const auto& value) { return static_cast<int>(sizeof value); }, one) + size;
    return std::get<0>(std::tuple(sum, N));
}

template <int... N>
int all(std::stringstream& text, std::integer_sequence<int, N...>) {
    return (work<N>(text) + ...);
}

}  // namespace

int calibration(std::stringstream& text) { return all(text, std::make_integer_sequence<int, 2>()); }

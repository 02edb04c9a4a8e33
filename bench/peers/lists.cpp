// SPDX-License-Identifier: MIT
#include "list_data.hpp"
#include "workloads.hpp"

using namespace frisket;

namespace bench {

namespace {

/// A matrix, and its transpose.
template <class T>
struct Lists {
    explicit Lists(bool is_skewed = false) {
        const Positions at(is_skewed);
        const auto values = numbers<T>(7, {std::ssize(at.rows)});
        x = MaskedTensor<T>::coo({extent, extent}, {at.rows, at.columns}, values);
        y = MaskedTensor<T>(MaskedTensor<T>::coo({extent, extent}, {at.columns, at.rows}, values).coalesce());
    }
    MaskedTensor<T> x, y;
};

template <class T, class MakeExpression>
Workload of_lists(const std::string& name, MakeExpression expression) {
    return {name, [expression, is_skewed = name.starts_with("skewed")](const Settings& settings) {
                const Lists<T> all(is_skewed);
                return timed([all, expression, how = settings.eval] { return eval(expression(all), how); });
            }};
}

/// Conversion from a layout to another one.
template <class T>
Workload conversion(const std::string& name, Layout from, Layout to) {
    return {name, [from, to](const Settings&) {
                const auto given = MaskedTensor<T>(Lists<T>().x.to(from));
                return timed([given, to] { return MaskedTensor<T>(given.to(to)); });
            }};
}

/// Sorts positions that come in no order; a list that is sorted stays so, thus each call has a new one.
template <class T>
Workload coalescing() {
    return {"coo coalesce", [](const Settings&) {
                const Indices rows = indices(5), columns = indices(6);
                Indices positions = rows;
                for (std::size_t i = 0; i < rows.size(); ++i) positions[i] = rows[i] * extent + columns[i];
                const auto values = numbers<T>(7, {list_count});
                return timed([positions, values] {
                    const auto list = std::make_shared<const IndexList>(positions, extent * extent);
                    return MaskedTensor<T>(
                        AnyMasked::indexed(Layout::coo, {extent, extent}, list, values).coalesce());
                });
            }};
}

}  // namespace

template <class T>
void add_list_workloads(std::vector<Workload>& to) {
    using L = Lists<T>;
    for (const std::string kind : {"coo ", "skewed "}) {
        to.push_back(of_lists<T>(kind + "row sums", [](const L& all) { return sum(all.x, {1}); }));
        to.push_back(of_lists<T>(kind + "softmax rows", [](const L& all) { return softmax(all.x, 1); }));
        to.push_back(of_lists<T>(kind + "union", [](const L& all) { return unite(all.x + all.y); }));
        to.push_back(of_lists<T>(kind + "transpose", [](const L& all) { return transpose(all.x, 0, 1); }));
    }
    to.push_back(of_lists<T>("coo intersection", [](const L& all) { return intersect(all.x * all.y); }));
    to.push_back(coalescing<T>());
    to.push_back(conversion<T>("coo to csr", Layout::coo, Layout::csr));
    to.push_back(conversion<T>("csr to coo", Layout::csr, Layout::coo));
    to.push_back(conversion<T>("csr to csc", Layout::csr, Layout::csc));
    to.push_back(conversion<T>("csc to csr", Layout::csc, Layout::csr));
    to.push_back(conversion<T>("csr to bsr", Layout::csr, Layout::bsr));
    to.push_back(conversion<T>("bsr to csr", Layout::bsr, Layout::csr));
}

template void add_list_workloads<float>(std::vector<Workload>&);
template void add_list_workloads<double>(std::vector<Workload>&);

}  // namespace bench

// SPDX-License-Identifier: MIT
// The class Masked: a handle to a masked tensor, its constructors, its parts.
#include "masked_tensors.hpp"

#include "../../runtime/layouts/layout_traits.hpp"

#include <nanobind/stl/pair.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace frisket::python {

namespace {

using Extents = std::vector<std::int64_t>;
using Pair = std::pair<std::int64_t, std::int64_t>;

std::optional<AnyTensor> held(const std::optional<nb::object>& object) {
    return object ? std::optional(hold(*object)) : std::nullopt;
}

/// Elements of an array of int32 or int64 with one dimension, copied.
Extents integers(const nb::object& object, const char* layout) {
    return detail::index_tensors::whole_numbers(layout, borrow(object.ptr()));
}

/// Errors: LayoutError for names that are no layout of entries.
Masked compressed(const std::string& layout, const Extents& shape, const nb::object& pointers,
                  const nb::object& indices, const nb::object& values, std::optional<Pair> blocksize,
                  const std::optional<nb::object>& values_mask) {
    const char* name = layout.c_str();
    Extents lines = integers(pointers, name), entries = integers(indices, name);
    if (layout == "csr")
        return AnyMasked::csr(shape, std::move(lines), std::move(entries), hold(values), held(values_mask));
    if (layout == "csc")
        return AnyMasked::csc(shape, std::move(lines), std::move(entries), hold(values), held(values_mask));
    if (!blocksize) throw LayoutError(layout + " wants a blocksize: write blocksize=(rows, columns)");
    const Blocksize block{.rows = blocksize->first, .columns = blocksize->second};
    if (layout == "bsr")
        return AnyMasked::bsr(shape, block, std::move(lines), std::move(entries), hold(values),
                              held(values_mask));
    return AnyMasked::bsc(shape, block, std::move(lines), std::move(entries), hold(values),
                          held(values_mask));
}

Masked coo(const Extents& shape, const nb::object& indices, const nb::object& values,
           const std::optional<nb::object>& values_mask) {
    const AnyTensor positions = hold(indices);
    if (!values_mask) return AnyMasked::coo(shape, positions, hold(values));
    const Tensor<std::int64_t> wide(positions.to(DType::int64));
    if (wide.rank() != 2)
        throw ShapeError("coo: indices have shape " + to_string(wide.shape()) + ", wanted [rank, stored]");
    const Extents flat = wide.to_vector();
    std::vector<Extents> lists;
    const auto stored = static_cast<std::ptrdiff_t>(wide.shape()[1]);
    for (std::ptrdiff_t d = 0; d < wide.shape()[0]; ++d)
        lists.emplace_back(flat.begin() + d * stored, flat.begin() + (d + 1) * stored);
    return AnyMasked::coo(shape, lists, hold(values), held(values_mask));
}

Masked two_four(const Extents& shape, const nb::object& slots, const nb::object& values,
                const std::optional<nb::object>& values_mask) {
    return AnyMasked::two_four(shape, integers(slots, "two_four"), hold(values), held(values_mask));
}

nb::object item(const Masked& masked) {
    return dispatch(masked.dtype(), [&]<class T>() -> nb::object {
        const auto value = MaskedTensor<T>(masked).item();
        if constexpr (std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>)
            return nb::cast(static_cast<double>(static_cast<float>(value)));
        else
            return nb::cast(value);
    });
}

/// Lists of positions of the stored entries: of coo a list for each dimension, of rows one list.
nb::object indices_of(const Masked& masked) {
    if (masked.index()) {
        const IndexList& index = *masked.index();
        const bool is_coo = !runtime::lists_rows(masked.layout());
        const std::int64_t rank = is_coo ? masked.rank() : 1;
        const Tensor<std::int64_t> lists({rank, index.size()});
        for (std::int64_t i = 0; i < index.size(); ++i) {
            const Shape at = is_coo ? unravel(index[i], masked.shape()) : Shape{index[i]};
            for (std::int64_t d = 0; d < rank; ++d)
                lists.data()[d * index.size() + i] = at[static_cast<std::size_t>(d)];
        }
        return array_of(is_coo ? AnyTensor(lists) : lists.reshape({-1}));
    }
    if (!masked.compressed_index()) return nb::none();
    const Extents& indices = masked.compressed_index()->indices;
    return array_of(Tensor<std::int64_t>({static_cast<std::int64_t>(indices.size())}, indices));
}

nb::object pointers_of(const Masked& masked) {
    if (!masked.compressed_index() || masked.compressed_index()->pointers.empty()) return nb::none();
    const Extents& pointers = masked.compressed_index()->pointers;
    return array_of(Tensor<std::int64_t>({static_cast<std::int64_t>(pointers.size())}, pointers));
}

Masked to_layout(const Masked& masked, const std::string& layout, std::optional<Pair> blocksize) {
    std::optional<Blocksize> block;
    if (blocksize) block = Blocksize{.rows = blocksize->first, .columns = blocksize->second};
    return {masked.to(parse_layout(layout), block), masked.known_lineage()};
}

/// The mask of the stored values, if the layout has one.
nb::object values_mask_of(const Masked& masked) {
    return masked.mask().size() == 0 ? nb::none() : array_of(masked.mask());
}

nb::object blocksize_of(const Masked& masked) {
    if (runtime::traits_of(masked.layout()).from_blocks == nullptr) return nb::none();
    const Blocksize block = masked.compressed_index()->blocksize;
    return nb::make_tuple(block.rows, block.columns);
}

void add_class(nb::module_& module) {
    nb::class_<Masked>(module, "Masked", nb::dynamic_attr(), nb::is_weak_referenceable())
        .def_prop_ro("shape", [](const Masked& masked) { return nb::tuple(nb::cast(masked.shape())); })
        .def_prop_ro("ndim", [](const Masked& masked) { return masked.rank(); })
        .def_prop_ro("size", [](const Masked& masked) { return masked.size(); })
        .def_prop_ro("dtype", [](const Masked& masked) { return std::string(name_of(masked.dtype())); })
        .def_prop_ro("layout", [](const Masked& masked) { return std::string(name_of(masked.layout())); })
        .def_prop_ro("mask", [](const Masked& masked) { return array_of(masked.mask_tensor()); })
        .def_prop_ro("stored_values", [](const Masked& masked) { return array_of(masked.values()); })
        .def_prop_ro("stored_mask", &values_mask_of)
        .def_prop_ro("indices", &indices_of)
        .def_prop_ro("pointers", &pointers_of)
        .def_prop_ro("blocksize", &blocksize_of)
        .def_prop_ro("is_coalesced",
                     [](const Masked& masked) { return !masked.index() || masked.index()->is_coalesced(); })
        .def(
            "filled", [](const Masked& masked, double fill) { return array_of(masked.to_dense(fill)); },
            nb::arg("fill"))
        .def("specified_count", [](const Masked& masked) { return masked.specified_count(); })
        .def("to", &to_layout, nb::arg("layout"), nb::arg("blocksize") = nb::none())
        .def("coalesce",
             [](const Masked& masked) { return Masked(masked.coalesce(), masked.known_lineage()); })
        .def("copy", [](const Masked& masked) { return Masked(masked.clone(), masked.known_lineage()); })
        .def("item", &item)
        .def("__repr__", [](const Masked& masked) { return to_string(masked); });
}

}  // namespace

void add_masked(nb::module_& module) {
    add_class(module);
    module.def("strided", [](const nb::object& values, const nb::object& mask) -> Masked {
        return AnyMasked::strided(hold(values), hold(mask));
    });
    module.def("bitmask", [](const nb::object& values, const nb::object& words) -> Masked {
        return AnyMasked::bitmask(hold(values), hold(words));
    });
    module.def("rows", [](const Extents& shape, const nb::object& ids, const nb::object& values) -> Masked {
        return AnyMasked::rows(shape, hold(ids), hold(values));
    });
    module.def("coo", &coo, nb::arg("shape"), nb::arg("indices"), nb::arg("values"),
               nb::arg("values_mask") = nb::none());
    module.def("compressed", &compressed, nb::arg("layout"), nb::arg("shape"), nb::arg("pointers"),
               nb::arg("indices"), nb::arg("values"), nb::arg("blocksize") = nb::none(),
               nb::arg("values_mask") = nb::none());
    module.def("two_four", &two_four, nb::arg("shape"), nb::arg("slots"), nb::arg("values"),
               nb::arg("values_mask") = nb::none());
}

}  // namespace frisket::python

// SPDX-License-Identifier: MIT
#include "storage.hpp"

#include <map>

using namespace frisket;

namespace conformance {

namespace {

using Indices = std::vector<std::int64_t>;

/// The names of the lists of pointers and of indices.
struct Fields { const char *pointers, *indices; };

Fields fields_of(Layout layout) {
    const bool is_by_column = layout == Layout::csc || layout == Layout::bsc;
    return is_by_column ? Fields{"ccol", "row"} : Fields{"crow", "col"};
}

std::optional<AnyTensor> values_mask_of(const Json& json) {
    if (!json.contains("values_mask")) return {};
    const Json& data = json.at("values_mask");
    return tensor_of(DType::boolean, {static_cast<std::int64_t>(data.size())}, data);
}

AnyMasked compressed_of(Layout layout, const Json& json, const AnyTensor& values) {
    const Shape shape = shape_of(json);
    const std::optional<AnyTensor> mask = values_mask_of(json);
    if (layout == Layout::two_four)
        return AnyMasked::two_four(shape, json.at("slots").get<Indices>(), values, mask);
    const Indices pointers = json.at(fields_of(layout).pointers).get<Indices>();
    const Indices indices = json.at(fields_of(layout).indices).get<Indices>();
    switch (layout) {
        case Layout::csr: return AnyMasked::csr(shape, pointers, indices, values, mask);
        case Layout::csc: return AnyMasked::csc(shape, pointers, indices, values, mask);
        case Layout::bsr: return AnyMasked::bsr(shape, *blocksize_of(json), pointers, indices, values, mask);
        default: return AnyMasked::bsc(shape, *blocksize_of(json), pointers, indices, values, mask);
    }
}

AnyTensor all_true(const Shape& shape) {
    AnyTensor tensor(DType::boolean, shape);
    std::fill_n(static_cast<bool*>(tensor.data()), tensor.size(), true);
    return tensor;
}

/// The coordinates of stored elements, a list for each dimension.
std::vector<Indices> coordinates_of(const IndexList& positions, const Shape& shape) {
    std::vector<Indices> lists(shape.size());
    for (std::int64_t i = 0; i < positions.size(); ++i) {
        const Shape index = unravel(positions[i], shape);
        for (std::size_t d = 0; d < shape.size(); ++d) lists[d].push_back(index[d]);
    }
    return lists;
}

}  // namespace

Layout layout_of(const std::string& name) { return name == "s24" ? Layout::two_four : parse_layout(name); }

std::optional<Blocksize> blocksize_of(const Json& json) {
    if (!json.contains("blocksize")) return {};
    const Json& extents = json.at("blocksize");
    return Blocksize{.rows = extents.at(0), .columns = extents.at(1)};
}

AnyMasked masked_of(const Json& json) {
    const DType dtype = dtype_of(json);
    const Layout layout = layout_of(json.at("layout"));
    const Shape shape = shape_of(json);
    if (layout == Layout::strided)
        return AnyMasked::strided(tensor_of(dtype, shape, json.at("data")),
                                  tensor_of(DType::boolean, shape, json.at("mask")));
    const Json& stored = json.at("values");
    const AnyTensor values = tensor_of(dtype, {static_cast<std::int64_t>(stored.size())}, stored);
    if (layout != Layout::coo) return compressed_of(layout, json, values);
    return AnyMasked::coo(shape, json.at("indices").get<std::vector<Indices>>(), values,
                          values_mask_of(json));
}

Storage storage_of(const AnyMasked& masked) {
    const Layout layout = masked.layout();
    Storage storage{.values = masked.values().reshape({-1}), .values_mask = {}};
    const bool has_mask = masked.mask().data() != nullptr;
    storage.values_mask = has_mask ? masked.mask().reshape({-1}) : all_true(storage.values.shape());
    if (layout == Layout::coo) {
        storage.fields["coalesced"] = masked.index()->is_coalesced();
        storage.fields["indices"] = coordinates_of(*masked.index(), masked.shape());
    }
    if (!masked.compressed_index()) return storage;
    const CompressedIndex& index = *masked.compressed_index();
    if (layout == Layout::two_four) {
        storage.fields["slots"] = index.indices;
        return storage;
    }
    storage.fields[fields_of(layout).pointers] = index.pointers;
    storage.fields[fields_of(layout).indices] = index.indices;
    if (layout == Layout::bsr || layout == Layout::bsc)
        storage.fields["blocksize"] = {index.blocksize.rows, index.blocksize.columns};
    return storage;
}

}  // namespace conformance

// SPDX-License-Identifier: MIT
#include "c_faults.hpp"

#include <limits>

namespace frisket::testing {

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(),
                       least = std::numeric_limits<std::int64_t>::min();
constexpr int int_most = std::numeric_limits<int>::max(), int_least = std::numeric_limits<int>::min();
constexpr std::int64_t height = CCall::height, width = CCall::width;

constexpr std::int64_t power(int exponent) { return std::int64_t{1} << exponent; }

/// True if an allocation that is too large throws; sanitizers end the program instead.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool allocations_throw = false;
#else
constexpr bool allocations_throw = true;
#endif

/// Past the end of the address space, but for a few bytes.
template <class T>
T* last_address() {
    return reinterpret_cast<T*>(~std::uintptr_t{0} - 7);
}

template <class T>
T* odd(T* pointer) {
    return reinterpret_cast<T*>(reinterpret_cast<char*>(pointer) + 1);
}

/// The first place of a tensor's memory that is one for a double.
double* number_in(const frisket_tensor& tensor) {
    return reinterpret_cast<double*>((reinterpret_cast<std::uintptr_t>(tensor.data) + 7) / 8 * 8);
}

/// A tensor of the call.
struct Part {
    std::string name, argument;
    frisket_tensor& (*get)(CCall& call);
    Numbers shape;
    int dtype;
    bool is_written = false;
    int other_shape = FRISKET_SHAPE;  // code of a shape that can be but does not fit
    bool may_be_larger = false;       // words that mean nothing may follow
};

class Faults {
public:
    explicit Faults(frisket_layout layout) : layout_(layout) {
        for (const Part& part : parts()) {
            add_data(part);
            add_dtypes(part);
            add_ranks(part);
            add_extents(part);
            add_strides(part);
        }
        add_aliases();
        add_nulls_and_layouts();
        if (layout >= FRISKET_COO) {
            add_listed_shapes();
            add_counts();
            add_indices();
        }
        if (layout >= FRISKET_CSR) add_matrices();
        if (!CCall::pointers_of(layout).empty()) add_pointers();
    }
    std::vector<CFault> take() { return std::move(faults_); }

private:
    void add(const std::string& argument, const std::string& what, int code,
             std::function<void(CCall&)> spoil) {
        faults_.push_back({argument + ": " + what, argument, std::move(spoil), code});
    }
    void add(const Part& part, const std::string& what, int code,
             std::function<void(CCall&, frisket_tensor&)> spoil) {
        add(part.argument, part.name + ": " + what, code,
            [get = part.get, spoil = std::move(spoil)](CCall& call) { spoil(call, get(call)); });
    }

    std::vector<Part> parts() const {
        const Numbers matrix{height, width};
        std::vector<Part> parts{
            {"a", "a", [](CCall& c) -> frisket_tensor& { return *c.a; }, matrix, FRISKET_FLOAT32, true},
            {"weight", "weight", [](CCall& c) -> frisket_tensor& { return *c.weight; }, matrix,
             FRISKET_FLOAT32},
            {"wide", "wide", [](CCall& c) -> frisket_tensor& { return *c.wide; }, matrix, FRISKET_FLOAT64,
             true}};
        Part values{"values", "grad", [](CCall& c) -> frisket_tensor& { return c.grad->values; }, matrix,
                    FRISKET_FLOAT32};
        Part mask{"mask", "grad", [](CCall& c) -> frisket_tensor& { return c.grad->mask; }, matrix,
                  FRISKET_BOOL};
        values.shape = CCall::stored_shape(layout_);
        if (layout_ >= FRISKET_COO) values.other_shape = FRISKET_LAYOUT;
        parts.push_back(values);
        if (layout_ == FRISKET_BITMASK) {
            mask.shape = {CCall::word_count};
            mask.dtype = FRISKET_INT64;
            mask.other_shape = FRISKET_LAYOUT;
            mask.may_be_larger = true;
        }
        if (layout_ == FRISKET_STRIDED || layout_ == FRISKET_BITMASK) parts.push_back(mask);
        return parts;
    }

    void add_data(const Part& part) {
        add(part, "a shape at an odd address", FRISKET_VALUE,
            [](CCall& call, frisket_tensor& t) { t.shape = odd(call.put(Numbers(9, 5))); });
        add(part, "strides at an odd address", FRISKET_VALUE,
            [](CCall& call, frisket_tensor& t) { t.strides = odd(call.put(Numbers(9, 1))); });
        add(part, "no data", FRISKET_VALUE, [](CCall&, frisket_tensor& t) { t.data = nullptr; });
        add(part, "data at the end of the address space", FRISKET_VALUE,
            [](CCall&, frisket_tensor& t) { t.data = last_address<void>(); });
    }

    void add_dtypes(const Part& part) {
        for (int dtype : {int_least, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 17, int_most})
            if (dtype != part.dtype)
                add(part, "dtype " + std::to_string(dtype), FRISKET_DTYPE,
                    [dtype](CCall&, frisket_tensor& t) { t.dtype = dtype; });
    }

    void add_ranks(const Part& part) {
        for (const int rank : {int_least, -1, 9, 64, int_most})
            add(part, "rank " + std::to_string(rank), FRISKET_DIM,
                [rank](CCall&, frisket_tensor& t) { t.rank = rank; });
        add(part, "no shape", FRISKET_VALUE, [](CCall&, frisket_tensor& t) { t.shape = nullptr; });
        if (part.shape.size() == 2)
            add(part, "rank 1", part.other_shape, [](CCall&, frisket_tensor& t) { t.rank = 1; });
        // Anything but results and lists may be repeated.
        if (part.is_written || part.other_shape == FRISKET_LAYOUT)
            add(part, "rank 0", part.other_shape, [](CCall&, frisket_tensor& t) { t.rank = 0; });
        Numbers longer = part.shape;
        // Another extent for each: two tensors that are written would fit together.
        longer.insert(longer.begin(), static_cast<std::int64_t>(part.name.size()) + 1);
        if (part.may_be_larger) return;
        add(part, "a dimension more", part.other_shape, [longer](CCall& call, frisket_tensor& t) {
            t.rank = static_cast<int>(longer.size());
            t.shape = call.put(longer);
            t.strides = nullptr;
        });
    }

    void add_extents(const Part& part) {
        const auto with = [&](std::size_t d, std::int64_t extent, int code) {
            Numbers shape = part.shape;
            shape[d] = extent;
            add(part, "shape " + to_string(shape), code,
                [shape](CCall& call, frisket_tensor& t) { t.shape = call.put(shape); });
        };
        for (std::size_t d = 0; d < part.shape.size(); ++d) {
            for (const std::int64_t extent : {least, std::int64_t{-1}, power(58), most})
                with(d, extent, FRISKET_SHAPE);
            with(d, 0, part.other_shape);
            with(d, part.shape[d] - 1, part.other_shape);
            if (part.may_be_larger) continue;
            with(d, part.shape[d] + 1, part.other_shape);
            with(d, power(40), part.other_shape);
        }
    }

    void add_strides(const Part& part) {
        const auto with = [&](const Numbers& strides, int code) {
            add(part, "strides " + to_string(strides), code,
                [strides](CCall& call, frisket_tensor& t) { t.strides = call.put(strides); });
        };
        for (std::size_t d = 0; d < part.shape.size(); ++d) {
            for (const std::int64_t stride :
                 {least, -power(62), power(58), power(61), power(62) / 5, power(62), most}) {
                Numbers strides = contiguous_strides(part.shape);
                strides[d] = stride;
                with(strides, FRISKET_SHAPE);
            }
            Numbers strides = contiguous_strides(part.shape);
            strides[d] = -power(48);
            with(strides, FRISKET_VALUE);
        }
        if (part.shape.size() != 2) return;
        with({power(61), power(61)}, FRISKET_SHAPE);
        with({power(62) / 5, -power(62) / 5}, FRISKET_SHAPE);
        if (!part.is_written) return;
        for (const Numbers& strides : {Numbers{0, 1}, {width, 0}, {0, 0}, {1, 1}, {width - 1, 1}, {-1, 1}})
            with(strides, FRISKET_VALUE);
    }

    void add_aliases() {
        const auto alias = [this](const std::string& what, std::function<void(CCall&)> spoil) {
            add(what.substr(0, what.find(' ')), what, FRISKET_VALUE, std::move(spoil));
        };
        alias("a lies in weight", [](CCall& c) { c.a->data = c.weight->data; });
        alias("a lies in wide", [](CCall& c) { c.a->data = c.wide->data; });
        alias("a lies in the values", [](CCall& c) { c.a->data = c.grad->values.data; });
        alias("a lies over mu", [](CCall& c) { c.a->data = c.mu; });
        alias("wide lies across a", [](CCall& c) { c.wide->data = static_cast<float*>(c.a->data) + 1; });
        alias("mu lies in a",
              [](CCall& c) { c.mu = reinterpret_cast<double*>(static_cast<float*>(c.a->data) + 1); });
        alias("mu lies in wide", [](CCall& c) { c.mu = number_in(*c.wide); });
        alias("mu lies in weight",
              [](CCall& c) { c.mu = reinterpret_cast<double*>(static_cast<float*>(c.weight->data) + 1); });
        alias("mu lies in the values", [](CCall& c) { c.mu = number_in(c.grad->values); });
        if (layout_ == FRISKET_STRIDED || layout_ == FRISKET_BITMASK)
            alias("a lies in the mask", [](CCall& c) { c.a->data = c.grad->mask.data; });
    }

    void add_nulls_and_layouts() {
        for (const char* name : {"mu", "a", "weight", "wide", "grad"})
            add(name, "is null", FRISKET_VALUE, [name](CCall& call) { call.nulls.emplace_back(name); });
        add("mu", "lies at an odd address", FRISKET_VALUE,
            [](CCall& call) { call.mu = odd(call.put(std::vector<double>(2))); });
        for (const int layout : {int_least, -1, 10, 12, int_most})
            add("grad", "layout " + std::to_string(layout), FRISKET_LAYOUT,
                [layout](CCall& call) { call.grad->layout = layout; });
    }

    void add_listed_shapes() {
        for (const int rank : {int_least, -1, 9, 64, int_most})
            add("grad", "rank " + std::to_string(rank), FRISKET_DIM,
                [rank](CCall& call) { call.grad->rank = rank; });
        add("grad", "no shape", FRISKET_VALUE, [](CCall& call) { call.grad->shape = nullptr; });
        if (layout_ != FRISKET_COO)
            add("grad", "rank 0", FRISKET_LAYOUT, [](CCall& call) { call.grad->rank = 0; });
        for (const Numbers& shape : {Numbers{height},
                                     {height, width, 1},
                                     {height, width, width},
                                     {1, height, width},
                                     {width, height},
                                     {height, 1, 1, 1, 1, 1, 1, width},
                                     {height + 1, width},
                                     {height, width + 1},
                                     {0, width},
                                     {height, 0},
                                     {power(40), width},
                                     {height, power(40)},
                                     {-1, width},
                                     {height, -1},
                                     {least, width},
                                     {height, least},
                                     {most, width},
                                     {height, most},
                                     {most, most}})
            add("grad", "shape " + to_string(shape), FRISKET_SHAPE, [shape](CCall& call) {
                call.grad->rank = static_cast<int>(shape.size());
                call.grad->shape = call.put(shape);
            });
    }

    void add_counts() {
        const Numbers stored_shape = CCall::stored_shape(layout_);
        const std::int64_t stored = stored_shape[0];
        for (const std::int64_t count : {std::int64_t{-1}, least})
            add("grad", "count " + std::to_string(count), FRISKET_VALUE,
                [count](CCall& call) { call.grad->count = count; });
        for (const std::int64_t count :
             {std::int64_t{0}, stored - 1, stored + 1, 2 * stored, power(20), power(32), power(40), power(57),
              power(59), power(60), power(61), power(62), most})
            add("grad", "count " + std::to_string(count), FRISKET_LAYOUT,
                [count](CCall& call) { call.grad->count = count; });
        // Values that repeat one say the same.
        for (const std::int64_t count : {power(48), power(50), power(56), power(60), most}) {
            if ((count <= power(50) && !allocations_throw) || layout_ == FRISKET_TWO_FOUR) continue;
            Numbers shape = stored_shape, strides = contiguous_strides(stored_shape);
            shape[0] = count;
            strides[0] = 0;
            add("grad", "count " + std::to_string(count) + " and so many values",
                count > power(50) ? FRISKET_SHAPE : FRISKET_LAYOUT, [=](CCall& call) {
                    call.grad->count = count;
                    call.grad->values.shape = call.put(shape);
                    call.grad->values.strides = call.put(strides);
                });
        }
    }

    void add_indices() {
        add("grad", "no indices", FRISKET_VALUE, [](CCall& call) { call.grad->indices = nullptr; });
        add("grad", "indices at an odd address", FRISKET_VALUE,
            [](CCall& call) { call.grad->indices = odd(call.put(Numbers(9, 0))); });
        add("grad", "indices at the end of the address space", FRISKET_VALUE,
            [](CCall& call) { call.grad->indices = last_address<std::int64_t>(); });
        const Numbers good = CCall::indices_of(layout_);
        for (std::size_t i = 0; i < std::min<std::size_t>(good.size(), 6); ++i)
            for (const std::int64_t index :
                 {std::int64_t{-1}, least, most_index(i) + 1, power(31), power(32), most}) {
                Numbers indices = good;
                indices[i] = index;
                add("grad", "indices " + to_string(indices), FRISKET_LAYOUT,
                    [indices](CCall& call) { call.grad->indices = call.put(indices); });
            }
    }

    /// The largest number that a place of the list may hold.
    std::int64_t most_index(std::size_t place) const {
        switch (layout_) {
            case FRISKET_COO: return place < 3 ? height - 1 : width - 1;
            case FRISKET_CSR: return width - 1;
            case FRISKET_BSR: return width / CCall::block_columns - 1;
            case FRISKET_BSC: return height / CCall::block_rows - 1;
            case FRISKET_TWO_FOUR: return 3;
            default: return height - 1;
        }
    }

    void add_matrices() {
        for (const int dtype : {int_least, -1, 1, 4, 5, 17, int_most})
            add("grad", "index_dtype " + std::to_string(dtype), FRISKET_DTYPE,
                [dtype](CCall& call) { call.grad->index_dtype = dtype; });
        for (const int dtype : {2, 3, 4, 17})
            add("grad", "a mask of dtype " + std::to_string(dtype), FRISKET_DTYPE, [=, this](CCall& call) {
                call.grad->mask = call.grad->values;
                call.grad->mask.dtype = dtype;
            });
    }

    void add_pointers() {
        add("grad", "no pointers", FRISKET_VALUE, [](CCall& call) { call.grad->pointers = nullptr; });
        add("grad", "pointers at an odd address", FRISKET_VALUE,
            [](CCall& call) { call.grad->pointers = odd(call.put(Numbers(40, 0))); });
        const Numbers good = CCall::pointers_of(layout_);
        const std::int64_t lines = std::ssize(good);
        for (const std::int64_t count :
             {least, std::int64_t{-1}, std::int64_t{0}, lines - 1, lines + 1, most})
            add("grad", "pointer_count " + std::to_string(count), FRISKET_LAYOUT,
                [count](CCall& call) { call.grad->pointer_count = count; });
        for (std::size_t i = 0; i < good.size(); ++i)
            for (const std::int64_t pointer : {std::int64_t{-1}, least, good.back() + 1, power(32), most}) {
                Numbers pointers = good;
                pointers[i] = pointer;
                add("grad", "pointers " + to_string(pointers), FRISKET_LAYOUT,
                    [pointers](CCall& call) { call.grad->pointers = call.put(pointers); });
            }
        if (layout_ != FRISKET_BSR && layout_ != FRISKET_BSC) return;
        for (const std::int64_t extent : {least, std::int64_t{-1}, std::int64_t{0}, std::int64_t{5}, most}) {
            add("grad", "block_rows " + std::to_string(extent), FRISKET_LAYOUT,
                [extent](CCall& call) { call.grad->block_rows = extent; });
            add("grad", "block_columns " + std::to_string(extent), FRISKET_LAYOUT,
                [extent](CCall& call) { call.grad->block_columns = extent; });
        }
    }

    const frisket_layout layout_;
    std::vector<CFault> faults_;
};

}  // namespace

std::vector<CFault> faults_of(frisket_layout layout) { return Faults(layout).take(); }

}  // namespace frisket::testing

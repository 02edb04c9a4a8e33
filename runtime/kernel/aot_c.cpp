// SPDX-License-Identifier: MIT
#include "aot_module.hpp"

#include "binding.hpp"

#include <list>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace frisket::aot {

namespace {

static_assert(static_cast<int>(ErrorCode::bug) == FRISKET_BUG &&
              static_cast<int>(ErrorCode::layout) == FRISKET_LAYOUT);
static_assert(static_cast<int>(DType::bfloat16) == FRISKET_BFLOAT16 &&
              static_cast<int>(DType::boolean) == FRISKET_BOOL);
static_assert(static_cast<int>(Layout::rows) == FRISKET_ROWS &&
              static_cast<int>(Layout::dense) == FRISKET_DENSE);

/// The text of the last error; kept without allocating when memory ran out.
struct LastError {
    std::string text;
    const char* shown = "";

    int set(ErrorCode code, const char* message) noexcept {
        try {
            text = message;
            shown = text.c_str();
        } catch (...) { shown = "frisket: no memory"; }
        return static_cast<int>(code);
    }
};

LastError& last_error() {
    thread_local LastError error;
    return error;
}

/// A C function's arguments as a kernel takes them.  All shapes and counts are compared before the first list
/// of indices is read: what they say is how long the lists are.
class Converter {
    /// Calls of() and gives its result; errors name the parameter.
    auto named(std::size_t parameter, const auto& of) {
        where_ = signature_.name + ": " + signature_.parameters[parameter].name;
        try {
            return of();
        } catch (const Error& error) {
            // Errors of tensors do not name the argument.
            const std::string text = std::string(error.what()).substr(std::string_view("frisket: ").size());
            if (error.code() == ErrorCode::bug || text.starts_with(where_)) throw;
            raise(error.code(), where_ + ": " + text);
        }
    }

public:
    explicit Converter(const Signature& signature) : signature_(signature) {}

    /// `check_shapes`: takes the shapes before lists are read.
    std::vector<Argument> operator()(std::initializer_list<CArgument> given, const auto& check_shapes) {
        std::vector<Shape> shapes;
        std::vector<Argument> arguments;
        for (const CArgument& one : given)
            shapes.push_back(named(shapes.size(), [&] { return shape_of(one); }));
        check_shapes(shapes);
        for (const CArgument& one : given)
            arguments.push_back(named(arguments.size(), [&] { return converted(one); }));
        return arguments;
    }

private:
    Argument converted(const CArgument& given) {
        switch (given.kind) {
            case CArgument::Kind::real: return given.real;
            case CArgument::Kind::integer: return given.integer;
            case CArgument::Kind::tensor: return tensors_.emplace_back(tensor(*given.tensor));
            case CArgument::Kind::masked: return masked_.emplace_back(masked(*given.masked));
            case CArgument::Kind::state: break;
        }
        return Argument::state(const_cast<double&>(*given.state));
    }

    template <class T>
    const T& present(const T* pointer) const {
        if (!pointer) throw ValueError(where_ + " is a null pointer: give it the address of an argument");
        return *aligned(pointer, "the argument");
    }

    /// Structs and lists are read as what they are; only elements may lie anywhere.
    template <class T>
    const T* aligned(const T* pointer, const char* name) const {
        if (reinterpret_cast<std::uintptr_t>(pointer) % alignof(T) == 0) return pointer;
        throw ValueError(where_ + ": " + name + " lies at no multiple of " + std::to_string(alignof(T)) +
                         " bytes: give aligned memory");
    }

    /// The argument's shape; [] for numbers.
    Shape shape_of(const CArgument& given) const {
        Shape extents;
        if (given.kind == CArgument::Kind::state) present(given.state);
        if (given.kind == CArgument::Kind::tensor) extents = shape(present(given.tensor));
        if (given.kind == CArgument::Kind::masked) extents = shape(present(given.masked));
        element_count(extents);  // refuses what is no shape
        return extents;
    }
    Shape shape(const frisket_tensor& given) const { return shape(given.rank, given.shape); }
    Shape shape(const frisket_masked& given) const {
        if (given.layout < FRISKET_DENSE || given.layout > FRISKET_ROWS)
            throw LayoutError(where_ + " has layout " + std::to_string(given.layout) +
                              ": see enum frisket_layout");
        return given.layout >= FRISKET_COO ? shape(given.rank, given.shape) : shape(given.values);
    }
    Shape shape(int rank, const std::int64_t* extents) const {
        if (rank < 0 || rank > kernel::max_rank)
            throw DimError(where_ + " has rank " + std::to_string(rank) + ": a rank is from 0 to " +
                           std::to_string(kernel::max_rank));
        if (rank > 0 && !extents) throw ValueError(where_ + " has no shape: set `shape` to its extents");
        return rank == 0 ? Shape{} : Shape(aligned(extents, "`shape`"), extents + rank);
    }

    AnyTensor tensor(const frisket_tensor& given) const {
        if (given.dtype < FRISKET_BOOL || given.dtype > FRISKET_BFLOAT16)
            throw DTypeError(where_ + " has dtype " + std::to_string(given.dtype) +
                             ": see enum frisket_dtype");
        const Shape extents = shape(given);
        const Strides strides = given.strides && given.rank > 0
                                    ? Strides(aligned(given.strides, "`strides`"), given.strides + given.rank)
                                    : contiguous_strides(extents);
        if (!given.data && element_count(extents) > 0)
            throw ValueError(where_ + " has no data: `data` is null and there are elements");
        return AnyTensor(static_cast<DType>(given.dtype), given.data, extents, strides, true, {});
    }

    AnyMasked masked(const frisket_masked& given) const {
        AnyTensor values = tensor(given.values);
        switch (given.layout) {
            case FRISKET_DENSE: return AnyMasked::dense(std::move(values));
            case FRISKET_STRIDED: return AnyMasked::strided(std::move(values), tensor(given.mask));
            case FRISKET_BITMASK: return AnyMasked::bitmask(std::move(values), tensor(given.mask));
            default: return listed(given, std::move(values));
        }
    }

    /// coo and rows.
    AnyMasked listed(const frisket_masked& given, AnyTensor values) const {
        const bool by_row = given.layout == FRISKET_ROWS;
        Shape extents = shape(given);
        if (by_row && extents.empty())
            throw LayoutError(where_ + " is of rank 0 and has no rows: use another layout");
        if (given.count < 0)
            throw ValueError(where_ + " has count " + std::to_string(given.count) + ": a count is 0 or more");
        Shape stored{given.count};
        if (by_row) stored.insert(stored.end(), extents.begin() + 1, extents.end());
        if (values.shape() != stored)
            throw LayoutError(where_ + " has count " + std::to_string(given.count) + " and values of shape " +
                              to_string(values.shape()) + ", wanted " + to_string(stored) +
                              ": give one entry for each index");
        auto lists = indices(given, by_row ? 1 : extents.size());
        if (by_row) return AnyMasked::rows(std::move(extents), lists[0], std::move(values));
        return AnyMasked::coo(std::move(extents), lists, std::move(values));
    }

    /// Lists of `count` indices each.
    std::vector<std::vector<std::int64_t>> indices(const frisket_masked& given, std::size_t lists) const {
        std::vector<std::vector<std::int64_t>> result(lists);
        if (given.count == 0) return result;
        if (lists > 0 && !given.indices)
            throw ValueError(where_ + " has no indices: set `indices` to a list of `count` a dimension");
        if (lists > 0) aligned(given.indices, "`indices`");
        // A view of them refuses what no memory holds.
        const Shape all{static_cast<std::int64_t>(lists), given.count};
        const AnyTensor view(DType::int64, const_cast<std::int64_t*>(given.indices), all,
                             contiguous_strides(all), false, {});
        try {
            for (std::size_t d = 0; d < lists; ++d) {
                const std::int64_t* const list = given.indices + static_cast<std::int64_t>(d) * given.count;
                result[d].assign(list, list + given.count);
            }
        } catch (const std::bad_alloc&) {
            throw LayoutError(where_ + " has count " + std::to_string(given.count) +
                              ", there is no memory for so many indices: give fewer at a time");
        }
        return result;
    }

    const Signature& signature_;
    std::string where_;
    std::list<AnyTensor> tensors_;  // arguments refer to them
    std::list<AnyMasked> masked_;
};

}  // namespace

namespace {

/// Calls a function; gives 0, or the code of an error of which the text is kept.
int reported(const auto& function) noexcept {
    try {
        function();
        return FRISKET_OK;
    } catch (const Error& error) {
        return last_error().set(error.code(), error.what());
    } catch (const std::bad_alloc&) {
        return last_error().set(ErrorCode::bug, "frisket: no memory");
    } catch (const std::exception& error) {
        return last_error().set(ErrorCode::bug, error.what());
    } catch (...) { return last_error().set(ErrorCode::bug, "frisket: an exception without a message"); }
}

}  // namespace

int call_from_c(const CompiledKernel& (*kernel)(), std::initializer_list<CArgument> given) noexcept {
    return reported([&] {
        const CompiledKernel& made = kernel();
        Converter convert(made.signature());
        made.call(convert(
            given, [&](std::span<const Shape> shapes) { kernel::check_shapes(made.signature(), shapes); }));
    });
}

int call_from_c(const PlannedCall& (*call)(), std::initializer_list<CArgument> given) noexcept {
    return reported([&] {
        const PlannedCall& made = call();
        Converter convert(made.signature);
        made.call(convert(given, made.check_shapes));
    });
}

}  // namespace frisket::aot

const char* frisket_last_error(void) { return frisket::aot::last_error().shown; }

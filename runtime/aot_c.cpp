// SPDX-License-Identifier: MIT
#include "aot_c.hpp"

#include "call/check.hpp"

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

/// A C function's arguments as a kernel takes them.
class Converter {
public:
    explicit Converter(const Signature& signature) : signature_(signature) {}

    Argument operator()(std::size_t parameter, const CArgument& given) {
        where_ = signature_.name + ": " + signature_.parameters[parameter].name;
        try {
            return converted(given);
        } catch (const Error& error) {
            // What tensors say of themselves does not name the argument.
            const std::string text = std::string(error.what()).substr(std::string_view("frisket: ").size());
            if (error.code() == ErrorCode::bug || text.starts_with(where_)) throw;
            raise(error.code(), where_ + ": " + text);
        }
    }

private:
    Argument converted(const CArgument& given) {
        switch (given.kind) {
            case CArgument::Kind::real: return given.real;
            case CArgument::Kind::integer: return given.integer;
            case CArgument::Kind::tensor: return tensors_.emplace_back(tensor(present(given.tensor)));
            case CArgument::Kind::masked: return masked_.emplace_back(masked(present(given.masked)));
            case CArgument::Kind::state: break;
        }
        return Argument::state(const_cast<double&>(present(given.state)));
    }

    template <class T>
    const T& present(const T* pointer) const {
        if (!pointer) throw ValueError(where_ + " is a null pointer: give it the address of an argument");
        return *pointer;
    }

    Shape shape(int rank, const std::int64_t* extents) const {
        if (rank < 0 || rank > max_rank)
            throw DimError(where_ + " has rank " + std::to_string(rank) + ": a rank is from 0 to " +
                           std::to_string(max_rank));
        if (rank > 0 && !extents) throw ValueError(where_ + " has no shape: set `shape` to its extents");
        return rank == 0 ? Shape{} : Shape(extents, extents + rank);
    }

    AnyTensor tensor(const frisket_tensor& given) const {
        if (given.dtype < FRISKET_BOOL || given.dtype > FRISKET_BFLOAT16)
            throw DTypeError(where_ + " has dtype " + std::to_string(given.dtype) +
                             ": see enum frisket_dtype");
        const Shape extents = shape(given.rank, given.shape);
        const Strides strides = given.strides && given.rank > 0
                                    ? Strides(given.strides, given.strides + given.rank)
                                    : contiguous_strides(extents);
        if (!given.data && element_count(extents) > 0)
            throw ValueError(where_ + " has no data: `data` is null and there are elements");
        return AnyTensor(static_cast<DType>(given.dtype), given.data, extents, strides, true, {});
    }

    std::vector<std::int64_t> list(const std::int64_t* indices, std::int64_t count) const {
        if (count < 0)
            throw ValueError(where_ + " has count " + std::to_string(count) + ": a count is 0 or more");
        if (count == 0) return {};
        if (!indices)
            throw ValueError(where_ + " has no indices: set `indices` to a list of `count` a dimension");
        return {indices, indices + count};
    }

    AnyMasked masked(const frisket_masked& given) const {
        switch (given.layout) {
            case FRISKET_DENSE: return AnyMasked::dense(tensor(given.values));
            case FRISKET_STRIDED: return AnyMasked::strided(tensor(given.values), tensor(given.mask));
            case FRISKET_BITMASK: return AnyMasked::bitmask(tensor(given.values), tensor(given.mask));
            case FRISKET_COO: return coo(given);
            case FRISKET_ROWS:
                return AnyMasked::rows(shape(given.rank, given.shape), list(given.indices, given.count),
                                       tensor(given.values));
            default: break;
        }
        throw LayoutError(where_ + " has layout " + std::to_string(given.layout) +
                          ": see enum frisket_layout");
    }

    AnyMasked coo(const frisket_masked& given) const {
        const Shape extents = shape(given.rank, given.shape);
        std::vector<std::vector<std::int64_t>> indices;
        indices.reserve(static_cast<std::size_t>(given.rank));
        for (int d = 0; d < given.rank; ++d)
            indices.push_back(list(given.indices ? given.indices + d * given.count : nullptr, given.count));
        return AnyMasked::coo(extents, indices, tensor(given.values));
    }

    const Signature& signature_;
    std::string where_;
    std::list<AnyTensor> tensors_;  // arguments refer to them
    std::list<AnyMasked> masked_;
};

}  // namespace

int call_from_c(const CompiledKernel& (*kernel)(), std::initializer_list<CArgument> given) noexcept {
    try {
        const CompiledKernel& made = kernel();
        Converter convert(made.signature());
        std::vector<Argument> arguments;
        arguments.reserve(given.size());
        for (const CArgument& argument : given) arguments.push_back(convert(arguments.size(), argument));
        made.call(arguments);
        return FRISKET_OK;
    } catch (const Error& error) {
        return last_error().set(error.code(), error.what());
    } catch (const std::bad_alloc&) {
        return last_error().set(ErrorCode::bug, "frisket: no memory");
    } catch (const std::exception& error) {
        return last_error().set(ErrorCode::bug, error.what());
    } catch (...) { return last_error().set(ErrorCode::bug, "frisket: an exception without a message"); }
}

}  // namespace frisket::aot

const char* frisket_last_error(void) { return frisket::aot::last_error().shown; }

// SPDX-License-Identifier: MIT
#include "dlpack.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include <dlpack/dlpack.h>

#include "../device/device_memory.hpp"
#include "../support/joined.hpp"
#include "../tensor/reach.hpp"

namespace frisket {

using namespace runtime;

namespace {

/// Element types in DLPack's words, in the order of the table of dtypes.  Bits are 8 for each byte, lanes 1.
struct DTypeRow {
    DType dtype;
    DLDataTypeCode code;
};
constexpr DTypeRow dtype_rows[] = {
    {.dtype = DType::boolean, .code = kDLBool},  {.dtype = DType::uint8, .code = kDLUInt},
    {.dtype = DType::int32, .code = kDLInt},     {.dtype = DType::int64, .code = kDLInt},
    {.dtype = DType::float32, .code = kDLFloat}, {.dtype = DType::float64, .code = kDLFloat},
    {.dtype = DType::float16, .code = kDLFloat}, {.dtype = DType::bfloat16, .code = kDLBfloat},
};
static_assert(std::ranges::equal(dtype_rows, dtypes, {}, &DTypeRow::dtype, &DTypeInfo::dtype));

DLDataType in_dlpack(const DTypeRow& row) {
    return {static_cast<std::uint8_t>(row.code), static_cast<std::uint8_t>(8 * bytes_of(row.dtype)), 1};
}

std::string text_of(DLDataType type) {
    constexpr const char* names[] = {"int", "uint", "float", "handle", "bfloat", "complex", "bool"};
    std::string text = type.code < std::size(names) ? names[type.code] : "code " + std::to_string(type.code);
    text += (type.code < std::size(names) ? "" : " of ") + std::to_string(type.bits);
    if (type.code >= std::size(names)) text += " bits";
    return type.lanes == 1 ? text : text + " in " + std::to_string(type.lanes) + " lanes";
}

std::string text_of(DLDevice device) {
    struct Name {
        DLDeviceType type;
        const char* name;
    };
    constexpr Name others[] = {{kDLCUDAHost, "CUDA (pinned on the host)"},
                               {kDLMetal, "Metal"},
                               {kDLROCM, "ROCm"},
                               {kDLCUDAManaged, "CUDA (managed)"}};
    std::string type = "of type " + std::to_string(static_cast<std::int32_t>(device.device_type));
    for (const Name& other : others)
        if (other.type == device.device_type) type = other.name;
    for (const TargetRow& row : known_targets())
        if (row.gpu && row.dlpack == device.device_type) type = row.title;
    return "device " + type + ", number " + std::to_string(device.device_id);
}

/// The devices whose memory other libraries take and give, the best first.
std::vector<const TargetRow*> lent_devices() {
    std::vector<const TargetRow*> found = ranked_devices();
    std::erase_if(found, [](const TargetRow* row) { return row->native == nullptr; });
    return found;
}

DType dtype_from(DLDataType type) {
    for (const DTypeRow& row : dtype_rows) {
        const DLDataType ours = in_dlpack(row);
        if (type.code == ours.code && type.bits == ours.bits && type.lanes == ours.lanes) return row.dtype;
    }
    throw DTypeError("from_dlpack: the elements are " + text_of(type) + ", wanted one of " +
                     joined(dtype_rows, [](const DTypeRow& row) { return name_of(row.dtype); }) +
                     ": convert the tensor where it comes from");
}

/// The device of a tensor.  Errors: TargetError if frisket has no such device.
Device device_from(DLDevice given) {
    if (given.device_type == kDLCPU) return {};
    const std::vector<const TargetRow*> rows = lent_devices();
    const auto row = std::ranges::find(rows, static_cast<int>(given.device_type), &TargetRow::dlpack);
    if (row == rows.end() || given.device_id != 0)
        throw TargetError(
            "from_dlpack: the tensor is on " + text_of(given) + ", wanted memory of the CPU, or of " +
            in_words(joined(rows, &TargetRow::title), "or") + ", number 0: copy it to one of these first");
    return device((*row)->name);
}

/// Address of element [0, …, 0].
void* data_of(const DLTensor& tensor, DType dtype, const Shape& shape) {
    if (element_count(shape) == 0) return tensor.data;
    if (tensor.data == nullptr)
        throw ValueError("from_dlpack: the data is a null pointer, shape " + to_string(shape) + " has " +
                         std::to_string(element_count(shape)) + " elements: give it memory");
    const auto bytes = static_cast<std::uintptr_t>(bytes_of(dtype));
    std::uintptr_t first = 0;
    if (__builtin_add_overflow(reinterpret_cast<std::uintptr_t>(tensor.data), tensor.byte_offset, &first))
        throw ValueError("from_dlpack: a byte offset of " + std::to_string(tensor.byte_offset) +
                         " leads out of the address space: give that of the memory");
    if (first % bytes != 0)
        throw ValueError("from_dlpack: the data lies at a multiple of " +
                         std::to_string(first & (~first + 1)) + " bytes, " + std::string(name_of(dtype)) +
                         " wants one of " + std::to_string(bytes) + ": copy it to aligned memory");
    return static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
}

/// The dimensions' numbers at `list`, null only if the rank is 0.
std::vector<std::int64_t> numbers_at(const std::int64_t* list, std::int32_t count, const char* name) {
    if (list == nullptr && count > 0)
        throw ValueError("from_dlpack: the " + std::string(name) + " is a null pointer, the tensor has " +
                         std::to_string(count) + " dimensions: give one number for each");
    return {list, list + count};
}

/// Dimensions that a tensor of another library has at most; nothing is read before they are counted.
constexpr std::int32_t most_dims = 64;

/// Owner of a tensor that came from another library: calls its deleter at the end, once it has been taken.
template <class Managed>
struct Taken {
    Managed* managed = nullptr;

    Taken() = default;
    Taken(const Taken&) = delete;
    Taken& operator=(const Taken&) = delete;
    ~Taken() {
        if (managed != nullptr && managed->deleter != nullptr) managed->deleter(managed);
    }
};

/// A tensor's parts, looked at but for the memory of its elements.
DLPackView checked(const DLTensor& tensor) {
    const DType dtype = dtype_from(tensor.dtype);
    if (tensor.ndim < 0 || tensor.ndim > most_dims)
        throw ShapeError("from_dlpack: the tensor has " + std::to_string(tensor.ndim) +
                         " dimensions, wanted 0 to " + std::to_string(most_dims) +
                         ": give the number of its extents");
    const Shape shape = numbers_at(tensor.shape, tensor.ndim, "shape");
    element_count(shape);  // before it is used: no negative extent, no overflow
    return {data_of(tensor, dtype, shape), dtype, tensor.ndim, tensor.shape, tensor.strides};
}

/// A tensor in memory of a device's driver, which `owner` keeps.
AnyTensor on_device(const Device& device, const DLTensor& given, const AnyTensor& form) {
    const Shape& shape = form.shape();
    const std::optional<Reach> reach = reach_of(shape, form.strides(), bytes_of(form.dtype()));
    const auto offset =
        static_cast<std::int64_t>(std::min<std::uint64_t>(given.byte_offset, most_block_bytes));
    const bool is_within = reach && offset + reach->low >= 0 && offset + reach->high <= most_block_bytes;
    if (!is_within)
        throw ValueError("from_dlpack: shape " + to_string(shape) + ", strides " + to_string(form.strides()) +
                         " and a byte offset of " + std::to_string(given.byte_offset) +
                         " lead out of the memory of device " + std::string(device.name()) +
                         ": give those of the memory");
    void* first = nullptr;
    std::shared_ptr<void> block = wrapped_block(device, reinterpret_cast<std::uintptr_t>(given.data),
                                                offset + reach->high, form.owner(), first);
    return {
        form.dtype(),    static_cast<std::byte*>(first) + offset, shape, form.strides(), form.is_writable(),
        std::move(block)};
}

template <class Managed>
AnyTensor take(Managed* managed, bool is_writable) {
    const DLTensor& given = managed->dl_tensor;
    const Device device = device_from(given.device);
    const DLPackView view = checked(given);
    Shape shape(view.shape, view.shape + view.rank);
    Strides strides =
        view.strides != nullptr ? numbers_at(view.strides, view.rank, "strides") : contiguous_strides(shape);
    const auto owner = std::make_shared<Taken<Managed>>();
    AnyTensor result(view.dtype, view.data, std::move(shape), std::move(strides), is_writable, owner);
    if (!device.is_cpu() && result.size() > 0) result = on_device(device, given, result);
    owner->managed = managed;  // last: whatever throws before leaves it to the caller
    return result;
}

void refuse_null(const void* managed) {
    if (managed == nullptr)
        throw ValueError("from_dlpack: the struct is a null pointer: was the capsule used already?");
}

/// A tensor's memory as other libraries have it.
struct Lent {
    void* data = nullptr;
    DLDeviceType device = kDLCPU;
    std::uint64_t offset = 0;
};

Lent lent_memory(const AnyTensor& tensor) {
    if (tensor.size() == 0) return {};
    if (tensor.device().is_cpu()) return {.data = tensor.data()};
    const std::vector<const TargetRow*> rows = lent_devices();
    const auto row = std::ranges::find(rows, tensor.device().name(), &TargetRow::name);
    if (row == rows.end())
        throw TargetError("to_dlpack: memory of device " + std::string(tensor.device().name()) +
                          " has no place in DLPack: move the tensor with .to(device(\"cpu\"))");
    const NativeMemory memory = native_memory(tensor.address());
    return {reinterpret_cast<void*>(memory.handle), static_cast<DLDeviceType>((*row)->dlpack),
            static_cast<std::uint64_t>(memory.offset)};
}

/// A struct that goes to another library, and the objects it points to.
template <class Managed>
struct Given {
    Managed managed;
    AnyTensor tensor;
    Shape shape;  // copies: DLPack's pointers are not const
    Strides strides;
};

template <class Managed>
Managed* give(const AnyTensor& tensor) {
    tensor.check_not_moved("to_dlpack");
    auto given = std::make_unique<Given<Managed>>();
    given->tensor = tensor;
    given->shape = tensor.shape();
    given->strides = tensor.strides();
    const Lent lent = lent_memory(tensor);
    given->managed.dl_tensor = {.data = lent.data,
                                .device = {lent.device, 0},
                                .ndim = tensor.rank(),
                                .dtype = in_dlpack(dtype_rows[static_cast<int>(tensor.dtype())]),
                                .shape = given->shape.data(),
                                .strides = given->strides.data(),
                                .byte_offset = lent.offset};
    given->managed.manager_ctx = given.get();
    given->managed.deleter = [](Managed* self) { delete static_cast<Given<Managed>*>(self->manager_ctx); };
    return &given.release()->managed;
}

}  // namespace

DLPackView view_dlpack(const void* dl_tensor) {
    refuse_null(dl_tensor);
    const DLTensor& tensor = *static_cast<const DLTensor*>(dl_tensor);
    if (tensor.device.device_type != kDLCPU)
        throw TargetError("from_dlpack: the tensor is on " + text_of(tensor.device) +
                          ", wanted memory of the CPU: copy it to the host first");
    return checked(tensor);
}

AnyTensor from_dlpack(DLManagedTensorVersioned* managed) {
    refuse_null(managed);
    if (managed->version.major != DLPACK_MAJOR_VERSION)
        throw ValueError("from_dlpack: the struct is of DLPack " + std::to_string(managed->version.major) +
                         "." + std::to_string(managed->version.minor) + ", wanted " +
                         std::to_string(DLPACK_MAJOR_VERSION) +
                         ".x: ask the library that made it for that version");
    return take(managed, (managed->flags & DLPACK_FLAG_BITMASK_READ_ONLY) == 0);
}

AnyTensor from_dlpack(DLManagedTensor* managed) {
    refuse_null(managed);
    return take(managed, true);
}

DLManagedTensorVersioned* to_dlpack(const AnyTensor& tensor) {
    auto* const managed = give<DLManagedTensorVersioned>(tensor);
    managed->version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
    managed->flags = tensor.is_writable() ? 0 : DLPACK_FLAG_BITMASK_READ_ONLY;
    return managed;
}

DLManagedTensor* to_dlpack_legacy(const AnyTensor& tensor) {
    if (!tensor.is_writable())
        throw ValueError("to_dlpack_legacy: the tensor is read-only, which DLManagedTensor cannot say: "
                         "use to_dlpack, or clone() it");
    return give<DLManagedTensor>(tensor);
}

}  // namespace frisket

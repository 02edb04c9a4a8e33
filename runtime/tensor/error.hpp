// SPDX-License-Identifier: MIT
// Defines the classes of errors.
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>

namespace frisket {

/// Kinds of errors as numbers: the C ABI returns these, 0 being success.
enum class ErrorCode : int {
    ok = 0,
    mask_mismatch,  ///< two masked operands specify different elements
    identity,       ///< `unite` for an operation without an identity element
    shape,          ///< shapes do not broadcast, or an element count is wrong
    dim,            ///< a dimension is out of range or repeated
    index,          ///< an index is out of range
    dtype,          ///< an operation is not defined for a dtype
    value,          ///< a value is not allowed (a null pointer, overlap of arguments, a negative step)
    unspecified,    ///< an unspecified element was read as a number
    layout,         ///< an invariant of a layout is broken, or no kernel was compiled for it
    binding,        ///< a name is missing, unknown or bound twice, or bound to the wrong kind of thing
    schedule,       ///< a schedule is illegal
    target,         ///< a target is unknown, or absent on this machine
    io,             ///< a file cannot be read or written
    bug,            ///< ours
};

/// The name of a code as tests and tools print it, "mask_mismatch" for instance.
std::string_view name_of(ErrorCode code);

/// The text with control characters but newlines and tabs as `\x1b`: messages quote users' texts.
std::string printable(std::string_view text);

/// Every bad input is reported by an Error, thrown before anything is written.
/// The text reads `frisket: where: what was found, what was wanted, what to write instead`.
class Error : public std::runtime_error {
public:
    /// An error of a code; "frisket: " is put in front of its text.
    Error(ErrorCode code, const std::string& text);
    /// The code.
    ErrorCode code() const noexcept { return code_; }
    /// The text without "frisket: ", to be part of another one.
    std::string text() const { return std::string(what()).substr(std::string_view("frisket: ").size()); }

private:
    ErrorCode code_;
};

/// Base of the classes below: an Error of one code.
template <ErrorCode Code>
class ErrorOf : public Error {
public:
    /// An error with a text.
    explicit ErrorOf(const std::string& text) : Error(Code, text) {}
};

/// Thrown where two masked operands that meet specify different elements.
class MaskMismatch final : public ErrorOf<ErrorCode::mask_mismatch> {
public:
    using ErrorOf::ErrorOf;
};
/// Thrown where `unite` is written of an operation without an identity element.
class IdentityError final : public ErrorOf<ErrorCode::identity> {
public:
    using ErrorOf::ErrorOf;
};
/// Thrown where shapes do not broadcast, an element count is wrong, or memory for a shape is not there.
class ShapeError final : public ErrorOf<ErrorCode::shape> {
public:
    using ErrorOf::ErrorOf;
};
/// Thrown where a dimension is out of range or repeated.
class DimError final : public ErrorOf<ErrorCode::dim> {
public:
    using ErrorOf::ErrorOf;
};
/// Thrown where an index is out of range.
class IndexError final : public ErrorOf<ErrorCode::index> {
public:
    using ErrorOf::ErrorOf;
};
/// Thrown where an operation is not defined for a dtype, or another dtype is wanted.
class DTypeError final : public ErrorOf<ErrorCode::dtype> {
public:
    using ErrorOf::ErrorOf;
};
/// Thrown where a value is not allowed: a null pointer, overlap of arguments, a divisor of 0.
class ValueError final : public ErrorOf<ErrorCode::value> {
public:
    using ErrorOf::ErrorOf;
};
/// Thrown where an unspecified element is read as a number.
class UnspecifiedError final : public ErrorOf<ErrorCode::unspecified> {
public:
    using ErrorOf::ErrorOf;
};
/// Thrown where an invariant of a layout is broken, or no kernel was compiled for the layout.
class LayoutError final : public ErrorOf<ErrorCode::layout> {
public:
    using ErrorOf::ErrorOf;
};
/// Thrown where a name is missing, unknown, bound twice or bound to the wrong kind of thing.
class BindingError final : public ErrorOf<ErrorCode::binding> {
public:
    using ErrorOf::ErrorOf;
};
/// Thrown where a schedule is illegal.
class ScheduleError final : public ErrorOf<ErrorCode::schedule> {
public:
    using ErrorOf::ErrorOf;
};
/// Thrown where a target is unknown, or absent on this machine.
class TargetError final : public ErrorOf<ErrorCode::target> {
public:
    using ErrorOf::ErrorOf;
};
/// Thrown where a file cannot be read or written.
class IoError final : public ErrorOf<ErrorCode::io> {
public:
    using ErrorOf::ErrorOf;
};
/// A mistake of frisket's own; the text ends with a request to report it.
class Bug final : public Error {
public:
    /// A bug with a text.
    explicit Bug(const std::string& text)
        : Error(ErrorCode::bug, text + " (a bug in frisket: please report it)") {}
};

/// Throws the subclass that belongs to `code`; the text gets the "frisket: " in front.
[[noreturn]] void raise(ErrorCode code, const std::string& text);

}  // namespace frisket

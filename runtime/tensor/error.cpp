// SPDX-License-Identifier: MIT
#include "error.hpp"

namespace frisket {

std::string_view name_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::ok: return "ok";
        case ErrorCode::mask_mismatch: return "mask_mismatch";
        case ErrorCode::identity: return "identity";
        case ErrorCode::shape: return "shape";
        case ErrorCode::dim: return "dim";
        case ErrorCode::index: return "index";
        case ErrorCode::dtype: return "dtype";
        case ErrorCode::value: return "value";
        case ErrorCode::unspecified: return "unspecified";
        case ErrorCode::layout: return "layout";
        case ErrorCode::binding: return "binding";
        case ErrorCode::schedule: return "schedule";
        case ErrorCode::target: return "target";
        case ErrorCode::io: return "io";
        case ErrorCode::bug: break;
    }
    return "bug";
}

std::string printable(std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string shown;
    shown.reserve(text.size());
    for (const char letter : text) {
        const auto byte = static_cast<unsigned char>(letter);
        const bool is_control = (byte < 0x20 && letter != '\n' && letter != '\t') || byte == 0x7f;
        if (is_control)
            (shown += "\\x") += {digits[byte / 16U], digits[byte % 16U]};
        else
            shown += letter;
    }
    return shown;
}

void raise(ErrorCode code, const std::string& text) {
    switch (code) {
        case ErrorCode::mask_mismatch: throw MaskMismatch(text);
        case ErrorCode::identity: throw IdentityError(text);
        case ErrorCode::shape: throw ShapeError(text);
        case ErrorCode::dim: throw DimError(text);
        case ErrorCode::index: throw IndexError(text);
        case ErrorCode::dtype: throw DTypeError(text);
        case ErrorCode::value: throw ValueError(text);
        case ErrorCode::unspecified: throw UnspecifiedError(text);
        case ErrorCode::layout: throw LayoutError(text);
        case ErrorCode::binding: throw BindingError(text);
        case ErrorCode::schedule: throw ScheduleError(text);
        case ErrorCode::target: throw TargetError(text);
        case ErrorCode::io: throw IoError(text);
        case ErrorCode::ok:
        case ErrorCode::bug: break;
    }
    throw Bug(text);
}

Error::Error(ErrorCode code, const std::string& text)
    : std::runtime_error("frisket: " + printable(text)), code_(code) {}

}  // namespace frisket

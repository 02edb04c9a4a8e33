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

}  // namespace frisket

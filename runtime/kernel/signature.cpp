// SPDX-License-Identifier: MIT
#include "signature.hpp"

#include <algorithm>

#include "../tensor/error.hpp"

namespace frisket {

std::string_view name_of(SymbolKind kind) {
    switch (kind) {
        case SymbolKind::in_out: return "InOut";
        case SymbolKind::in: return "In";
        case SymbolKind::masked: return "Masked";
        case SymbolKind::scalar: return "Scalar";
        case SymbolKind::scalar_state: return "ScalarState";
        case SymbolKind::let: break;
    }
    return "Let";
}

SymbolKind parse_symbol_kind(std::string_view name) {
    for (int i = 0; i <= static_cast<int>(SymbolKind::let); ++i)
        if (const auto kind = static_cast<SymbolKind>(i); name_of(kind) == name) return kind;
    throw ValueError("there is no kind of symbol \"" + std::string(name) + "\"");
}

bool Signature::writes(int parameter) const {
    return std::find(outputs.begin(), outputs.end(), parameter) != outputs.end();
}

int Signature::find(std::string_view parameter_name) const {
    for (std::size_t i = 0; i < parameters.size(); ++i)
        if (parameters[i].name == parameter_name) return static_cast<int>(i);
    return -1;
}

}  // namespace frisket

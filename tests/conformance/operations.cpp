// SPDX-License-Identifier: MIT
#include "operations.hpp"

using namespace frisket;

namespace conformance {

namespace {

bool is_number(const std::string& text) { return text == "nan" || text == "inf" || text == "-inf"; }

ir::Attribute attribute_of(const Json& json) {
    if (json.is_boolean()) return json.get<bool>();
    if (json.is_number_integer()) return json.get<std::int64_t>();
    if (json.is_array()) return json.get<std::vector<std::int64_t>>();
    if (json.is_string() && !is_number(json)) return json.get<std::string>();
    return number_of(json);
}

}  // namespace

ir::Attributes attributes_of(const Json& json) {
    ir::Attributes attributes;
    for (const auto& [name, value] : json.items())
        if (!value.is_null()) attributes.emplace(name, attribute_of(value));
    return attributes;
}

}  // namespace conformance

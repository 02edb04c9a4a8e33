// SPDX-License-Identifier: MIT
#include "spelling.hpp"

#include <cstddef>
#include <string_view>

namespace frisket::runtime {

namespace {

/// Code in sentences of errors.
struct Code { std::string_view cpp, python; };

/// THE list of code that sentences name.  A row comes before rows that it contains.
constexpr Code codes[] = {
    {"x - mean(x, {1}, keepdim)", "x - fk.mean(x, axis=1, keepdims=True)"},
    {"to_dense(", "fk.to_dense("},
    {"intersect(...)", "fk.intersect(fk.add, a, b)"},
    {"intersect(", "fk.intersect("},
    {"unite(...)", "fk.unite(fk.add, a, b)"},
    {"unite(", "fk.unite("},
    {" = ...)", ")[...] = ..."},
    {"everywhere(", "fk.everywhere("},
    {"over(", "fk.over("},
    {"on(", "fk.on("},
    {"where(...)", "fk.where(condition, a, b)"},
    {"where(", "fk.where("},
    {"masked(values, mask)", "fk.masked(values, mask)"},
    {"mean(loss) or sum(loss)", "fk.mean(loss) or fk.sum(loss)"},
    {"gradient(e, x, allow_unused)", "fk.gradient(e, x, allow_unused=True)"},
    {"eval(...)", "fk.eval(...)"},
    {"stack(...)", "fk.stack(...)"},
    {"cast<float>(x)", "fk.cast(x, \"float32\")"},
    {"cast<double>(x)", "fk.cast(x, \"float64\")"},
    {"cast<std::uint8_t>(x)", "fk.cast(x, \"uint8\")"},
    {"cast<std::int32_t>(x)", "fk.cast(x, \"int32\")"},
    {"cast<std::int64_t>(x)", "fk.cast(x, \"int64\")"},
    {".to<std::int64_t>()", "x.astype(\"int64\")"},
    {"give it a Tensor whose elements are not const", "write x.copy()"},
    {"give a Tensor of a type that is not const", "write x.copy()"},
    {"give it a clone()", "write x.copy()"},
    {"tensor.to(DType::float32)", "x.astype(\"float32\")"},
    {"give it once or a clone()", "give it once, or write x.copy()"},
    {"clone()", "copy()"},
    {"LAYOUTS", "layouts="},
    {"SHAPES", "shapes="},
    {"TARGETS", "targets="},
    {"SCHEDULES", "schedules="},
    {"frisket_add_kernels", "fk.build"},
    {"Untouched::masked", "untouched=\"masked\""},
    {"Untouched::dense_equivalent", "untouched=\"dense_equivalent\""},
    {"Untouched::caught_up", "untouched=\"caught_up\""},
    {"name it in LAYOUTS of frisket_add_kernels", compiler_wanted},
    {"name them in SHAPES and LAYOUTS of frisket_add_kernels, or compile just in time", compiler_wanted},
    {"name an OptimizerKernels that has them in OPTIMIZERS of frisket_add_kernels", compiler_wanted},
};

bool is_of_word(char letter) {
    return letter == '_' || letter == '.' || (letter >= 'a' && letter <= 'z') ||
           (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9');
}

/// True if code begins at a position, and not within a longer word.
bool is_at(std::string_view text, std::size_t at, std::string_view code) {
    const bool is_word = is_of_word(code.front()) && code.front() != '.';
    return text.substr(at).starts_with(code) && !(is_word && at > 0 && is_of_word(text[at - 1]));
}

}  // namespace

std::string python_spelling(std::string sentence) {
    for (std::size_t at = 0; at < sentence.size(); ++at)
        for (const Code& code : codes)
            if (is_at(sentence, at, code.cpp)) {
                sentence.replace(at, code.cpp.size(), code.python);
                at += code.python.size() - 1;
                break;
            }
    return sentence;
}

}  // namespace frisket::runtime

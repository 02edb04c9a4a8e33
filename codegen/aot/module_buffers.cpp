// SPDX-License-Identifier: MIT
#include <Halide.h>

#include "module_buffers.hpp"

#include <map>
#include <utility>

namespace frisket::aot {

namespace {

using Halide::Expr;
using Halide::Internal::Variable;

/// Buffers by the names under which loops read them.
using Renamed = std::map<std::string, std::pair<std::string, Halide::Buffer<>>>;

class Renaming final : public Halide::Internal::IRMutator {
public:
    explicit Renaming(const Renamed& names) : names_(names) {}

private:
    using IRMutator::visit;
    Expr visit(const Variable* variable) override {
        const auto known = names_.find(variable->name);
        if (known == names_.end()) return variable;
        const auto& [name, buffer] = known->second;
        return Variable::make(variable->type, name, buffer);
    }

    const Renamed& names_;
};

}  // namespace

Halide::Module with_own_buffers(const Halide::Module& module, const std::string& base) {
    Halide::Module made(module.name(), module.target());
    Renamed names;
    for (const Halide::Buffer<>& buffer : module.buffers()) {
        const std::string name = base + "_" + buffer.name();
        Halide::Buffer<> own(Halide::Runtime::Buffer<>(*buffer.get()), name);
        names[buffer.name() + ".buffer"] = {name + ".buffer", own};
        made.append(own);
    }
    Renaming renaming(names);
    for (Halide::Internal::LoweredFunc function : module.functions()) {
        function.body = renaming.mutate(function.body);
        made.append(function);
    }
    made.set_any_strict_float(module.any_strict_float());
    return made;
}

}  // namespace frisket::aot

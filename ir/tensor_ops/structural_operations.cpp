// SPDX-License-Identifier: MIT
// Operations of the table that move elements, reduce, or multiply matrices.
#include "operations.hpp"

namespace frisket::ir {

namespace {

using Indices = std::vector<std::int64_t>;

template <class F>
Operation of(std::set<std::string, std::less<>> attrs, F make) {
    return {.attrs = std::move(attrs),
            .make = [make](const OperationCall& call) { return std::vector<Value>{make(call)}; }};
}

/// All dimensions, a list of them, or one.
Dims dims_of(const OperationCall& call) {
    const auto found = call.attrs.find("dim");
    if (found == call.attrs.end()) return {};
    if (std::holds_alternative<std::int64_t>(found->second)) return std::vector{call.get<int>("dim")};
    return call.get<std::vector<int>>("dim");
}

bool keepdim(const OperationCall& call) { return call.find<bool>("keepdim").value_or(false); }

/// The operand, converted first if the call has a dtype.
Value operand(const OperationCall& call) {
    const auto dtype = call.find<std::string>("dtype");
    return dtype ? cast(call[0], parse_dtype(*dtype)) : call[0];
}

double ord(const OperationCall& call) { return call.find<double>("ord").value_or(2.0); }

Operation reduction(Value (*reduce)(Value, const Dims&, bool)) {
    return of({"dim", "keepdim", "dtype"}, [reduce](const OperationCall& call) {
        return reduce(operand(call), dims_of(call), keepdim(call));
    });
}

Operation position(Value (*find)(Value, std::optional<int>, bool)) {
    return of({"dim", "keepdim"}, [find](const OperationCall& call) {
        return find(call[0], call.find<int>("dim"), keepdim(call));
    });
}

Operation moment(Value (*reduce)(Value, const Dims&, double, bool)) {
    return of({"dim", "keepdim", "correction"}, [reduce](const OperationCall& call) {
        return reduce(call[0], dims_of(call), call.find<double>("correction").value_or(1), keepdim(call));
    });
}

Operation along(Value (*run)(Value, int)) {
    return of({"dim"}, [run](const OperationCall& call) { return run(call[0], call.get<int>("dim")); });
}

Operation product(Value (*multiply)(Value, Value)) {
    return of({}, [multiply](const OperationCall& call) { return multiply(call[0], call[1]); });
}

Operation to_shape(Value (*view)(Value, Shape)) {
    return of({"shape"}, [view](const OperationCall& call) {
        const auto shape = call.get<Indices>("shape");
        return view(call[0], Shape(shape.begin(), shape.end()));
    });
}

Operation joining(Value (*join)(const std::vector<Value>&, int)) {
    return of({"dim"}, [join](const OperationCall& call) {
        return join({call.args.begin(), call.args.end()}, call.get<int>("dim"));
    });
}

Operations reductions() {
    return {
        {"sum", reduction(&sum)},
        {"prod", reduction(&prod)},
        {"mean", reduction(&mean)},
        {"amin", reduction(&amin)},
        {"amax", reduction(&amax)},
        {"any", reduction(&any)},
        {"all", reduction(&all)},
        {"count", reduction(&count)},
        {"logsumexp", reduction(&logsumexp)},
        {"argmin", position(&argmin)},
        {"argmax", position(&argmax)},
        {"median", of({"dim", "keepdim"},
                      [](const OperationCall& call) {
                          return call.values().median(call[0], call.find<int>("dim"), keepdim(call));
                      })},
        {"var", moment(&var)},
        {"std", moment(&std)},
        {"norm", of({"dim", "keepdim", "ord"},
                    [](const OperationCall& call) {
                        return norm(call[0], ord(call), dims_of(call), keepdim(call));
                    })},
        {"softmax", along(&softmax)},
        {"softmin", along(&softmin)},
        {"log_softmax", along(&log_softmax)},
        {"cumsum", along(&cumsum)},
        {"cumprod", along(&cumprod)},
        {"normalize", of({"dim", "ord", "eps"},
                         [](const OperationCall& call) {
                             return normalize(call[0], ord(call), call.get<int>("dim"),
                                              call.find<double>("eps").value_or(1e-12));
                         })},
    };
}

Operations views() {
    return {
        {"select", of({"dim", "index"},
                      [](const OperationCall& call) {
                          return select(call[0], call.get<int>("dim"), call.get<std::int64_t>("index"));
                      })},
        {"slice", of({"dim", "start", "end", "step"},
                     [](const OperationCall& call) {
                         return slice(call[0], call.get<int>("dim"), call.find<std::int64_t>("start"),
                                      call.find<std::int64_t>("end"),
                                      call.find<std::int64_t>("step").value_or(1));
                     })},
        {"narrow", of({"dim", "start", "length"},
                      [](const OperationCall& call) {
                          return narrow(call[0], call.get<int>("dim"), call.get<std::int64_t>("start"),
                                        call.get<std::int64_t>("length"));
                      })},
        {"transpose", of({"dim0", "dim1"},
                         [](const OperationCall& call) {
                             return transpose(call[0], call.get<int>("dim0"), call.get<int>("dim1"));
                         })},
        {"permute",
         of({"dims"},
            [](const OperationCall& call) { return permute(call[0], call.get<std::vector<int>>("dims")); })},
        {"movedim", of({"source", "destination"},
                       [](const OperationCall& call) {
                           return movedim(call[0], call.get<int>("source"), call.get<int>("destination"));
                       })},
        {"flatten", of({"start_dim", "end_dim"},
                       [](const OperationCall& call) {
                           return flatten(call[0], call.find<int>("start_dim").value_or(0),
                                          call.find<int>("end_dim").value_or(-1));
                       })},
        {"squeeze",
         of({"dim"}, [](const OperationCall& call) { return squeeze(call[0], call.find<int>("dim")); })},
        {"unsqueeze", along(&unsqueeze)},
        {"reshape", to_shape(&reshape)},
        {"view", to_shape(&reshape)},
        {"expand", to_shape(&expand)},
        {"broadcast_to", to_shape(&expand)},
        {"flip",
         of({"dims"},
            [](const OperationCall& call) { return flip(call[0], call.get<std::vector<int>>("dims")); })},
        {"roll", of({"shift", "dim"},
                    [](const OperationCall& call) {
                        return roll(call[0], call.get<std::int64_t>("shift"), call.get<int>("dim"));
                    })},
        {"repeat",
         of({"repeats"},
            [](const OperationCall& call) { return repeat(call[0], call.get<Indices>("repeats")); })},
        {"diagonal", of({"offset", "dim1", "dim2"},
                        [](const OperationCall& call) {
                            return diagonal(call[0], call.find<std::int64_t>("offset").value_or(0),
                                            call.find<int>("dim1").value_or(0),
                                            call.find<int>("dim2").value_or(1));
                        })},
        {"split", Operation{.attrs = {"split_size", "dim"},
                            .make =
                                [](const OperationCall& call) {
                                    return split(call[0], call.get<std::int64_t>("split_size"),
                                                 call.get<int>("dim"));
                                }}},
    };
}

Operations indexing_and_products() {
    return {
        {"make", of({}, [](const OperationCall& call) { return restrict(call[0], call[1]); })},
        {"index_select",
         of({"dim"},
            [](const OperationCall& call) { return index_select(call[0], call.get<int>("dim"), call[1]); })},
        {"index", of({},
                     [](const OperationCall& call) {
                         return index(call[0], {call.args.begin() + 1, call.args.end()});
                     })},
        {"index_bool",
         of({}, [](const OperationCall& call) { return call.values().index_bool(call[0], call[1]); })},
        {"gather",
         of({"dim"},
            [](const OperationCall& call) { return gather(call[0], call.get<int>("dim"), call[1]); })},
        {"cat", joining(&cat)},
        {"stack", joining(&stack)},
        {"matmul", product(&matmul)},
        {"mm", product(&mm)},
        {"bmm", product(&bmm)},
        {"mv", product(&mv)},
        {"dot", product(&dot)},
        {"sparse_mm", product(&mm)},
        {"linear", of({},
                      [](const OperationCall& call) {
                          const bool has_bias = call.args.size() > 2;
                          return linear(call[0], call[1], has_bias ? std::optional(call[2]) : std::nullopt);
                      })},
    };
}

}  // namespace

Operations structural_operations() {
    Operations all = reductions();
    all.merge(views());
    all.merge(indexing_and_products());
    return all;
}

}  // namespace frisket::ir

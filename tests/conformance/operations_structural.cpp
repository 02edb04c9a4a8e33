// SPDX-License-Identifier: MIT
#include "operations.hpp"

using namespace frisket;

namespace conformance {

namespace {

using ir::Dims;
using Indices = std::vector<std::int64_t>;

template <class F>
Operation of(std::set<std::string> attrs, F make) {
    return {.attrs = std::move(attrs),
            .make = [make](const Call& call) { return std::vector<Value>{make(call)}; }};
}

/// All dimensions, a list of them, or one.
Dims dims_of(const Call& call) {
    const auto found = call.attrs.find("dim");
    if (found == call.attrs.end() || found->is_null()) return {};
    if (found->is_number()) return std::vector{found->get<int>()};
    return found->get<std::vector<int>>();
}

bool keepdim(const Call& call) { return call.find<bool>("keepdim").value_or(false); }

/// The operand, converted first if the case asks for a dtype.
Value operand(const Call& call) {
    const auto dtype = call.find<std::string>("dtype");
    return dtype ? ir::cast(call[0], parse_dtype(*dtype)) : call[0];
}

double ord(const Call& call) {
    const auto found = call.attrs.find("ord");
    return found == call.attrs.end() ? 2.0 : number_of(*found);
}

Operation reduction(Value (*reduce)(Value, const Dims&, bool)) {
    return of({"dim", "keepdim", "dtype"},
              [reduce](const Call& call) { return reduce(operand(call), dims_of(call), keepdim(call)); });
}

Operation position(Value (*find)(Value, std::optional<int>, bool)) {
    return of({"dim", "keepdim"},
              [find](const Call& call) { return find(call[0], call.find<int>("dim"), keepdim(call)); });
}

Operation moment(Value (*reduce)(Value, const Dims&, double, bool)) {
    return of({"dim", "keepdim", "correction"}, [reduce](const Call& call) {
        return reduce(call[0], dims_of(call), call.find<double>("correction").value_or(1), keepdim(call));
    });
}

Operation along(Value (*run)(Value, int)) {
    return of({"dim"}, [run](const Call& call) { return run(call[0], call.get<int>("dim")); });
}

Operation product(Value (*multiply)(Value, Value)) {
    return of({}, [multiply](const Call& call) { return multiply(call[0], call[1]); });
}

Operation to_shape(Value (*view)(Value, Shape)) {
    return of({"shape"}, [view](const Call& call) { return view(call[0], call.get<Shape>("shape")); });
}

Operation joining(Value (*join)(const std::vector<Value>&, int)) {
    return of({"dim"}, [join](const Call& call) {
        return join({call.args.begin(), call.args.end()}, call.get<int>("dim"));
    });
}

Operations reductions() {
    return {
        {"sum", reduction(&ir::sum)},
        {"prod", reduction(&ir::prod)},
        {"mean", reduction(&ir::mean)},
        {"amin", reduction(&ir::amin)},
        {"amax", reduction(&ir::amax)},
        {"any", reduction(&ir::any)},
        {"all", reduction(&ir::all)},
        {"count", reduction(&ir::count)},
        {"logsumexp", reduction(&ir::logsumexp)},
        {"argmin", position(&ir::argmin)},
        {"argmax", position(&ir::argmax)},
        {"median", of({"dim", "keepdim"},
                      [](const Call& call) {
                          return call.session->median(call[0], call.find<int>("dim"), keepdim(call));
                      })},
        {"var", moment(&ir::var)},
        {"std", moment(&ir::std)},
        {"norm",
         of({"dim", "keepdim", "ord"},
            [](const Call& call) { return ir::norm(call[0], ord(call), dims_of(call), keepdim(call)); })},
        {"softmax", along(&ir::softmax)},
        {"softmin", along(&ir::softmin)},
        {"log_softmax", along(&ir::log_softmax)},
        {"cumsum", along(&ir::cumsum)},
        {"cumprod", along(&ir::cumprod)},
        {"normalize", of({"dim", "ord", "eps"},
                         [](const Call& call) {
                             return ir::normalize(call[0], ord(call), call.get<int>("dim"),
                                                  call.find<double>("eps").value_or(1e-12));
                         })},
    };
}

Operations views() {
    return {
        {"select", of({"dim", "index"},
                      [](const Call& call) {
                          return ir::select(call[0], call.get<int>("dim"), call.get<std::int64_t>("index"));
                      })},
        {"slice", of({"dim", "start", "end", "step"},
                     [](const Call& call) {
                         return ir::slice(call[0], call.get<int>("dim"), call.find<std::int64_t>("start"),
                                          call.find<std::int64_t>("end"),
                                          call.find<std::int64_t>("step").value_or(1));
                     })},
        {"narrow", of({"dim", "start", "length"},
                      [](const Call& call) {
                          return ir::narrow(call[0], call.get<int>("dim"), call.get<std::int64_t>("start"),
                                            call.get<std::int64_t>("length"));
                      })},
        {"transpose", of({"dim0", "dim1"},
                         [](const Call& call) {
                             return ir::transpose(call[0], call.get<int>("dim0"), call.get<int>("dim1"));
                         })},
        {"permute",
         of({"dims"},
            [](const Call& call) { return ir::permute(call[0], call.get<std::vector<int>>("dims")); })},
        {"movedim", of({"source", "destination"},
                       [](const Call& call) {
                           return ir::movedim(call[0], call.get<int>("source"), call.get<int>("destination"));
                       })},
        {"flatten", of({"start_dim", "end_dim"},
                       [](const Call& call) {
                           return ir::flatten(call[0], call.find<int>("start_dim").value_or(0),
                                              call.find<int>("end_dim").value_or(-1));
                       })},
        {"squeeze",
         of({"dim"}, [](const Call& call) { return ir::squeeze(call[0], call.find<int>("dim")); })},
        {"unsqueeze", along(&ir::unsqueeze)},
        {"reshape", to_shape(&ir::reshape)},
        {"view", to_shape(&ir::reshape)},
        {"expand", to_shape(&ir::expand)},
        {"broadcast_to", to_shape(&ir::expand)},
        {"flip", of({"dims"},
                    [](const Call& call) { return ir::flip(call[0], call.get<std::vector<int>>("dims")); })},
        {"roll", of({"shift", "dim"},
                    [](const Call& call) {
                        return ir::roll(call[0], call.get<std::int64_t>("shift"), call.get<int>("dim"));
                    })},
        {"repeat",
         of({"repeats"}, [](const Call& call) { return ir::repeat(call[0], call.get<Indices>("repeats")); })},
        {"diagonal", of({"offset", "dim1", "dim2"},
                        [](const Call& call) {
                            return ir::diagonal(call[0], call.find<std::int64_t>("offset").value_or(0),
                                                call.find<int>("dim1").value_or(0),
                                                call.find<int>("dim2").value_or(1));
                        })},
        {"split", Operation{.attrs = {"split_size", "dim"},
                            .make =
                                [](const Call& call) {
                                    return ir::split(call[0], call.get<std::int64_t>("split_size"),
                                                     call.get<int>("dim"));
                                }}},
    };
}

Operations indexing_and_products() {
    return {
        {"make", of({}, [](const Call& call) { return ir::restrict(call[0], call[1]); })},
        {"index_select",
         of({"dim"},
            [](const Call& call) { return ir::index_select(call[0], call.get<int>("dim"), call[1]); })},
        {"index",
         of({},
            [](const Call& call) { return ir::index(call[0], {call.args.begin() + 1, call.args.end()}); })},
        {"index_bool", of({}, [](const Call& call) { return call.session->index_bool(call[0], call[1]); })},
        {"gather",
         of({"dim"}, [](const Call& call) { return ir::gather(call[0], call.get<int>("dim"), call[1]); })},
        {"cat", joining(&ir::cat)},
        {"stack", joining(&ir::stack)},
        {"matmul", product(&ir::matmul)},
        {"mm", product(&ir::mm)},
        {"bmm", product(&ir::bmm)},
        {"mv", product(&ir::mv)},
        {"dot", product(&ir::dot)},
        {"sparse_mm", product(&ir::mm)},
        {"linear", of({},
                      [](const Call& call) {
                          const bool has_bias = call.args.size() > 2;
                          return ir::linear(call[0], call[1],
                                            has_bias ? std::optional(call[2]) : std::nullopt);
                      })},
    };
}

}  // namespace

const Operations& structural_operations() {
    static const Operations table = [] {
        Operations all = reductions();
        all.merge(views());
        all.merge(indexing_and_products());
        return all;
    }();
    return table;
}

}  // namespace conformance

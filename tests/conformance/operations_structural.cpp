// SPDX-License-Identifier: MIT
#include "operations.hpp"

using namespace frisket;

namespace conformance {

namespace {

using building::Dims;
using Indices = std::vector<std::int64_t>;

template <class F>
Operation of(std::set<std::string> attrs, F make) {
    return {.attrs = std::move(attrs),
            .make = [make](const Call& call) { return std::vector<Expr>{make(call)}; }};
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
Expr operand(const Call& call) {
    const auto dtype = call.find<std::string>("dtype");
    return dtype ? building::cast(call[0], parse_dtype(*dtype)) : call[0];
}

double ord(const Call& call) {
    const auto found = call.attrs.find("ord");
    return found == call.attrs.end() ? 2.0 : number_of(*found);
}

Operation reduction(Expr (*reduce)(Expr, const Dims&, bool)) {
    return of({"dim", "keepdim", "dtype"},
              [reduce](const Call& call) { return reduce(operand(call), dims_of(call), keepdim(call)); });
}

Operation position(Expr (*find)(Expr, std::optional<int>, bool)) {
    return of({"dim", "keepdim"},
              [find](const Call& call) { return find(call[0], call.find<int>("dim"), keepdim(call)); });
}

Operation moment(Expr (*reduce)(Expr, const Dims&, double, bool)) {
    return of({"dim", "keepdim", "correction"}, [reduce](const Call& call) {
        return reduce(call[0], dims_of(call), call.find<double>("correction").value_or(1), keepdim(call));
    });
}

Operation along(Expr (*run)(Expr, int)) {
    return of({"dim"}, [run](const Call& call) { return run(call[0], call.get<int>("dim")); });
}

Operation product(Expr (*multiply)(Expr, Expr)) {
    return of({}, [multiply](const Call& call) { return multiply(call[0], call[1]); });
}

Operation to_shape(Expr (*view)(Expr, Shape)) {
    return of({"shape"}, [view](const Call& call) { return view(call[0], call.get<Shape>("shape")); });
}

Operation joining(Expr (*join)(const std::vector<Expr>&, int)) {
    return of({"dim"}, [join](const Call& call) {
        return join({call.args.begin(), call.args.end()}, call.get<int>("dim"));
    });
}

Operations reductions() {
    return {
        {"sum", reduction(&building::sum)},
        {"prod", reduction(&building::prod)},
        {"mean", reduction(&building::mean)},
        {"amin", reduction(&building::amin)},
        {"amax", reduction(&building::amax)},
        {"any", reduction(&building::any)},
        {"all", reduction(&building::all)},
        {"count", reduction(&building::count)},
        {"logsumexp", reduction(&building::logsumexp)},
        {"argmin", position(&building::argmin)},
        {"argmax", position(&building::argmax)},
        {"median", of({"dim", "keepdim"},
                      [](const Call& call) {
                          return call.session->median(call[0], call.find<int>("dim"), keepdim(call));
                      })},
        {"var", moment(&building::var)},
        {"std", moment(&building::std)},
        {"norm", of({"dim", "keepdim", "ord"},
                    [](const Call& call) {
                        return building::norm(call[0], ord(call), dims_of(call), keepdim(call));
                    })},
        {"softmax", along(&building::softmax)},
        {"softmin", along(&building::softmin)},
        {"log_softmax", along(&building::log_softmax)},
        {"cumsum", along(&building::cumsum)},
        {"cumprod", along(&building::cumprod)},
        {"normalize", of({"dim", "ord", "eps"},
                         [](const Call& call) {
                             return building::normalize(call[0], ord(call), call.get<int>("dim"),
                                                        call.find<double>("eps").value_or(1e-12));
                         })},
    };
}

Operations views() {
    return {
        {"select", of({"dim", "index"},
                      [](const Call& call) {
                          return building::select(call[0], call.get<int>("dim"),
                                                  call.get<std::int64_t>("index"));
                      })},
        {"slice", of({"dim", "start", "end", "step"},
                     [](const Call& call) {
                         return building::slice(
                             call[0], call.get<int>("dim"), call.find<std::int64_t>("start"),
                             call.find<std::int64_t>("end"), call.find<std::int64_t>("step").value_or(1));
                     })},
        {"narrow", of({"dim", "start", "length"},
                      [](const Call& call) {
                          return building::narrow(call[0], call.get<int>("dim"),
                                                  call.get<std::int64_t>("start"),
                                                  call.get<std::int64_t>("length"));
                      })},
        {"transpose", of({"dim0", "dim1"},
                         [](const Call& call) {
                             return building::transpose(call[0], call.get<int>("dim0"),
                                                        call.get<int>("dim1"));
                         })},
        {"permute",
         of({"dims"},
            [](const Call& call) { return building::permute(call[0], call.get<std::vector<int>>("dims")); })},
        {"movedim", of({"source", "destination"},
                       [](const Call& call) {
                           return building::movedim(call[0], call.get<int>("source"),
                                                    call.get<int>("destination"));
                       })},
        {"flatten", of({"start_dim", "end_dim"},
                       [](const Call& call) {
                           return building::flatten(call[0], call.find<int>("start_dim").value_or(0),
                                                    call.find<int>("end_dim").value_or(-1));
                       })},
        {"squeeze",
         of({"dim"}, [](const Call& call) { return building::squeeze(call[0], call.find<int>("dim")); })},
        {"unsqueeze", along(&building::unsqueeze)},
        {"reshape", to_shape(&building::reshape)},
        {"view", to_shape(&building::reshape)},
        {"expand", to_shape(&building::expand)},
        {"broadcast_to", to_shape(&building::expand)},
        {"flip",
         of({"dims"},
            [](const Call& call) { return building::flip(call[0], call.get<std::vector<int>>("dims")); })},
        {"roll", of({"shift", "dim"},
                    [](const Call& call) {
                        return building::roll(call[0], call.get<std::int64_t>("shift"), call.get<int>("dim"));
                    })},
        {"repeat",
         of({"repeats"},
            [](const Call& call) { return building::repeat(call[0], call.get<Indices>("repeats")); })},
        {"diagonal", of({"offset", "dim1", "dim2"},
                        [](const Call& call) {
                            return building::diagonal(call[0], call.find<std::int64_t>("offset").value_or(0),
                                                      call.find<int>("dim1").value_or(0),
                                                      call.find<int>("dim2").value_or(1));
                        })},
        {"split", Operation{.attrs = {"split_size", "dim"},
                            .make =
                                [](const Call& call) {
                                    return building::split(call[0], call.get<std::int64_t>("split_size"),
                                                           call.get<int>("dim"));
                                }}},
    };
}

Operations indexing_and_products() {
    return {
        {"make", of({}, [](const Call& call) { return building::restrict(call[0], call[1]); })},
        {"index_select",
         of({"dim"},
            [](const Call& call) { return building::index_select(call[0], call.get<int>("dim"), call[1]); })},
        {"index", of({},
                     [](const Call& call) {
                         return building::index(call[0], {call.args.begin() + 1, call.args.end()});
                     })},
        {"index_bool", of({}, [](const Call& call) { return call.session->index_bool(call[0], call[1]); })},
        {"gather",
         of({"dim"},
            [](const Call& call) { return building::gather(call[0], call.get<int>("dim"), call[1]); })},
        {"cat", joining(&building::cat)},
        {"stack", joining(&building::stack)},
        {"matmul", product(&building::matmul)},
        {"mm", product(&building::mm)},
        {"bmm", product(&building::bmm)},
        {"mv", product(&building::mv)},
        {"dot", product(&building::dot)},
        {"sparse_mm", product(&building::mm)},
        {"linear", of({},
                      [](const Call& call) {
                          const bool has_bias = call.args.size() > 2;
                          return building::linear(call[0], call[1],
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

// SPDX-License-Identifier: MIT
#include "../../../ir/interpreter/interpret.hpp"
#include "../../../ir/scalar_program.hpp"

#include <catch2/catch_test_macros.hpp>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace graph_host_numbers_test {

using namespace frisket;

namespace {

/// p += (1 - beta^t) * x, and mu *= beta, and p += mu.
Graph step_with_numbers() {
    GraphBuilder b("numbers");
    const NodeId beta = b.symbol("beta", SymbolKind::scalar, DType::float64);
    const NodeId t = b.symbol("t", SymbolKind::scalar, DType::int64);
    const NodeId one_less = b.apply<op::Sub>({b.constant(1), b.apply<op::Pow>({beta, t})});
    const NodeId x = b.symbol("x", SymbolKind::in, DType::float32);
    b.update("p", b.apply<op::Add>(
                      {b.symbol("p", SymbolKind::in_out, DType::float32), b.apply<op::Mul>({one_less, x})}));
    b.update("mu", b.apply<op::Mul>({b.symbol("mu", SymbolKind::scalar_state, DType::float64), beta}));
    const NodeId mu = b.symbol("mu", SymbolKind::scalar_state, DType::float64);
    b.update("p", b.apply<op::Add>({b.symbol("p", SymbolKind::in_out, DType::float32), mu}));
    return b.finish();
}

}  // namespace

TEST_CASE("what is made of scalars alone is evaluated in double and rounded once", "[ir]") {
    const Graph graph = step_with_numbers();
    const ir::ScalarProgram host = ir::ScalarProgram::of(graph);
    REQUIRE(host.slots().size() == 2);
    REQUIRE(host.has_states());
    double mu = 0.75;
    const Argument arguments[] = {0.999, std::int64_t{7}, {}, {}, Argument::state(mu)};
    std::vector<double> numbers(host.size());
    host.evaluate(arguments, numbers.data());
    const double wanted = 1 - std::pow(0.999, 7);
    CHECK(numbers[0] == static_cast<double>(static_cast<float>(wanted)));
    CHECK(numbers[1] == static_cast<double>(static_cast<float>(0.75 * 0.999)));
    CHECK(mu == 0.75);
    host.store_states(arguments, numbers.data());
    CHECK(mu == 0.75 * 0.999);
}

TEST_CASE("a number of the call that int32 elements cannot hold is refused before anything is written",
          "[ir]") {
    GraphBuilder b("s");
    const NodeId n = b.symbol("n", SymbolKind::scalar, DType::int64);
    const auto p = [&] { return b.symbol("p", SymbolKind::in_out, DType::int32); };
    b.update("p", b.apply<op::Add>({p(), n}));
    const Graph graph = b.finish();
    const ir::ScalarProgram host = ir::ScalarProgram::of(graph);
    std::vector<double> numbers(host.size());
    for (const std::int64_t fitting : {std::int64_t{-2147483648}, std::int64_t{2147483647}}) {
        const Argument arguments[] = {fitting, {}};
        CHECK_NOTHROW(host.evaluate(arguments, numbers.data()));
    }
    for (const std::int64_t wide : {std::int64_t{-2147483649}, std::int64_t{1} << 32}) {
        const Tensor<std::int32_t> target({2}, {1, 2});
        const Argument arguments[] = {wide, Argument(AnyTensor(target))};
        CHECK_THROWS_AS(host.evaluate(arguments, numbers.data()), DTypeError);
    }
}

TEST_CASE("a number of the call compares with int32 elements as it is", "[ir]") {
    constexpr std::int64_t wide = std::int64_t{1} << 32;
    for (const std::int64_t number : {wide, -wide, wide + 5, std::int64_t{5}})
        for (const OpId op :
             {op_id<op::Eq>, op_id<op::Ne>, op_id<op::Lt>, op_id<op::Le>, op_id<op::Gt>, op_id<op::Ge>}) {
            GraphBuilder b("s");
            const NodeId n = b.symbol("n", SymbolKind::scalar, DType::int64);
            const NodeId x = b.symbol("x", SymbolKind::in, DType::int32);
            const NodeId y = b.symbol("y", SymbolKind::in, DType::int64);
            b.symbol("p", SymbolKind::in_out, DType::boolean);
            b.symbol("q", SymbolKind::in_out, DType::boolean);
            b.update("p", b.apply(op, {x, n}));
            b.update("q", b.apply(op, {y, n}));
            const Graph graph = b.finish();
            const Tensor<std::int32_t> elements({3}, {0, 5, -5});
            const Tensor<bool> found({3}), right({3});
            std::vector<Argument> arguments;
            for (const Symbol& symbol : graph.symbols) {
                if (symbol.name == "n") arguments.emplace_back(number);
                if (symbol.name == "x") arguments.push_back(Argument(AnyTensor(elements)));
                if (symbol.name == "y") arguments.push_back(Argument(AnyTensor(elements).to(DType::int64)));
                if (symbol.name == "p") arguments.push_back(Argument(AnyTensor(found)));
                if (symbol.name == "q") arguments.push_back(Argument(AnyTensor(right)));
            }
            interpret(graph, arguments);
            CHECK(found.to_vector() == right.to_vector());
        }
}

TEST_CASE("a number that is updated several times keeps what the last update leaves", "[ir]") {
    GraphBuilder b("twice");
    const auto mu = [&] { return b.symbol("mu", SymbolKind::scalar_state, DType::float64); };
    const auto nu = [&] { return b.symbol("nu", SymbolKind::scalar_state, DType::float64); };
    b.update("mu", b.apply<op::Mul>({mu(), b.constant(3)}));
    b.update("nu", b.apply<op::Add>({nu(), mu()}));
    b.update("mu", b.apply<op::Add>({mu(), b.constant(1)}));
    b.update("mu", b.apply<op::Mul>({mu(), nu()}));
    const ir::ScalarProgram host = ir::ScalarProgram::of(b.finish());
    double first = 5, second = 100;
    const Argument arguments[] = {Argument::state(first), Argument::state(second)};
    std::vector<double> numbers(host.size());
    host.evaluate(arguments, numbers.data());
    host.store_states(arguments, numbers.data());
    CHECK(second == 115);
    CHECK(first == 16 * 115);
}

TEST_CASE("whole scalars are exact up to 2^53", "[ir]") {
    GraphBuilder b("whole");
    const NodeId n = b.symbol("n", SymbolKind::scalar, DType::int64);
    const NodeId x = b.symbol("x", SymbolKind::in, DType::float64);
    b.symbol("p", SymbolKind::in_out, DType::float64);
    b.update("p", b.apply<op::Mul>({x, b.apply<op::Sub>({n, b.constant(1)})}));
    const ir::ScalarProgram host = ir::ScalarProgram::of(b.finish());
    const Argument arguments[] = {std::int64_t{9007199254740992}, {}, {}};
    std::vector<double> numbers(host.size());
    host.evaluate(arguments, numbers.data());
    CHECK(numbers[0] == 9007199254740991.0);
}

TEST_CASE("one number that meets two dtypes has a slot for each", "[ir]") {
    GraphBuilder b("two");
    const NodeId lr = b.symbol("lr", SymbolKind::scalar, DType::float64);
    b.update("p", b.apply<op::Mul>({b.symbol("p", SymbolKind::in_out, DType::float32), lr}));
    b.update("q", b.apply<op::Mul>({b.symbol("q", SymbolKind::in_out, DType::float64), lr}));
    const ir::ScalarProgram host = ir::ScalarProgram::of(b.finish());
    REQUIRE(host.slots().size() == 2);
    CHECK(host.slots()[0].dtype == DType::float32);
    CHECK(host.slots()[1].dtype == DType::float64);
    CHECK(host.slot(host.slots()[1].node, DType::float64) == 1);
    CHECK_THROWS_AS(host.slot(host.slots()[1].node, DType::boolean), Bug);
    const Argument arguments[] = {0.1, {}, {}};
    std::vector<double> numbers(host.size());
    host.evaluate(arguments, numbers.data());
    CHECK(numbers[0] == static_cast<double>(0.1F));
    CHECK(numbers[1] == 0.1);
}

namespace {

/// A program, written to a table and read again.
struct Reread {
    explicit Reread(const ir::ScalarProgram& program) {
        for (const DType dtype : program.dtypes()) dtypes.push_back(name_of(dtype).data());
        instructions = program.instructions();
        table = {.dtypes = {dtypes.data(), dtypes.size()},
                 .instructions = {instructions.data(), instructions.size()},
                 .states = {program.states().data(), program.states().size()},
                 .size = program.size()};
    }
    std::vector<const char*> dtypes;
    std::vector<aot::NumberRow> instructions;
    aot::NumbersTable table;
};

/// The bits of all numbers of a program.
std::vector<std::uint64_t> bits_of(const ir::ScalarProgram& program, std::span<const Argument> arguments) {
    std::vector<double> numbers(program.size());
    program.evaluate(arguments, numbers.data());
    std::vector<std::uint64_t> bits;
    for (const double number : numbers) bits.push_back(std::bit_cast<std::uint64_t>(number));
    return bits;
}

}  // namespace

TEST_CASE("numbers of the host are the same bits from a table", "[ir]") {
    const ir::ScalarProgram host = ir::ScalarProgram::of(step_with_numbers());
    const Reread reread(host);
    const ir::ScalarProgram read = ir::ScalarProgram::of(reread.table);
    CHECK(read.size() == host.size());
    CHECK(read.dtypes() == host.dtypes());
    REQUIRE(host.has_states());
    double mu = 0.3, same = 0.3;
    const auto arguments_with = [](double& state) {
        return std::vector<Argument>{0.9, std::int64_t{7}, {}, {}, Argument::state(state)};
    };
    CHECK(bits_of(read, arguments_with(same)) == bits_of(host, arguments_with(mu)));
    std::vector<double> numbers(host.size()), numbers_read(host.size());
    host.evaluate(arguments_with(mu), numbers.data());
    host.store_states(arguments_with(mu), numbers.data());
    read.evaluate(arguments_with(same), numbers_read.data());
    read.store_states(arguments_with(same), numbers_read.data());
    CHECK(mu == same);
    CHECK(mu != 0.3);
}

TEST_CASE("constants are the same bits from a table", "[ir]") {
    GraphBuilder b("constants");
    const NodeId x = b.symbol("x", SymbolKind::in, DType::float64);
    b.symbol("p", SymbolKind::in_out, DType::float64);
    NodeId sum = x;
    for (const double number :
         {0.1, -0.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::denorm_min(),
          std::numeric_limits<double>::quiet_NaN()})
        sum = b.apply<op::Add>({sum, b.constant(number)});
    b.update("p", b.apply<op::Add>({sum, b.constant(std::numeric_limits<std::int64_t>::min())}));
    const ir::ScalarProgram host = ir::ScalarProgram::of(b.finish());
    const Argument arguments[] = {{}, {}};
    const Reread reread(host);
    CHECK(bits_of(ir::ScalarProgram::of(reread.table), arguments) == bits_of(host, arguments));
}

TEST_CASE("a table without numbers is an empty program", "[ir]") {
    const ir::ScalarProgram empty = ir::ScalarProgram::of(aot::NumbersTable{});
    CHECK(empty.size() == 0);
    CHECK(empty.dtypes().empty());
    CHECK(!empty.has_states());
}

TEST_CASE("a table of numbers that names no operation or dtype is refused", "[ir]") {
    using Kind = aot::NumberRow::Kind;
    const aot::NumberRow no_operation[] = {{Kind::op, 0, "float64", {0, 0, -1}, "frobnicate"}};
    CHECK_THROWS_AS(ir::ScalarProgram::of(aot::NumbersTable{.instructions = no_operation, .size = 1}),
                    ValueError);
    const aot::NumberRow no_dtype[] = {{Kind::argument, 0, "float7", {0, -1, -1}}};
    CHECK_THROWS_AS(ir::ScalarProgram::of(aot::NumbersTable{.instructions = no_dtype, .size = 1}),
                    DTypeError);
}

}  // namespace graph_host_numbers_test

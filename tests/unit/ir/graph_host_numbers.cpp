// SPDX-License-Identifier: MIT
#include "../../../ir/scalar_program.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cmath>

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

TEST_CASE("numbers of the host are written as C++ that calls the table's operations", "[ir]") {
    CHECK(ir::ScalarProgram::of(step_with_numbers()).to_cpp("numbers") ==
          R"(void numbers_evaluate([[maybe_unused]] std::span<const frisket::Argument> arguments,
    [[maybe_unused]] double* numbers) noexcept {
    numbers[3] = frisket::host::put<std::int64_t>(1);
    numbers[4] = frisket::host::convert<double, std::int64_t>(numbers[3]);
    numbers[5] = frisket::host::argument<double>(arguments[0]);
    numbers[6] = frisket::host::argument<std::int64_t>(arguments[1]);
    numbers[7] = frisket::host::convert<double, std::int64_t>(numbers[6]);
    numbers[8] = frisket::host::apply<frisket::op::Pow, double>(numbers[5], numbers[7]);
    numbers[9] = frisket::host::apply<frisket::op::Sub, double>(numbers[4], numbers[8]);
    numbers[0] = frisket::host::convert<float, double>(numbers[9]);
    numbers[10] = frisket::host::argument<double>(arguments[4]);
    numbers[11] = frisket::host::apply<frisket::op::Mul, double>(numbers[10], numbers[5]);
    numbers[1] = frisket::host::convert<float, double>(numbers[11]);
    numbers[2] = numbers[11];
}

void numbers_store_states([[maybe_unused]] std::span<const frisket::Argument> arguments,
    [[maybe_unused]] const double* numbers) noexcept {
    *arguments[4].state_slot() = numbers[2];
}
)");
}

namespace {

template <class Op>
std::string type_name() {
    const std::string text = __PRETTY_FUNCTION__;  // "… type_name() [with Op = frisket::op::Add; …"
    const std::size_t begin = text.rfind("op::") + 4;
    return text.substr(begin, text.find_first_of(";]", begin) - begin);
}

void check_name(const std::string& given, const std::string& wanted) { CHECK(given == wanted); }

template <class... Op>
void check_names(OpList<Op...>) {
    (check_name(ir::cpp_name(op_id<Op>), type_name<Op>()), ...);
}

}  // namespace

TEST_CASE("the name of an operation tells the name of its type", "[ir]") { check_names(Ops{}); }

}  // namespace graph_host_numbers_test

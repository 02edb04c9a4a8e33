// SPDX-License-Identifier: MIT
#include "../../../runtime/tensor/error.hpp"

#include "../../../runtime/kernel/signature.hpp"
#include "../../support/matchers.hpp"

namespace errors_test {

using namespace frisket;
using namespace frisket::testing;

TEST_CASE("an error's text starts with the name of the library") {
    CHECK(std::string(ShapeError("somewhere: something").what()) == "frisket: somewhere: something");
    CHECK(ShapeError("x").code() == ErrorCode::shape);
}

TEST_CASE("an error's text shows control characters of what it quotes, and goes on after them") {
    const std::string quoted("a\0b\x1b[31m\x7f\n\t\xc3\xa9", 13);
    CHECK(std::string(ValueError("\"" + quoted + "\" is none").what()) ==
          "frisket: \"a\\x00b\\x1b[31m\\x7f\n\t\xc3\xa9\" is none");
}

TEST_CASE("raise throws the class of its code") {
    CHECK_THROWS_AS(raise(ErrorCode::mask_mismatch, "x"), MaskMismatch);
    CHECK_THROWS_AS(raise(ErrorCode::identity, "x"), IdentityError);
    CHECK_THROWS_AS(raise(ErrorCode::shape, "x"), ShapeError);
    CHECK_THROWS_AS(raise(ErrorCode::dim, "x"), DimError);
    CHECK_THROWS_AS(raise(ErrorCode::index, "x"), IndexError);
    CHECK_THROWS_AS(raise(ErrorCode::dtype, "x"), DTypeError);
    CHECK_THROWS_AS(raise(ErrorCode::value, "x"), ValueError);
    CHECK_THROWS_AS(raise(ErrorCode::unspecified, "x"), UnspecifiedError);
    CHECK_THROWS_AS(raise(ErrorCode::layout, "x"), LayoutError);
    CHECK_THROWS_AS(raise(ErrorCode::binding, "x"), BindingError);
    CHECK_THROWS_AS(raise(ErrorCode::schedule, "x"), ScheduleError);
    CHECK_THROWS_AS(raise(ErrorCode::target, "x"), TargetError);
    CHECK_THROWS_AS(raise(ErrorCode::io, "x"), IoError);
    CHECK_THROWS_AS(raise(ErrorCode::bug, "x"), Bug);
    CHECK_THROWS_AS(raise(ErrorCode::ok, "x"), Bug);
}

TEST_CASE("every error of a code has its code and its name") {
    for (int code = 1; code <= static_cast<int>(ErrorCode::bug); ++code) {
        try {
            raise(static_cast<ErrorCode>(code), "x");
        } catch (const Error& error) { CHECK(static_cast<int>(error.code()) == code); }
    }
    CHECK(name_of(ErrorCode::ok) == "ok");
    CHECK(name_of(ErrorCode::mask_mismatch) == "mask_mismatch");
    CHECK(name_of(ErrorCode::bug) == "bug");
}

TEST_CASE("a bug asks to be reported") {
    CHECK_THROWS_MATCHES(raise(ErrorCode::bug, "plan: a node without operands"), Bug,
                         Says("plan: a node without operands (a bug in frisket: please report it)"));
}

TEST_CASE("a signature finds its parameters by name") {
    Signature signature;
    signature.parameters = {{"param", SymbolKind::in_out, DType::float32},
                            {"grad", SymbolKind::masked, DType::float32}};
    CHECK(signature.find("grad") == 1);
    CHECK(signature.find("lr") == -1);
    CHECK(signature.find("") == -1);
    CHECK(name_of(SymbolKind::in_out) == "InOut");
    CHECK(name_of(SymbolKind::scalar_state) == "ScalarState");
}

}  // namespace errors_test

# SPDX-License-Identifier: MIT
# A copy of the sources in which tests/mutants/plant.py has planted faults is built with FRISKET_MUTANTS and never
# without; other sources have no faults to choose from, and a release never has any.
if(EXISTS "${PROJECT_SOURCE_DIR}/planted_faults.txt" AND NOT FRISKET_MUTANTS)
    message(FATAL_ERROR "frisket: ${PROJECT_SOURCE_DIR} has planted faults: build it by ./dev mutants, or build other sources")
endif()
if(FRISKET_MUTANTS AND NOT EXISTS "${PROJECT_SOURCE_DIR}/planted_faults.txt")
    message(FATAL_ERROR "frisket: FRISKET_MUTANTS is for copies with planted faults: run ./dev mutants, which makes one")
endif()
if(FRISKET_MUTANTS AND CMAKE_BUILD_TYPE STREQUAL Release)
    message(FATAL_ERROR "frisket: planted faults are for tests: no release has them, leave out FRISKET_MUTANTS")
endif()

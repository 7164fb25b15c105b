# trnsim_verilate(<target> TOP <module> SOURCES <sv...> [FLAGS <verilator options...>] [CLOCK <input>] [SELECT_TRACES] [AS_GENERATED])
#
# A static library <target> with the verilated model V<module> of the SystemVerilog sources (packages first), built when its
# sources change. Generated packages may be among the sources. Link it and include "V<module>.h". With SELECT_TRACES a recording of
# some of the instances in the top module costs what they cost (select_traces.py). Loops over lanes are made to compile to vector
# code (lane_loops.py), zeroes that nothing reads and copies that are only looked at are left out (drop_zeros.py, drop_copies.py), but
# for AS_GENERATED. With CLOCK the other inputs change in evaluations without a rising edge of it, which so cost less
# (clock_edges.py).
find_program(VERILATOR verilator REQUIRED)
find_program(MAKE NAMES gmake make REQUIRED)
execute_process(COMMAND ${VERILATOR} --getenv VERILATOR_ROOT OUTPUT_VARIABLE VERILATOR_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE)
file(STRINGS ${VERILATOR_ROOT}/include/verilated_config.h version REGEX "define VERILATOR_VERSION ")
string(REGEX REPLACE ".*\"([0-9.]+).*" "\\1" TRNSIM_VERILATOR_VERSION "${version}")

# What makes Verilator's output fast; see docs/rtl-style.md. The same flags build every model.
#
# Models are compiled by the compiler that Verilator was configured for, so that one is asked what it knows: flags for the
# machine at hand, whole AVX-512 registers where there are any, no moves of single words from integer to vector registers, into
# which it would turn vector operands that it finds in memory, and copies of rows in place instead of a call for each, but no
# copies of bytes for loops over words. Functions of thousands of lines have more values than registers, without those that it
# would work out ahead; those of a model call each other directly.
set(TRNSIM_RTL_MARCH native CACHE STRING
    "The processors that cores and host numerics are compiled for: native, x86-64-v3, x86-64-v4 or another -march of the compiler")
file(STRINGS ${VERILATOR_ROOT}/include/verilated.mk TRNSIM_RTL_CXX REGEX "^CXX = " LIMIT_COUNT 1)
string(REGEX REPLACE "^CXX = ([^ ]+).*" "\\1" TRNSIM_RTL_CXX "${TRNSIM_RTL_CXX}")
find_program(found_cxx ${TRNSIM_RTL_CXX} NO_CACHE)
if(NOT found_cxx)  # a Verilator that was compiled on another machine
    set(TRNSIM_RTL_CXX ${CMAKE_CXX_COMPILER})
endif()
set(TRNSIM_RTL_CXXFLAGS -O3 -fPIC -w -march=${TRNSIM_RTL_MARCH})
execute_process(COMMAND ${TRNSIM_RTL_CXX} ${TRNSIM_RTL_CXXFLAGS} -fsyntax-only -x c++ /dev/null RESULT_VARIABLE unknown OUTPUT_QUIET ERROR_QUIET)
if(unknown)
    message(FATAL_ERROR "TRNSIM_RTL_MARCH: found '${TRNSIM_RTL_MARCH}', expected native, x86-64-v3, x86-64-v4 or another -march of ${TRNSIM_RTL_CXX}")
endif()
foreach(flag -mprefer-vector-width=512 -mtune-ctrl=^inter_unit_moves_to_vec
             -mmemcpy-strategy=vector_loop:1024:noalign,libcall:-1:noalign -fno-tree-loop-distribute-patterns
             -fno-tree-pre -fno-semantic-interposition -fvisibility=hidden)
    execute_process(COMMAND ${TRNSIM_RTL_CXX} ${TRNSIM_RTL_CXXFLAGS} ${flag} -Werror -fsyntax-only -x c++ /dev/null
                    RESULT_VARIABLE unknown OUTPUT_QUIET ERROR_QUIET)
    if(NOT unknown)
        list(APPEND TRNSIM_RTL_CXXFLAGS ${flag})
    endif()
endforeach()
list(JOIN TRNSIM_RTL_CXXFLAGS " " TRNSIM_RTL_CXXFLAGS)
set(TRNSIM_VERILATOR_FLAGS
    --cc --trace-fst --assert -O3 --x-assign fast --x-initial fast -fno-merge-cond --unroll-count 8 --output-split 20000)

# Counters of executed lines and toggled bits (docs/regressions.md). Nobody waits for such a model for long: it is compiled for
# a short build.
option(TRNSIM_RTL_COVERAGE "Count lines and toggles of the RTL" OFF)
set(TRNSIM_COVERAGE_SOURCES "")
set(TRNSIM_VM_COVERAGE 0)
if(TRNSIM_RTL_COVERAGE)
    list(APPEND TRNSIM_VERILATOR_FLAGS --coverage-line --coverage-toggle)
    string(REPLACE "-O3" "-O1" TRNSIM_RTL_CXXFLAGS ${TRNSIM_RTL_CXXFLAGS})
    set(TRNSIM_COVERAGE_SOURCES ${VERILATOR_ROOT}/include/verilated_cov.cpp)
    set(TRNSIM_VM_COVERAGE 1)
endif()

add_library(verilated_runtime STATIC
    ${VERILATOR_ROOT}/include/verilated.cpp
    ${VERILATOR_ROOT}/include/verilated_threads.cpp
    ${VERILATOR_ROOT}/include/verilated_fst_c.cpp
    ${TRNSIM_COVERAGE_SOURCES}
    ${PROJECT_SOURCE_DIR}/model/core/rtl/verilated_coverage.cpp
    ${PROJECT_SOURCE_DIR}/model/core/rtl/verilated_fatal.cpp)
set_target_properties(verilated_runtime PROPERTIES UNITY_BUILD OFF)
target_include_directories(verilated_runtime SYSTEM PUBLIC ${VERILATOR_ROOT}/include ${VERILATOR_ROOT}/include/vltstd)
# The writer of FST stores words where they fall.
target_compile_options(verilated_runtime PRIVATE -w -fno-sanitize=alignment ${optimise_little})
target_compile_definitions(verilated_runtime PRIVATE VL_USER_FATAL)
target_compile_definitions(verilated_runtime PUBLIC VM_TRACE=1 VM_TRACE_FST=1 VM_TRACE_VCD=0 VM_COVERAGE=${TRNSIM_VM_COVERAGE} VM_SC=0)
target_link_libraries(verilated_runtime PUBLIC Threads::Threads ZLIB::ZLIB)
# model/core/rtl/wave_scopes.hpp says what depends on these.
file(STRINGS ${VERILATOR_ROOT}/include/verilated_fst_c.h prefixes REGEX "void pushPrefix")
if(prefixes)
    target_compile_definitions(verilated_runtime PUBLIC TRNSIM_VERILATOR_HAS_PREFIXES)
endif()
file(STRINGS ${VERILATOR_ROOT}/include/verilated.h traced_contexts REGEX "void traceBaseModelCbAdd")
if(traced_contexts)
    target_compile_definitions(verilated_runtime PUBLIC TRNSIM_VERILATOR_TRACES_CONTEXTS)
endif()
if(EXISTS ${VERILATOR_ROOT}/include/fstcpp)  # the writer of waves of current versions
    find_library(LZ4 lz4 REQUIRED DOC "The library of Debian's package liblz4-dev")
    target_link_libraries(verilated_runtime PUBLIC ${LZ4})
endif()

# Passes over the C++ that Verilator writes make it faster (docs/rtl-style.md). They stop the build where it does not look as they
# expect, so they run with the versions that they are tested with.
set(TRNSIM_RTL_REWRITE AUTO CACHE STRING "Rewrite the C++ of Verilator: ON, OFF, or AUTO for the versions that the passes are tested with")
set(TRNSIM_REWRITTEN_VERSIONS 5.006)
if(TRNSIM_RTL_REWRITE STREQUAL "AUTO")
    set(rewritten OFF)
    if(TRNSIM_VERILATOR_VERSION IN_LIST TRNSIM_REWRITTEN_VERSIONS)
        set(rewritten ON)
    else()
        message(STATUS "Verilator ${TRNSIM_VERILATOR_VERSION}: its C++ is compiled as it is, which runs slower; the passes over it are tested with ${TRNSIM_REWRITTEN_VERSIONS}")
    endif()
elseif(TRNSIM_RTL_REWRITE MATCHES "^(ON|OFF)$")
    set(rewritten ${TRNSIM_RTL_REWRITE})
else()
    message(FATAL_ERROR "TRNSIM_RTL_REWRITE: found '${TRNSIM_RTL_REWRITE}', expected ON, OFF or AUTO")
endif()

# GTKWave's writer and reader of waves, which Debian's Verilator brings and current versions do not.
find_path(TRNSIM_FST_INCLUDE gtkwave/fstapi.c PATHS ${VERILATOR_ROOT}/include /usr/share/verilator/include NO_DEFAULT_PATH REQUIRED)

function(trnsim_verilate target)
    cmake_parse_arguments(ARG "SELECT_TRACES;AS_GENERATED" "TOP;CLOCK" "SOURCES;FLAGS" ${ARGN})
    set(dir ${CMAKE_CURRENT_BINARY_DIR}/${target}.verilated)
    set(archive ${dir}/model.a)
    set(makefile ${dir}/V${ARG_TOP}.mk)
    if(CCACHE)
        set(objcache OBJCACHE=${CCACHE})
    endif()
    set(sources ${ARG_SOURCES})
    if(TRNSIM_RTL_COVERAGE)
        set(packages ${ARG_SOURCES})
        list(FILTER packages INCLUDE REGEX "^${PROJECT_SOURCE_DIR}/rtl/.*_pkg\\.sv$")
        list(TRANSFORM sources REPLACE "^${PROJECT_SOURCE_DIR}/rtl/.*/(.*_pkg\\.sv)$" "${dir}/packages/\\1")
        set(anchorer ${PROJECT_SOURCE_DIR}/cmake/anchor_packages.py)
        set(anchor COMMAND ${Python3_EXECUTABLE} ${anchorer} ${dir}/packages ${packages})
    endif()
    if(rewritten AND NOT ARG_AS_GENERATED)
        set(passes ${PROJECT_SOURCE_DIR}/cmake/lane_loops.py ${PROJECT_SOURCE_DIR}/cmake/drop_zeros.py
                   ${PROJECT_SOURCE_DIR}/cmake/drop_copies.py)
        foreach(pass IN LISTS passes)
            list(APPEND rewrite COMMAND ${Python3_EXECUTABLE} ${pass} ${dir} V${ARG_TOP})
        endforeach()
    endif()
    if(rewritten AND ARG_CLOCK AND NOT TRNSIM_RTL_COVERAGE)  # whose counts of toggles take clocks as data
        set(edges ${PROJECT_SOURCE_DIR}/cmake/clock_edges.py)
        list(APPEND rewrite COMMAND ${Python3_EXECUTABLE} ${edges} ${dir} V${ARG_TOP} ${ARG_CLOCK})
        list(APPEND passes ${edges} ${PROJECT_SOURCE_DIR}/model/core/rtl/trigger_bits.hpp)
    endif()
    if(rewritten AND ARG_SELECT_TRACES)
        set(selector ${PROJECT_SOURCE_DIR}/cmake/select_traces.py)
        set(select COMMAND ${Python3_EXECUTABLE} ${selector} ${dir} ${ARG_TOP})
    endif()
    add_custom_command(
        OUTPUT ${makefile}
        BYPRODUCTS ${dir}/V${ARG_TOP}.h ${dir}/V${ARG_TOP}___024root.h
        COMMAND ${CMAKE_COMMAND} -E rm -rf ${dir} # files of a model that was split otherwise
        ${anchor}
        COMMAND ${VERILATOR} ${TRNSIM_VERILATOR_FLAGS} ${ARG_FLAGS} --no-skip-identical --top-module ${ARG_TOP} --prefix V${ARG_TOP}
                --Mdir ${dir} ${sources}
        ${rewrite}
        ${select}
        DEPENDS ${ARG_SOURCES} ${passes} ${selector} ${anchorer}
        COMMENT "Verilating ${target}"
        VERBATIM)
    add_custom_command(
        OUTPUT ${archive}
        COMMAND ${MAKE} -s -j 2 -C ${dir} -f ${PROJECT_SOURCE_DIR}/cmake/verilated.mk model.a MODEL=V${ARG_TOP} CXX=${TRNSIM_RTL_CXX} ${objcache}
                "RTL_CXXFLAGS=${TRNSIM_RTL_CXXFLAGS}" > ${dir}.log 2>&1 || sh -c "cat ${dir}.log; false"
        DEPENDS ${makefile} ${PROJECT_SOURCE_DIR}/cmake/verilated.mk
        COMMENT "Compiling ${target}"
        VERBATIM)
    add_custom_target(${target}_headers DEPENDS ${makefile})
    add_dependencies(generated ${target}_headers)
    add_custom_target(${target}_verilate DEPENDS ${archive})
    add_dependencies(${target}_verilate ${target}_headers)
    add_library(${target} INTERFACE)
    add_dependencies(${target} ${target}_verilate)
    target_include_directories(${target} SYSTEM INTERFACE ${dir})
    target_link_libraries(${target} INTERFACE ${archive} verilated_runtime)
endfunction()

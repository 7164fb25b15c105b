# What the program and a core library have to agree on, as a hash: the pins (core_model.hpp), the counts (counts.hpp) and the codes
# and addresses that cross them (isa.yaml, core_window.hpp). Run as a script it writes the header: cmake -DSOURCE=DIR -DOUTPUT=FILE -P CoreAbi.cmake.
set(TRNSIM_CORE_ABI_FILES
    arch/checkpoint/core_state.hpp model/core/core_model.hpp model/core/counts.hpp model/core/gpsimd.hpp model/core/gpsimd_debug.hpp model/core/info.hpp
    model/core/rtl/core_label.cpp model/core/rtl/core_library.hpp isa/core_window.hpp isa/isa.yaml)

if(CMAKE_SCRIPT_MODE_FILE)
    set(hashes "")
    foreach(name IN LISTS TRNSIM_CORE_ABI_FILES)
        file(SHA256 ${SOURCE}/${name} hash)
        string(APPEND hashes ${hash})
    endforeach()
    string(SHA256 hash ${hashes})
    file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "// Made by cmake/CoreAbi.cmake.\n#define TRNSIM_CORE_ABI \"${hash}\"\n")
    return()
endif()

set(abi_header ${PROJECT_BINARY_DIR}/generated/core_abi/core_abi.hpp)
list(TRANSFORM TRNSIM_CORE_ABI_FILES PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE abi_files)
add_custom_command(
    OUTPUT ${abi_header}
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DOUTPUT=${abi_header} -P ${CMAKE_CURRENT_LIST_FILE}
    DEPENDS ${abi_files} ${CMAKE_CURRENT_LIST_FILE}
    VERBATIM)
add_custom_target(core_abi_header DEPENDS ${abi_header})
add_dependencies(generated core_abi_header)

add_library(trnsim_core_label_header INTERFACE)
target_include_directories(trnsim_core_label_header INTERFACE ${PROJECT_BINARY_DIR}/generated/core_abi)
add_dependencies(trnsim_core_label_header core_abi_header)

# The label of a core library, compiled as the verilated model is.
add_library(trnsim_core_label OBJECT ${PROJECT_SOURCE_DIR}/model/core/rtl/core_label.cpp)
separate_arguments(flags NATIVE_COMMAND ${TRNSIM_RTL_CXXFLAGS})
list(FILTER flags EXCLUDE REGEX "^-mtune")  # enables no instructions, and clang-tidy does not know it
target_compile_options(trnsim_core_label PRIVATE ${flags})
target_link_libraries(trnsim_core_label PRIVATE trnsim_core_label_header)

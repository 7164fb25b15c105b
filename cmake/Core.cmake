# trnsim_add_core(<config.yaml>)
#
# A shared object lib/cores/core_<name>.so with the verilated core of a configuration, <name> being the file's without .yaml.
# The simulator loads it when a configuration with the same RTL parameters is chosen.
#
# trnsim_core_parameters(<config.yaml>)
#
# Its parameters and the list of its sources alone, in cores/<name> of the build folder: what tests of blocks and the lint need.
set(TRNSIM_RTL_BLOCKS ${RTL_COMMON} ${RTL_FP} ${RTL_ROUNDING} ${RTL_MEMORY} ${RTL_BUS} ${RTL_MEMORIES} ${RTL_CONTROL} ${RTL_TENSOR} ${RTL_ELEMENTWISE} ${RTL_VECTOR}
    ${RTL_SCALAR})

function(trnsim_core_parameters yaml)
    cmake_path(GET yaml STEM config)
    set(dir ${CMAKE_BINARY_DIR}/cores/${config})
    file(GLOB bases ${CMAKE_SOURCE_DIR}/configs/*.yaml)
    add_custom_command(
        OUTPUT ${dir}/cfg_pkg.sv ${dir}/cfg_parameters.hpp ${dir}/rtl_hash.hpp
        COMMAND trnsim_rtl_package ${yaml} ${dir} ${CMAKE_SOURCE_DIR}
        DEPENDS trnsim_rtl_package ${yaml} ${bases} ${RTL_ISA_PKG} ${TRNSIM_RTL_BLOCKS} ${RTL_CORE}
        COMMENT "Parameters of core ${config}"
        VERBATIM)
    set(sources ${dir}/cfg_pkg.sv ${RTL_ISA_PKG} ${TRNSIM_RTL_BLOCKS} ${RTL_CORE})
    list(JOIN sources "\n" list)
    file(CONFIGURE OUTPUT ${dir}/sources.f CONTENT "${list}\n")
    set(TRNSIM_CORE_SOURCES ${sources} PARENT_SCOPE)
    add_custom_target(core_${config}_parameters DEPENDS ${dir}/cfg_pkg.sv ${dir}/cfg_parameters.hpp ${dir}/rtl_hash.hpp)
    add_dependencies(generated core_${config}_parameters)
endfunction()

function(trnsim_add_core yaml)
    trnsim_core_parameters(${yaml})
    cmake_path(GET yaml STEM config)
    set(dir ${CMAKE_BINARY_DIR}/cores/${config})
    trnsim_verilate(core_${config}_model TOP neuron_core SOURCES ${TRNSIM_CORE_SOURCES} SELECT_TRACES)
    add_library(core_${config} MODULE ${CMAKE_SOURCE_DIR}/tlm/core_rtl/adapter.cpp ${CMAKE_SOURCE_DIR}/tlm/core_rtl/verilated_files.cpp)
    target_include_directories(core_${config} PRIVATE ${dir})
    target_link_libraries(core_${config} PRIVATE core_${config}_model trnsim_isa trnsim_core_label)
    add_dependencies(core_${config} core_${config}_parameters)
    target_link_options(core_${config} PRIVATE -Wl,-Bsymbolic -Wl,--exclude-libs,ALL)
    target_link_options(core_${config} PRIVATE -Wl,--wrap=fclose,--wrap=fflush,--wrap=fwrite,--wrap=mmap) # see verilated_files.hpp
    target_compile_options(core_${config} PRIVATE -Wno-pedantic)
    set_target_properties(core_${config} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/cores)
endfunction()

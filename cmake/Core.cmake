# trnsim_add_core(<config.yaml>)
#
# A shared object lib/cores/core_<name>.so with the verilated core of a configuration, <name> being the file's without .yaml.
# The simulator loads it when a configuration with the same RTL parameters is chosen.
#
# trnsim_core_parameters(<config.yaml>)
#
# Its parameters and the lists of its sources alone, in cores/<name> of the build folder: what tests of blocks and the lint need.
# sources.f is the core; model.f and lower.f are two models that it is simulated as: the lower blocks of the array are one of
# their own, which may have a thread of its own (model/core/rtl/lower_rows.hpp).
#
# The third is that of a GpSimd core, the same for all configurations with its VLEN (model/core/rtl/gpsimd_cores.hpp).
set(TRNSIM_RTL_OF_GPSIMD_CORE ${RTL_GPSIMD_CORE})  # what nothing else has
list(FILTER TRNSIM_RTL_OF_GPSIMD_CORE INCLUDE REGEX "^${RTL_DIR}/gpsimd/")
list(REMOVE_ITEM TRNSIM_RTL_OF_GPSIMD_CORE ${RTL_DIR}/gpsimd/gpsimd_pkg.sv)
# The model for a configuration, in `result`.
function(trnsim_gpsimd_core_model yaml result)
    execute_process(COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/cmake/gpsimd_vlen.py ${yaml} ${PROJECT_SOURCE_DIR}/configs
        OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    string(REPLACE "\n" ";" files "${found}")
    list(POP_FRONT files vlen)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
    if(NOT DEFINED RTL_GPSIMD_VLEN${vlen})
        set(vlen 512)  # trnsim-rtl-package says what is wrong with the configuration
    endif()
    set(${result} gpsimd_core_vlen${vlen}_model PARENT_SCOPE)
    if(NOT TARGET gpsimd_core_vlen${vlen}_model)
        trnsim_verilate(gpsimd_core_vlen${vlen}_model TOP gpsimd_core SOURCES ${RTL_GPSIMD_VLEN${vlen}} ${RTL_GPSIMD_CORE}
            ${PROJECT_SOURCE_DIR}/model/core/rtl/gpsimd_observer.sv CLOCK clk_i SELECT_TRACES)
    endif()
endfunction()

set(TRNSIM_RTL_BLOCKS ${RTL_COMMON} ${RTL_FP} ${RTL_ROUNDING} ${RTL_MEMORY} ${RTL_BUS} ${RTL_MEMORIES} ${RTL_CONTROL} ${RTL_TENSOR} ${RTL_ELEMENTWISE} ${RTL_VECTOR}
    ${RTL_SCALAR} ${RTL_DIR}/gpsimd/gpsimd_cfg_pkg.sv ${RTL_GPSIMD} ${RTL_GPSIMD_ENGINE})
list(REMOVE_DUPLICATES TRNSIM_RTL_BLOCKS)

function(trnsim_core_parameters yaml)
    cmake_path(GET yaml STEM config)
    set(dir ${PROJECT_BINARY_DIR}/cores/${config})
    file(GLOB bases ${PROJECT_SOURCE_DIR}/configs/*.yaml)
    add_custom_command(
        OUTPUT ${dir}/cfg_pkg.sv ${dir}/cfg_parameters.hpp ${dir}/rtl_hash.hpp
        COMMAND trnsim_rtl_package ${yaml} ${dir} ${PROJECT_SOURCE_DIR}
        DEPENDS trnsim_rtl_package ${yaml} ${bases} ${RTL_ISA_PKG} ${TRNSIM_RTL_BLOCKS} ${RTL_CORE}
        COMMENT "Parameters of core ${config}"
        VERBATIM)
    set(sources ${dir}/cfg_pkg.sv ${RTL_ISA_PKG} ${TRNSIM_RTL_BLOCKS} ${RTL_CORE})
    set(simulated ${PROJECT_SOURCE_DIR}/model/core/rtl)
    list(TRANSFORM sources REPLACE "^${RTL_DIR}/tensor/pe_lower_border.sv$" ${simulated}/pe_lower_border.sv OUTPUT_VARIABLE model)
    list(TRANSFORM model REPLACE "^${RTL_DIR}/gpsimd/gpsimd_cores.sv$" ${simulated}/gpsimd_cores.sv)
    list(REMOVE_ITEM model ${TRNSIM_RTL_OF_GPSIMD_CORE})
    set(lower ${dir}/cfg_pkg.sv ${RTL_ISA_PKG} ${RTL_PE_LOWER} ${simulated}/pe_lower_top.sv)
    foreach(name IN ITEMS sources model lower)
        list(JOIN ${name} "\n" list)
        file(CONFIGURE OUTPUT ${dir}/${name}.f CONTENT "${list}\n")
    endforeach()
    set(TRNSIM_CORE_MODEL_SOURCES ${model} PARENT_SCOPE)
    set(TRNSIM_CORE_LOWER_SOURCES ${lower} PARENT_SCOPE)
    add_custom_target(core_${config}_parameters DEPENDS ${dir}/cfg_pkg.sv ${dir}/cfg_parameters.hpp ${dir}/rtl_hash.hpp)
    add_dependencies(generated core_${config}_parameters)
endfunction()

function(trnsim_add_core yaml)
    trnsim_core_parameters(${yaml})
    cmake_path(GET yaml STEM config)
    set(dir ${PROJECT_BINARY_DIR}/cores/${config})
    set(adapter ${PROJECT_SOURCE_DIR}/model/core/rtl)
    trnsim_verilate(core_${config}_model TOP neuron_core SOURCES ${TRNSIM_CORE_MODEL_SOURCES} CLOCK clk_i SELECT_TRACES)
    trnsim_gpsimd_core_model(${yaml} gpsimd_core_model)
    trnsim_verilate(core_${config}_lower_model TOP pe_lower_top SOURCES ${TRNSIM_CORE_LOWER_SOURCES})
    add_library(core_${config} MODULE ${adapter}/adapter.cpp ${adapter}/gpsimd_cores.cpp ${adapter}/gpsimd_hold.cpp ${adapter}/gpsimd_view.cpp ${adapter}/lower_rows.cpp ${adapter}/step_thread.cpp ${PROJECT_SOURCE_DIR}/model/fst/write_failure.cpp ${adapter}/verilated_state.cpp)
    target_include_directories(core_${config} PRIVATE ${dir})
    target_link_libraries(core_${config} PRIVATE core_${config}_model core_${config}_lower_model ${gpsimd_core_model} trnsim_isa trnsim_core_label)
    add_dependencies(core_${config} core_${config}_parameters)
    target_link_options(core_${config} PRIVATE -Wl,-Bsymbolic -Wl,--exclude-libs,ALL)
    target_link_options(core_${config} PRIVATE -Wl,--wrap=fclose,--wrap=fflush,--wrap=fwrite,--wrap=mmap) # see write_failure.hpp
    target_compile_options(core_${config} PRIVATE -Wno-pedantic)
    set_target_properties(core_${config} PROPERTIES PREFIX "" UNITY_BUILD OFF LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/cores)
endfunction()

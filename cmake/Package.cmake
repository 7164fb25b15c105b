# What other projects link: trnsim::builder, trnsim::functional and so on, by add_subdirectory(), or by find_package(trnsim) from
# the build folder or from where `cmake --install` put it. Both have the package in lib/cmake/trnsim and the program in bin.
set(TRNSIM_LIBRARIES
    activation builder checkpoint chip collective_cores collectives communicator config contents core core_fast core_rtl cost dma dma_encoding estimates fabric
    files firmware_images fst functional hbm isa jobs kernels loader neff neuronlink npy numerics operands perturb places processes protocol random_programs runtime rv32 schedule
    simulation system target trial values waves)

set(package ${PROJECT_BINARY_DIR}/lib/cmake/trnsim)
set(headers ${PROJECT_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${headers})
foreach(name IN LISTS TRNSIM_LIBRARIES)
    set(target trnsim_${name})
    add_library(trnsim::${name} ALIAS ${target})
    target_compile_features(${target} PUBLIC cxx_std_20)
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} INTERFACE_INCLUDE_DIRECTORIES "$<BUILD_INTERFACE:${headers}>")
    list(APPEND targets ${target})
    # Headers of the folder, or those that the library names.
    get_target_property(folder ${target} SOURCE_DIR)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    get_target_property(named ${target} TRNSIM_HEADERS)
    if(named)
        list(TRANSFORM named PREPEND ${folder}/ OUTPUT_VARIABLE folder)
    endif()
    list(APPEND public ${folder})
endforeach()
add_executable(trnsim::trnsim ALIAS trnsim)

# Other projects include trnsim/compiler/builder/kernel_builder.hpp and so on; no other name of the tree is on their path.
set(copied ${PROJECT_BINARY_DIR}/generated/headers.stamp)
add_custom_command(
    OUTPUT ${copied}
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/public_headers.py ${PROJECT_SOURCE_DIR} ${headers} --generated ${PROJECT_BINARY_DIR}/generated/isa
            --also ${PROJECT_SOURCE_DIR}/firmware/include --stamp ${copied} ${public}
    DEPENDS ${CMAKE_CURRENT_LIST_DIR}/public_headers.py ${PROJECT_BINARY_DIR}/generated/isa/isa/isa_tables.hpp
    DEPFILE ${copied}.d
    COMMENT "Headers for other projects"
    VERBATIM)
add_custom_target(trnsim_headers DEPENDS ${copied})
add_dependencies(trnsim_headers isa_generated)
foreach(target IN LISTS targets)
    add_dependencies(${target} trnsim_headers)
endforeach()

install(TARGETS ${targets} systemc trnsim EXPORT trnsim
    ARCHIVE DESTINATION lib RUNTIME DESTINATION bin INCLUDES DESTINATION include)
install(TARGETS trnsim_rtl_package RUNTIME DESTINATION bin)
foreach(name IN LISTS cores TRNSIM_EXTRA_CORES)
    cmake_path(GET name STEM name)
    install(TARGETS core_${name} LIBRARY DESTINATION lib/trnsim/cores OPTIONAL)
endforeach()
if(TARGET trnsim_mpi)
    install(TARGETS trnsim_mpi LIBRARY DESTINATION lib/trnsim)
endif()
install(DIRECTORY ${headers}/trnsim DESTINATION include MESSAGE_NEVER)
install(DIRECTORY configs waves data DESTINATION share/trnsim MESSAGE_NEVER)
# For GpSimd cores: microcode, and what custom operators are compiled with.
install(DIRECTORY firmware/include DESTINATION share/trnsim/firmware MESSAGE_NEVER)
install(FILES firmware/runtime/operation.hpp DESTINATION share/trnsim/firmware/runtime)
install(DIRECTORY ${PROJECT_BINARY_DIR}/firmware/runtime DESTINATION share/trnsim/firmware MESSAGE_NEVER PATTERN "*.d" EXCLUDE)
include(Firmware)
foreach(vlen IN LISTS TRNSIM_FIRMWARE_VLENS)
    install(FILES ${PROJECT_BINARY_DIR}/firmware/microcode_vlen${vlen}.gpsimd DESTINATION share/trnsim/firmware OPTIONAL)
endforeach()
include(Customop)

include(CMakePackageConfigHelpers)
configure_file(${CMAKE_CURRENT_LIST_DIR}/trnsimConfig.cmake ${package}/trnsimConfig.cmake COPYONLY)
configure_file(${CMAKE_CURRENT_LIST_DIR}/Customop.cmake ${package}/trnsimCustomop.cmake COPYONLY)
write_basic_package_version_file(${package}/trnsimConfigVersion.cmake COMPATIBILITY SameMinorVersion)
export(EXPORT trnsim NAMESPACE trnsim:: FILE ${package}/trnsimTargets.cmake)
install(EXPORT trnsim NAMESPACE trnsim:: FILE trnsimTargets.cmake DESTINATION lib/cmake/trnsim)
install(FILES ${package}/trnsimConfig.cmake ${package}/trnsimConfigVersion.cmake ${package}/trnsimCustomop.cmake
    DESTINATION lib/cmake/trnsim)

# A build folder outside the tree has what the program finds above itself.
cmake_path(IS_PREFIX PROJECT_SOURCE_DIR ${PROJECT_BINARY_DIR} NORMALIZE inside)
if(NOT inside)
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/firmware/runtime)
    foreach(shipped configs waves data firmware/include firmware/runtime/operation.hpp)
        file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${shipped} ${PROJECT_BINARY_DIR}/${shipped} SYMBOLIC)
    endforeach()
endif()
if(NOT PROJECT_IS_TOP_LEVEL)
    target_compile_definitions(trnsim_places INTERFACE $<BUILD_INTERFACE:TRNSIM_PROGRAM_FOLDER="${PROJECT_BINARY_DIR}/bin">)
    target_compile_options(trnsim_places INTERFACE "$<BUILD_INTERFACE:SHELL:-include trnsim/base/places/program.hpp>")
endif()

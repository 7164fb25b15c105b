# find_package(trnsim): link trnsim::builder to write kernels, trnsim::functional to interpret and trnsim::runtime to run them;
# trnsim::trnsim is the program. trnsim_customop() compiles operators for GpSimd cores.
include(CMakeFindDependencyMacro)
set(CMAKE_THREAD_PREFER_PTHREAD ON)
foreach(needed Threads fmt yaml-cpp nlohmann_json LibArchive OpenSSL PkgConfig ZLIB hwy)
    find_dependency(${needed})
endforeach()
if(NOT TARGET PkgConfig::SYSTEMC_PC)
    pkg_check_modules(SYSTEMC_PC REQUIRED QUIET IMPORTED_TARGET systemc)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/trnsimTargets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/trnsimCustomop.cmake)

# Configurations and cores are found from the program's folder; see base/places.
cmake_path(SET trnsim_program_folder NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../../../bin)
set_property(TARGET trnsim::places APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS TRNSIM_PROGRAM_FOLDER="${trnsim_program_folder}")
set_property(TARGET trnsim::places APPEND PROPERTY INTERFACE_COMPILE_OPTIONS "SHELL:-include trnsim/base/places/program.hpp")

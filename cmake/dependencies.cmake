# Every dependency, a Debian package each, with what it is for. The list of packages itself is in cmake/packages.txt.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(GTest REQUIRED)          # the test framework of suites and unit tests
find_package(yaml-cpp REQUIRED)       # machine descriptions, rules, expectations
find_package(CLI11 REQUIRED)          # command lines of kfdvm, vgpu and kfdcts' own flags
find_package(nlohmann_json REQUIRED)  # the event stream between guest and host, director's answers
find_package(pugixml REQUIRED)        # JUnit output
find_package(EXPAT REQUIRED)          # kfdreport reads JUnit files of any size by it
find_package(benchmark REQUIRED)      # bench_vgpu
pkg_check_modules(DRM REQUIRED IMPORTED_TARGET libdrm libdrm_amdgpu)  # uAPI headers, GEM from user space

include(GoogleTest)

# kfdcts_unit_tests(TARGET PREFIX [PROPERTY VALUE…]): each gtest case of TARGET is a ctest named PREFIX and the case's
# name, with the label unit. Without gtest's printed parameters, which hold addresses: a test is to have the same name in
# every run.
function(kfdcts_unit_tests target prefix)
  gtest_discover_tests(${target} TEST_PREFIX "${prefix}" NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60
                       PROPERTIES LABELS unit ${ARGN})
endfunction()

#include <iostream>

#include "harness/kfdreport/program.h"

int main(int argc, char** argv) { return kfdcts::report::Main(argc, argv); }

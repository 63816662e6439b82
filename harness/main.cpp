#include "harness/cli/program.h"

int main(int argc, char** argv) { return kfdcts::harness::Main(argc, argv, {}); }

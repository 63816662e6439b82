#pragma once

namespace kfdcts::report {

/// kfdreport. Exit code: 0; 1 where `compare` found a regression; 2 for bad arguments or files.
int Main(int argc, char** argv);

}  // namespace kfdcts::report

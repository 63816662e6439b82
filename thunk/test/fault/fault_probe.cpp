// Prints the faults that are on, a line each.
#include <cstdio>

#include "thunk/src/fault/fault.h"

int main() {
  using kfdcts::thunk::Broken;
  using kfdcts::thunk::Fault;
#define KFDCTS_FAULT(name, rules, what) \
  if (Broken(Fault::k##name)) std::puts(#name);
#include "thunk/src/fault/faults.inc"
#undef KFDCTS_FAULT
}

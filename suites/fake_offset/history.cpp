#include "suites/fake_offset/history.h"

#include <sstream>

namespace kfdcts::suites {

std::string Text(const Step& step) {
  using Kind = Step::Kind;
  std::ostringstream text;
  text << "process " << step.process << " ";
  const std::string file = "file " + std::to_string(step.file);
  const std::string buffer = "buffer " + std::to_string(step.buffer);
  const std::string thing = std::to_string(step.thing);
  switch (step.kind) {
    case Kind::kOpen:
      text << "opens " << file;
      break;
    case Kind::kCloseFile:
      text << "closes " << file;
      break;
    case Kind::kCreate:
      text << "makes " << buffer << " of " << step.pages << " pages by " << file;
      break;
    case Kind::kAsk:
      text << "asks " << file << " for the offset of " << buffer;
      break;
    case Kind::kMap:
      text << "maps " << buffer << " by " << file << " as mapping " << thing;
      break;
    case Kind::kMapFirst:
      text << "maps the first page of " << buffer << " by " << file << " as mapping " << thing;
      break;
    case Kind::kMapInside:
      text << "tries to map " << buffer << " from inside by " << file;
      break;
    case Kind::kMapPast:
      text << "tries to map more than " << buffer << " by " << file;
      break;
    case Kind::kUnmap:
      text << "unmaps mapping " << thing;
      break;
    case Kind::kExport:
      text << "exports " << buffer << " of " << file << " as dma-buf " << thing;
      break;
    case Kind::kPass:
      text << "passes dma-buf " << thing << " to process " << step.other;
      break;
    case Kind::kImport:
      text << "imports dma-buf " << thing << " into " << file;
      break;
    case Kind::kCloseDmaBuf:
      text << "closes dma-buf " << thing;
      break;
    case Kind::kCloseHandle:
      text << "closes a handle of " << buffer << " in " << file;
      break;
    case Kind::kFork:
      text << "forks process " << step.other;
      break;
    case Kind::kDie:
      text << "is killed";
      break;
  }
  return text.str();
}

std::string Text(const History& history) {
  std::string text;
  for (const Step& step : history) text += "  " + Text(step) + "\n";
  return text;
}

}  // namespace kfdcts::suites

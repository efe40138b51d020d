#include "mercer/data/label_kind.h"

namespace mercer {

std::string_view to_string(LabelKind kind) {
  switch (kind) {
    case LabelKind::integer:
      return "integer";
    case LabelKind::real:
      return "real";
    case LabelKind::boolean:
      return "boolean";
    case LabelKind::text:
      break;
  }
  return "text";
}

}  // namespace mercer

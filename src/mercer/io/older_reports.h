// Reports of files of formats 1 and 2, which said in names and sentences what later ones say in types.
#pragma once

#include "mercer/models/model_head.h"

namespace mercer {

/// Facts of measures, kinds of notes and the origin, from the texts that those formats wrote.
void type_older_report(ModelHead& head);

}  // namespace mercer

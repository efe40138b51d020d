// Scores per class: for every sample and class a number that is larger the more the model is for that class, whatever
// it decides by. Curves of one class against the rest and margins are made of them.
//
//   two classes      (−f, f), f the decision value of the second class
//   one per class    the decision values themselves
//   pairs, codes     scores s_c of the code (votes), ties broken by the sum t_c of the values for and against the class:
//                    s_c + t_c / (3 (|t_c| + 1)), which never turns over a whole vote
//   no values        the probabilities
#pragma once

#include <vector>

#include "mercer/report/predictions.h"

namespace mercer {

/// n × classes, from predict_all(). O(n · decisions · classes).
Matrix<double> scores_by_class(const FittedModel& model, const Predictions& predictions);

/// The classes that the model means by these decision values, its reject and threshold aside. model: with decision values.
std::vector<Index> classes_by_decision(const FittedModel& model, const Matrix<double>& decisions);

/// How clearly the true class wins, positive: it does; NaN for unknown labels. Two classes: ±f. Pairs: the value of the
/// machine between the true class and its strongest rival, which is the class predicted where that is another one, and
/// otherwise the one whose duel is closest. Others: the score of the true class less the largest other one.
std::vector<double> class_margins(const FittedModel& model, const Predictions& predictions,
                                  const Matrix<double>& scores);

}  // namespace mercer

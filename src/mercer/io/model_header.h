// The JSON text under the metadata key `mercer`: everything of a model that is not an array.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "mercer/models/model_head.h"
#include "mercer/models/stored_model.h"

namespace mercer {

nlohmann::json store_report(const FitReport& report);
FitReport restore_report(const nlohmann::json& value);

nlohmann::json store_schema(const Schema& schema);
Schema restore_schema(const nlohmann::json& value);

nlohmann::json store_coding(const Coding& coding);
/// DataError where it is none of this schema.
Coding restore_coding(const nlohmann::json& value, const Schema& schema);

nlohmann::json store_embedding(const Embedding& embedding);
/// DataError where it is none of this schema.
Embedding restore_embedding(const nlohmann::json& value, const Schema& schema);

nlohmann::json store_settings(const std::vector<OptionSetting>& settings);
std::vector<OptionSetting> restore_settings(const nlohmann::json& value);

nlohmann::json store_annotations(const std::map<std::string, std::string>& annotations);
std::map<std::string, std::string> restore_annotations(const nlohmann::json& value);

/// DataError where it is none.
LabelKind restore_label_kind(const std::string& text);
StoredPrecision restore_precision(const std::string& text);

nlohmann::json store_decision(const DecisionRule& rule);
/// Whether it is one of the model decide_by() says.
DecisionRule restore_decision(const nlohmann::json& value);
/// DataError where they are no numbers above 0, one per class.
std::vector<double> restore_class_shares(const nlohmann::json& list, std::size_t classes);

/// The parts of a JSON object by type; DataError where one is missing or of another type. A number may be null: NaN.
std::string json_text(const nlohmann::json& object, const char* name);
double json_number(const nlohmann::json& object, const char* name);
Index json_index(const nlohmann::json& object, const char* name);
bool json_flag(const nlohmann::json& object, const char* name);
const nlohmann::json& json_list(const nlohmann::json& object, const char* name);
const nlohmann::json& json_object(const nlohmann::json& object, const char* name);

}  // namespace mercer

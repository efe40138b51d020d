#include "mercer/kernels/prepared.h"

#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/data/columns.h"
#include "mercer/kernels/kernel_node.h"

namespace mercer {

Prepared::Prepared(Samples all, Precision precision)
    : all_(std::move(all)), samples_(default_columns(all_)), precision_(precision) {
  Index i = 0;
  while (i < size() && samples_.row_id(i) == samples_.row_id(0) + i) {
    ++i;
  }
  if (i == size()) {
    return;
  }
  sorted_ids_.reserve(size());
  for (i = 0; i < size(); ++i) {
    sorted_ids_.push_back({samples_.row_id(i), i});
  }
  std::sort(sorted_ids_.begin(), sorted_ids_.end());
  distinct_rows_ = std::adjacent_find(sorted_ids_.begin(), sorted_ids_.end(),
                                      [](const RowId& a, const RowId& b) { return a.id == b.id; }) == sorted_ids_.end();
}

const Prepared::GeometrySlot& Prepared::find_geometry(const GeometryKey& key) const {
  const auto found =
      std::find_if(geometries_.begin(), geometries_.end(), [&](const GeometrySlot& slot) { return slot.key == key; });
  if (found == geometries_.end()) {
    throw InvalidArgument("these samples were prepared for another kernel");
  }
  return *found;
}

template <>
const Geometry<float>& Prepared::geometry<float>(const GeometryKey& key) const {
  return *find_geometry(key).single;
}

template <>
const Geometry<double>& Prepared::geometry<double>(const GeometryKey& key) const {
  return *find_geometry(key).full;
}

double Prepared::squared_length(const GeometryKey& key, Index i) const {
  const GeometrySlot& slot = find_geometry(key);
  return slot.single ? slot.single->squared_length(i) : slot.full->squared_length(i);
}

const Prepared& Prepared::scope(std::string_view key) const {
  for (const Scope& scope : scopes_) {
    if (scope.key == key) {
      return *scope.prepared;
    }
  }
  throw InvalidArgument("these samples were prepared for another kernel: they lack the columns " + std::string(key));
}

const void* Prepared::find_slot(const KernelNode& node) const {
  for (const NodeSlot& slot : slots_) {
    if (slot.node == &node) {
      return slot.content.get();
    }
  }
  throw InvalidArgument("these samples were prepared for another kernel");
}

void KernelPreparation::need_geometry(const GeometryKey& key, GeometryUse use) const {
  for (Prepared::GeometrySlot& slot : target_->geometries_) {
    if (slot.key == key) {
      slot.use.distances = slot.use.distances || use.distances;
      slot.use.products = slot.use.products || use.products;
      return;
    }
  }
  target_->geometries_.push_back({key, use, nullptr, nullptr});
}

KernelPreparation KernelPreparation::enter(const std::string& key,
                                           const std::function<Samples(const Samples&)>& view) const {
  std::shared_ptr<Prepared> inner;
  for (const Prepared::Scope& scope : target_->scopes_) {
    if (scope.key == key) {
      inner = scope.prepared;
    }
  }
  if (!inner) {
    inner = std::make_shared<Prepared>(view(target_->all_), target_->precision_);
    target_->scopes_.push_back({key, inner});
  }
  std::shared_ptr<const Prepared> reference;
  if (reference_) {
    reference = {reference_, &reference_->scope(key)};
  }
  return {std::move(inner), std::move(reference), run_};
}

void KernelPreparation::keep(const KernelNode& node, std::shared_ptr<const void> content) const {
  target_->slots_.push_back({&node, std::move(content)});
}

const std::string& Prepared::off_domain() const {
  if (off_domain_.empty()) {
    for (const Scope& scope : scopes_) {
      if (!scope.prepared->off_domain().empty()) {
        return scope.prepared->off_domain();
      }
    }
  }
  return off_domain_;
}

void KernelPreparation::leave_domain(std::string why) const {
  if (target_->off_domain_.empty()) {
    target_->off_domain_ = std::move(why);
  }
}

void KernelPreparation::build_geometries() const {
  for (Prepared::GeometrySlot& slot : target_->geometries_) {
    run_.check_stop();
    if (target_->precision_ == Precision::single_precision) {
      auto frame = reference_
                       ? reference_->find_geometry(slot.key).single->frame()
                       : std::make_shared<const GeometryFrame>(make_frame(target_->samples_, slot.key, slot.use, run_));
      slot.single = std::make_shared<const Geometry<float>>(target_->samples_, std::move(frame), run_);
    } else {
      auto frame = reference_
                       ? reference_->find_geometry(slot.key).full->frame()
                       : std::make_shared<const GeometryFrame>(make_frame(target_->samples_, slot.key, slot.use, run_));
      slot.full = std::make_shared<const Geometry<double>>(target_->samples_, std::move(frame), run_);
    }
  }
  for (const Prepared::Scope& scope : target_->scopes_) {
    std::shared_ptr<const Prepared> reference;
    if (reference_) {
      reference = {reference_, &reference_->scope(scope.key)};
    }
    KernelPreparation(scope.prepared, std::move(reference), run_).build_geometries();
  }
}

namespace {

std::shared_ptr<const Prepared> prepare_samples(const Kernel& kernel, const Samples& samples, Precision precision,
                                                std::shared_ptr<const Prepared> reference, const Run& run) {
  if (!kernel.is_resolved()) {
    throw InvalidArgument("the kernel " + kernel.spec() +
                          " has widths that only data can resolve, or ranges that a search walks through; call "
                          "resolve_widths, or give numbers");
  }
  auto prepared = std::make_shared<Prepared>(samples, precision);
  KernelPreparation preparation(prepared, std::move(reference), run);
  kernel.node().request(preparation);
  preparation.build_geometries();
  kernel.node().complete(preparation);
  return prepared;
}

}  // namespace

PreparedKernel::PreparedKernel(Kernel kernel, const Samples& samples, Precision precision, const Run& run)
    : kernel_(std::move(kernel)), reference_(prepare_samples(kernel_, samples, precision, nullptr, run)) {}

std::shared_ptr<const Prepared> PreparedKernel::prepare(const Samples& samples, const Run& run) const {
  return prepare_samples(kernel_, samples, precision(), reference_, run);
}

}  // namespace mercer

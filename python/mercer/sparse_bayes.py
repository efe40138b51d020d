"""Sparse kernel models from priors of their coefficients: relevance vectors and Laplacian processes."""

from mercer._laplacian_process import LaplacianProcessClassifier, LaplacianProcessRegressor
from mercer._relevance import RVC, RVR

__all__ = ["RVC", "RVR", "LaplacianProcessClassifier", "LaplacianProcessRegressor"]

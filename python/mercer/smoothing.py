"""Smoothers: averages and polynomials of what is near."""

from mercer._loess import LocalRegression
from mercer._lowess import lowess
from mercer._nadaraya_watson import NadarayaWatsonClassifier, NadarayaWatsonRegressor

__all__ = ["LocalRegression", "NadarayaWatsonClassifier", "NadarayaWatsonRegressor", "lowess"]

# Written by python/tools/write_kernel_stubs.py from the registry of kernels.
from mercer.kernels._convert import as_kernel as as_kernel
from mercer.kernels._convert import from_sklearn as from_sklearn
from mercer.kernels._kernel import Kernel as Kernel
from mercer.kernels._library import NamedKernel
from mercer.kernels._nodes import OnColumns as OnColumns
from mercer.kernels._nodes import Power as Power
from mercer.kernels._nodes import Product as Product
from mercer.kernels._nodes import Scaled as Scaled
from mercer.kernels._nodes import Sum as Sum
from mercer.kernels._salzberg import salzberg_scores as salzberg_scores
from mercer.kernels._text import Value
from mercer.kernels._text import bounded as bounded
from mercer.kernels._text import fixed as fixed

class RBF(NamedKernel):
    gamma: Value
    lengthscale: Value
    def __init__(
        self,
        *,
        gamma: Value = ...,
        lengthscale: Value = ...,
        length_scale: Value = ...,
        sigma: Value = ...,
    ) -> None: ...

class Exponential(NamedKernel):
    lengthscale: Value
    def __init__(
        self,
        *,
        lengthscale: Value = ...,
        length_scale: Value = ...,
    ) -> None: ...

class PowerExponential(NamedKernel):
    lengthscale: Value
    beta: Value
    def __init__(
        self,
        *,
        lengthscale: Value = ...,
        beta: Value = ...,
        length_scale: Value = ...,
    ) -> None: ...

class Matern(NamedKernel):
    lengthscale: Value
    nu: Value
    def __init__(
        self,
        *,
        lengthscale: Value = ...,
        nu: Value = ...,
        length_scale: Value = ...,
    ) -> None: ...

class RQ(NamedKernel):
    lengthscale: Value
    alpha: Value
    def __init__(
        self,
        *,
        lengthscale: Value = ...,
        alpha: Value = ...,
        length_scale: Value = ...,
    ) -> None: ...

class Cauchy(NamedKernel):
    lengthscale: Value
    def __init__(
        self,
        *,
        lengthscale: Value = ...,
        length_scale: Value = ...,
    ) -> None: ...

class InverseMultiquadric(NamedKernel):
    lengthscale: Value
    c: Value
    def __init__(
        self,
        *,
        lengthscale: Value = ...,
        c: Value = ...,
        length_scale: Value = ...,
    ) -> None: ...

class InverseQuadratic(NamedKernel):
    lengthscale: Value
    a: Value
    def __init__(
        self,
        *,
        lengthscale: Value = ...,
        a: Value = ...,
        length_scale: Value = ...,
    ) -> None: ...

class InversePolynomial(NamedKernel):
    lengthscale: Value
    dimension: Value
    def __init__(
        self,
        *,
        lengthscale: Value = ...,
        dimension: Value = ...,
        length_scale: Value = ...,
    ) -> None: ...

class Wendland(NamedKernel):
    lengthscale: Value
    smoothness: Value
    dimension: Value
    def __init__(
        self,
        *,
        lengthscale: Value = ...,
        smoothness: Value = ...,
        dimension: Value = ...,
        length_scale: Value = ...,
        k: Value = ...,
    ) -> None: ...

class BallSpline(NamedKernel):
    lengthscale: Value
    order: Value
    dimension: Value
    def __init__(
        self,
        *,
        lengthscale: Value = ...,
        order: Value = ...,
        dimension: Value = ...,
        length_scale: Value = ...,
        n: Value = ...,
    ) -> None: ...

class Sobolev(NamedKernel):
    lengthscale: Value
    def __init__(
        self,
        *,
        lengthscale: Value = ...,
        length_scale: Value = ...,
    ) -> None: ...

class RadialSpectrum(NamedKernel):
    lengthscale: Value
    frequencies: Value
    weights: Value
    dimension: Value
    def __init__(
        self,
        *,
        lengthscale: Value = ...,
        frequencies: Value = ...,
        weights: Value = ...,
        dimension: Value = ...,
        length_scale: Value = ...,
    ) -> None: ...

class Multiquadric(NamedKernel):
    lengthscale: Value
    c: Value
    def __init__(
        self,
        *,
        lengthscale: Value = ...,
        c: Value = ...,
        length_scale: Value = ...,
    ) -> None: ...

class NegativeDistance(NamedKernel):
    lengthscale: Value
    beta: Value
    def __init__(
        self,
        *,
        lengthscale: Value = ...,
        beta: Value = ...,
        length_scale: Value = ...,
    ) -> None: ...

class LogDistance(NamedKernel):
    lengthscale: Value
    beta: Value
    def __init__(
        self,
        *,
        lengthscale: Value = ...,
        beta: Value = ...,
        length_scale: Value = ...,
    ) -> None: ...

class ThinPlate(NamedKernel):
    lengthscale: Value
    n: Value
    def __init__(
        self,
        *,
        lengthscale: Value = ...,
        n: Value = ...,
        length_scale: Value = ...,
        order: Value = ...,
    ) -> None: ...

class Linear(NamedKernel):
    def __init__(
        self,
    ) -> None: ...

class Poly(NamedKernel):
    degree: Value
    gamma: Value
    coef0: Value
    def __init__(
        self,
        kernel: Kernel | None = None,
        *,
        degree: Value = ...,
        gamma: Value = ...,
        coef0: Value = ...,
        c: Value = ...,
    ) -> None: ...

class Sigmoid(NamedKernel):
    gamma: Value
    coef0: Value
    def __init__(
        self,
        *,
        gamma: Value = ...,
        coef0: Value = ...,
        c: Value = ...,
    ) -> None: ...

class Cosine(NamedKernel):
    def __init__(
        self,
    ) -> None: ...

class Arccos(NamedKernel):
    order: Value
    def __init__(
        self,
        *,
        order: Value = ...,
        n: Value = ...,
    ) -> None: ...

class Neural(NamedKernel):
    bias_variance: Value
    weight_variance: Value
    def __init__(
        self,
        *,
        bias_variance: Value = ...,
        weight_variance: Value = ...,
    ) -> None: ...

class Vovk(NamedKernel):
    terms: Value
    def __init__(
        self,
        *,
        terms: Value = ...,
        p: Value = ...,
    ) -> None: ...

class VovkInfinite(NamedKernel):
    def __init__(
        self,
    ) -> None: ...

class DotSeries(NamedKernel):
    coefficients: Value
    def __init__(
        self,
        *,
        coefficients: Value = ...,
        a: Value = ...,
    ) -> None: ...

class LegendreSeries(NamedKernel):
    coefficients: Value
    dimension: Value
    def __init__(
        self,
        *,
        coefficients: Value = ...,
        dimension: Value = ...,
        b: Value = ...,
    ) -> None: ...

class Laplacian(NamedKernel):
    gamma: Value
    def __init__(
        self,
        *,
        gamma: Value = ...,
    ) -> None: ...

class Periodic(NamedKernel):
    period: Value
    lengthscale: Value
    def __init__(
        self,
        *,
        period: Value = ...,
        lengthscale: Value = ...,
        length_scale: Value = ...,
    ) -> None: ...

class LocallyPeriodic(NamedKernel):
    period: Value
    lengthscale: Value
    gamma: Value
    def __init__(
        self,
        *,
        period: Value = ...,
        lengthscale: Value = ...,
        gamma: Value = ...,
        length_scale: Value = ...,
    ) -> None: ...

class SpectralMixture(NamedKernel):
    weights: Value
    means: Value
    variances: Value
    def __init__(
        self,
        *,
        weights: Value = ...,
        means: Value = ...,
        variances: Value = ...,
    ) -> None: ...

class Chi2(NamedKernel):
    gamma: Value
    def __init__(
        self,
        *,
        gamma: Value = ...,
    ) -> None: ...

class AdditiveChi2(NamedKernel):
    def __init__(
        self,
    ) -> None: ...

class Intersection(NamedKernel):
    def __init__(
        self,
    ) -> None: ...

class Anova(NamedKernel):
    degree: Value
    gamma: Value
    def __init__(
        self,
        *,
        degree: Value = ...,
        gamma: Value = ...,
        d: Value = ...,
        sigma: Value = ...,
    ) -> None: ...

class Anovadot(NamedKernel):
    degree: Value
    gamma: Value
    def __init__(
        self,
        *,
        degree: Value = ...,
        gamma: Value = ...,
        d: Value = ...,
        sigma: Value = ...,
    ) -> None: ...

class Spline(NamedKernel):
    def __init__(
        self,
    ) -> None: ...

class BSpline(NamedKernel):
    order: Value
    lengthscale: Value
    def __init__(
        self,
        *,
        order: Value = ...,
        lengthscale: Value = ...,
        n: Value = ...,
        length_scale: Value = ...,
    ) -> None: ...

class Dirichlet(NamedKernel):
    order: Value
    period: Value
    def __init__(
        self,
        *,
        order: Value = ...,
        period: Value = ...,
        n: Value = ...,
    ) -> None: ...

class PeriodicGaussian(NamedKernel):
    lengthscale: Value
    period: Value
    terms: Value
    rescale: Value
    def __init__(
        self,
        *,
        lengthscale: Value = ...,
        period: Value = ...,
        terms: Value = ...,
        rescale: Value = ...,
        length_scale: Value = ...,
        sigma: Value = ...,
    ) -> None: ...

class Periodized(NamedKernel):
    base: Value
    lengthscale: Value
    period: Value
    def __init__(
        self,
        *,
        base: Value = ...,
        lengthscale: Value = ...,
        period: Value = ...,
        length_scale: Value = ...,
        sigma: Value = ...,
    ) -> None: ...

class Hamming(NamedKernel):
    gamma: Value
    def __init__(
        self,
        *,
        gamma: Value = ...,
    ) -> None: ...

class Delta(NamedKernel):
    def __init__(
        self,
    ) -> None: ...

class Coregion(NamedKernel):
    tasks: Value
    rank: Value
    W: Value
    kappa: Value
    def __init__(
        self,
        *,
        tasks: Value = ...,
        rank: Value = ...,
        W: Value = ...,
        kappa: Value = ...,
    ) -> None: ...

class Cyclic(NamedKernel):
    values: Value
    def __init__(
        self,
        *,
        values: Value = ...,
    ) -> None: ...

class RankOne(NamedKernel):
    function: Value
    column: Value
    weights: Value
    def __init__(
        self,
        *,
        function: Value = ...,
        column: Value = ...,
        weights: Value = ...,
    ) -> None: ...

class Constant(NamedKernel):
    value: Value
    def __init__(
        self,
        *,
        value: Value = ...,
        constant_value: Value = ...,
    ) -> None: ...

class White(NamedKernel):
    variance: Value
    def __init__(
        self,
        *,
        variance: Value = ...,
        noise_level: Value = ...,
        noise: Value = ...,
    ) -> None: ...

class Precomputed(NamedKernel):
    ids: Value
    definiteness: Value
    def __init__(
        self,
        *,
        ids: Value = ...,
        definiteness: Value = ...,
    ) -> None: ...

class BagOfCharacters(NamedKernel):
    alphabet: Value
    counts: Value
    def __init__(
        self,
        *,
        alphabet: Value = ...,
        counts: Value = ...,
    ) -> None: ...

class Spectrum(NamedKernel):
    k: Value
    alphabet: Value
    reverse_complement: Value
    counts: Value
    def __init__(
        self,
        *,
        k: Value = ...,
        alphabet: Value = ...,
        reverse_complement: Value = ...,
        counts: Value = ...,
    ) -> None: ...

class BlendedSpectrum(NamedKernel):
    k: Value
    decay: Value
    weights: Value
    alphabet: Value
    reverse_complement: Value
    counts: Value
    def __init__(
        self,
        *,
        k: Value = ...,
        decay: Value = ...,
        weights: Value = ...,
        alphabet: Value = ...,
        reverse_complement: Value = ...,
        counts: Value = ...,
    ) -> None: ...

class AllSubstrings(NamedKernel):
    decay: Value
    min_length: Value
    max_length: Value
    weights: Value
    alphabet: Value
    def __init__(
        self,
        *,
        decay: Value = ...,
        min_length: Value = ...,
        max_length: Value = ...,
        weights: Value = ...,
        alphabet: Value = ...,
    ) -> None: ...

class Mismatch(NamedKernel):
    k: Value
    m: Value
    alphabet: Value
    reverse_complement: Value
    def __init__(
        self,
        *,
        k: Value = ...,
        m: Value = ...,
        alphabet: Value = ...,
        reverse_complement: Value = ...,
    ) -> None: ...

class GappyPair(NamedKernel):
    k: Value
    gap: Value
    order: Value
    distance: Value
    alphabet: Value
    reverse_complement: Value
    counts: Value
    def __init__(
        self,
        *,
        k: Value = ...,
        gap: Value = ...,
        order: Value = ...,
        distance: Value = ...,
        alphabet: Value = ...,
        reverse_complement: Value = ...,
        counts: Value = ...,
    ) -> None: ...

class GappedKmer(NamedKernel):
    l: Value
    k: Value
    alphabet: Value
    reverse_complement: Value
    def __init__(
        self,
        *,
        l: Value = ...,
        k: Value = ...,
        alphabet: Value = ...,
        reverse_complement: Value = ...,
    ) -> None: ...

class WeightedDegree(NamedKernel):
    degree: Value
    weights: Value
    alphabet: Value
    def __init__(
        self,
        *,
        degree: Value = ...,
        weights: Value = ...,
        alphabet: Value = ...,
        d: Value = ...,
    ) -> None: ...

class Subsequence(NamedKernel):
    n: Value
    decay: Value
    lengths: Value
    weights: Value
    weighting: Value
    form: Value
    alphabet: Value
    def __init__(
        self,
        *,
        n: Value = ...,
        decay: Value = ...,
        lengths: Value = ...,
        weights: Value = ...,
        weighting: Value = ...,
        form: Value = ...,
        alphabet: Value = ...,
        length: Value = ...,
    ) -> None: ...

class BoundedSubsequence(NamedKernel):
    n: Value
    decay: Value
    max_gap: Value
    weighting: Value
    alphabet: Value
    def __init__(
        self,
        *,
        n: Value = ...,
        decay: Value = ...,
        max_gap: Value = ...,
        weighting: Value = ...,
        alphabet: Value = ...,
        length: Value = ...,
    ) -> None: ...

class WeightedDegreeShifts(NamedKernel):
    degree: Value
    shift: Value
    alphabet: Value
    def __init__(
        self,
        *,
        degree: Value = ...,
        shift: Value = ...,
        alphabet: Value = ...,
    ) -> None: ...

class Oligo(NamedKernel):
    k: Value
    sigma: Value
    alphabet: Value
    reverse_complement: Value
    def __init__(
        self,
        *,
        k: Value = ...,
        sigma: Value = ...,
        alphabet: Value = ...,
        reverse_complement: Value = ...,
    ) -> None: ...

class LocalAlignment(NamedKernel):
    beta: Value
    gap_open: Value
    gap_extend: Value
    scores: Value
    match: Value
    mismatch: Value
    form: Value
    alphabet: Value
    def __init__(
        self,
        *,
        beta: Value = ...,
        gap_open: Value = ...,
        gap_extend: Value = ...,
        scores: Value = ...,
        match: Value = ...,
        mismatch: Value = ...,
        form: Value = ...,
        alphabet: Value = ...,
    ) -> None: ...

class LocalityImproved(NamedKernel):
    window: Value
    d1: Value
    d2: Value
    weights: Value
    alphabet: Value
    def __init__(
        self,
        *,
        window: Value = ...,
        d1: Value = ...,
        d2: Value = ...,
        weights: Value = ...,
        alphabet: Value = ...,
        l: Value = ...,
    ) -> None: ...

class CodonImproved(NamedKernel):
    window: Value
    d1: Value
    d2: Value
    weights: Value
    codon_weight: Value
    alphabet: Value
    def __init__(
        self,
        *,
        window: Value = ...,
        d1: Value = ...,
        d2: Value = ...,
        weights: Value = ...,
        codon_weight: Value = ...,
        alphabet: Value = ...,
        l: Value = ...,
    ) -> None: ...

class Salzberg(NamedKernel):
    window: Value
    d1: Value
    d2: Value
    weights: Value
    scores: Value
    def __init__(
        self,
        *,
        window: Value = ...,
        d1: Value = ...,
        d2: Value = ...,
        weights: Value = ...,
        scores: Value = ...,
        l: Value = ...,
    ) -> None: ...

class Words(NamedKernel):
    ngrams: Value
    min_length: Value
    counts: Value
    def __init__(
        self,
        *,
        ngrams: Value = ...,
        min_length: Value = ...,
        counts: Value = ...,
    ) -> None: ...

class Tfidf(NamedKernel):
    ngrams: Value
    min_length: Value
    counts: Value
    idf: Value
    min_df: Value
    max_df: Value
    def __init__(
        self,
        *,
        ngrams: Value = ...,
        min_length: Value = ...,
        counts: Value = ...,
        idf: Value = ...,
        min_df: Value = ...,
        max_df: Value = ...,
    ) -> None: ...

class SetIntersection(NamedKernel):
    def __init__(
        self,
    ) -> None: ...

class Subsets(NamedKernel):
    base: Value
    form: Value
    def __init__(
        self,
        *,
        base: Value = ...,
        form: Value = ...,
    ) -> None: ...

class Tanimoto(NamedKernel):
    def __init__(
        self,
    ) -> None: ...

class Dice(NamedKernel):
    def __init__(
        self,
    ) -> None: ...

class MeanMap(NamedKernel):
    form: Value
    weights: Value
    def __init__(
        self,
        kernel: Kernel | None = None,
        *,
        form: Value = ...,
        weights: Value = ...,
    ) -> None: ...

class BestMatch(NamedKernel):
    def __init__(
        self,
        kernel: Kernel | None = None,
    ) -> None: ...

class PyramidMatch(NamedKernel):
    side: Value
    origin: Value
    levels: Value
    shifts: Value
    seed: Value
    form: Value
    def __init__(
        self,
        *,
        side: Value = ...,
        origin: Value = ...,
        levels: Value = ...,
        shifts: Value = ...,
        seed: Value = ...,
        form: Value = ...,
    ) -> None: ...

class SubsetTree(NamedKernel):
    decay: Value
    def __init__(
        self,
        *,
        decay: Value = ...,
    ) -> None: ...

class Subtree(NamedKernel):
    decay: Value
    leaves: Value
    def __init__(
        self,
        *,
        decay: Value = ...,
        leaves: Value = ...,
    ) -> None: ...

class VertexHistogram(NamedKernel):
    def __init__(
        self,
    ) -> None: ...

class EdgeHistogram(NamedKernel):
    def __init__(
        self,
    ) -> None: ...

class ShortestPath(NamedKernel):
    longest: Value
    def __init__(
        self,
        *,
        longest: Value = ...,
    ) -> None: ...

class WeisfeilerLehman(NamedKernel):
    h: Value
    edge_labels: Value
    def __init__(
        self,
        *,
        h: Value = ...,
        edge_labels: Value = ...,
        iterations: Value = ...,
    ) -> None: ...

class WeisfeilerLehmanEdges(NamedKernel):
    h: Value
    edge_labels: Value
    def __init__(
        self,
        *,
        h: Value = ...,
        edge_labels: Value = ...,
        iterations: Value = ...,
    ) -> None: ...

class Graphlets(NamedKernel):
    size: Value
    kinds: Value
    values: Value
    samples: Value
    seed: Value
    def __init__(
        self,
        *,
        size: Value = ...,
        kinds: Value = ...,
        values: Value = ...,
        samples: Value = ...,
        seed: Value = ...,
    ) -> None: ...

class RandomWalk(NamedKernel):
    decay: Value
    walks: Value
    edge_labels: Value
    def __init__(
        self,
        *,
        decay: Value = ...,
        walks: Value = ...,
        edge_labels: Value = ...,
    ) -> None: ...

class Diffusion(NamedKernel):
    beta: Value
    laplacian: Value
    def __init__(
        self,
        *,
        beta: Value = ...,
        laplacian: Value = ...,
    ) -> None: ...

class RegularizedLaplacian(NamedKernel):
    sigma: Value
    laplacian: Value
    def __init__(
        self,
        *,
        sigma: Value = ...,
        laplacian: Value = ...,
    ) -> None: ...

class PStepWalk(NamedKernel):
    a: Value
    p: Value
    laplacian: Value
    def __init__(
        self,
        *,
        a: Value = ...,
        p: Value = ...,
        laplacian: Value = ...,
    ) -> None: ...

class CommuteTime(NamedKernel):
    laplacian: Value
    def __init__(
        self,
        *,
        laplacian: Value = ...,
    ) -> None: ...

class LocalImage(NamedKernel):
    width: Value
    q: Value
    d1: Value
    d2: Value
    border: Value
    def __init__(
        self,
        *,
        width: Value = ...,
        q: Value = ...,
        d1: Value = ...,
        d2: Value = ...,
        border: Value = ...,
        window: Value = ...,
    ) -> None: ...

class Hellinger(NamedKernel):
    def __init__(
        self,
    ) -> None: ...

class JensenShannon(NamedKernel):
    def __init__(
        self,
    ) -> None: ...

class GeneralizedIntersection(NamedKernel):
    beta: Value
    def __init__(
        self,
        *,
        beta: Value = ...,
    ) -> None: ...

class FisherGaussian(NamedKernel):
    means: Value
    deviations: Value
    information: Value
    ridge: Value
    def __init__(
        self,
        *,
        means: Value = ...,
        deviations: Value = ...,
        information: Value = ...,
        ridge: Value = ...,
    ) -> None: ...

class FisherGaussianMixture(NamedKernel):
    components: Value
    weights: Value
    means: Value
    variances: Value
    information: Value
    ridge: Value
    def __init__(
        self,
        *,
        components: Value = ...,
        weights: Value = ...,
        means: Value = ...,
        variances: Value = ...,
        information: Value = ...,
        ridge: Value = ...,
    ) -> None: ...

class FisherMarkov(NamedKernel):
    order: Value
    symbols: Value
    transitions: Value
    visits: Value
    pseudo_count: Value
    information: Value
    ridge: Value
    def __init__(
        self,
        *,
        order: Value = ...,
        symbols: Value = ...,
        transitions: Value = ...,
        visits: Value = ...,
        pseudo_count: Value = ...,
        information: Value = ...,
        ridge: Value = ...,
    ) -> None: ...

class FisherHmm(NamedKernel):
    states: Value
    symbols: Value
    initial: Value
    transitions: Value
    emissions: Value
    length: Value
    information: Value
    ridge: Value
    def __init__(
        self,
        *,
        states: Value = ...,
        symbols: Value = ...,
        initial: Value = ...,
        transitions: Value = ...,
        emissions: Value = ...,
        length: Value = ...,
        information: Value = ...,
        ridge: Value = ...,
    ) -> None: ...

class ProbabilityProduct(NamedKernel):
    sigma: Value
    rho: Value
    dimension: Value
    def __init__(
        self,
        *,
        sigma: Value = ...,
        rho: Value = ...,
        dimension: Value = ...,
    ) -> None: ...

class ProbabilityProductBags(NamedKernel):
    rho: Value
    ridge: Value
    covariance: Value
    def __init__(
        self,
        *,
        rho: Value = ...,
        ridge: Value = ...,
        covariance: Value = ...,
    ) -> None: ...

class ProbabilityProductCounts(NamedKernel):
    rho: Value
    def __init__(
        self,
        *,
        rho: Value = ...,
    ) -> None: ...

class ProbabilityProductStrings(NamedKernel):
    k: Value
    rho: Value
    def __init__(
        self,
        *,
        k: Value = ...,
        rho: Value = ...,
    ) -> None: ...

class ProbabilityProductHmm(NamedKernel):
    states: Value
    length: Value
    values: Value
    def __init__(
        self,
        *,
        states: Value = ...,
        length: Value = ...,
        values: Value = ...,
    ) -> None: ...

class HmmPair(NamedKernel):
    states: Value
    symbols: Value
    initial: Value
    transitions: Value
    emissions: Value
    values: Value
    def __init__(
        self,
        *,
        states: Value = ...,
        symbols: Value = ...,
        initial: Value = ...,
        transitions: Value = ...,
        emissions: Value = ...,
        values: Value = ...,
    ) -> None: ...

class DensityProduct(NamedKernel):
    components: Value
    weights: Value
    means: Value
    variances: Value
    log_scale: Value
    def __init__(
        self,
        *,
        components: Value = ...,
        weights: Value = ...,
        means: Value = ...,
        variances: Value = ...,
        log_scale: Value = ...,
    ) -> None: ...

class MixtureProduct(NamedKernel):
    components: Value
    weights: Value
    means: Value
    variances: Value
    log_scale: Value
    def __init__(
        self,
        *,
        components: Value = ...,
        weights: Value = ...,
        means: Value = ...,
        variances: Value = ...,
        log_scale: Value = ...,
    ) -> None: ...

class Exp(NamedKernel):
    def __init__(
        self,
        kernel: Kernel,
    ) -> None: ...

class Log(NamedKernel):
    def __init__(
        self,
        kernel: Kernel,
    ) -> None: ...

class Root(NamedKernel):
    exponent: Value
    def __init__(
        self,
        kernel: Kernel,
        *,
        exponent: Value = ...,
    ) -> None: ...

class Normalize(NamedKernel):
    def __init__(
        self,
        kernel: Kernel,
    ) -> None: ...

class Center(NamedKernel):
    def __init__(
        self,
        kernel: Kernel,
    ) -> None: ...

class Iterated(NamedKernel):
    def __init__(
        self,
        kernel: Kernel,
    ) -> None: ...

class FromCPD(NamedKernel):
    origin: Value
    def __init__(
        self,
        kernel: Kernel,
        *,
        origin: Value = ...,
    ) -> None: ...

class Conformal(NamedKernel):
    function: Value
    c: Value
    def __init__(
        self,
        kernel: Kernel,
        *,
        function: Value = ...,
        c: Value = ...,
    ) -> None: ...

class Warp(NamedKernel):
    by: Value
    def __init__(
        self,
        kernel: Kernel,
        *,
        by: Value = ...,
    ) -> None: ...

class Transform(NamedKernel):
    matrix: Value
    rows: Value
    covariance: Value
    metric: Value
    def __init__(
        self,
        kernel: Kernel,
        *,
        matrix: Value = ...,
        rows: Value = ...,
        covariance: Value = ...,
        metric: Value = ...,
    ) -> None: ...

class Features(NamedKernel):
    degree: Value
    coef0: Value
    def __init__(
        self,
        *,
        degree: Value = ...,
        coef0: Value = ...,
    ) -> None: ...

class Changepoint(NamedKernel):
    location: Value
    steepness: Value
    column: Value
    def __init__(
        self,
        k1: Kernel,
        k2: Kernel,
        *,
        location: Value = ...,
        steepness: Value = ...,
        column: Value = ...,
    ) -> None: ...

class RBFOf(NamedKernel):
    gamma: Value
    def __init__(
        self,
        kernel: Kernel,
        *,
        gamma: Value = ...,
    ) -> None: ...

class IfPresent(NamedKernel):
    weight: Value
    def __init__(
        self,
        kernel: Kernel,
        *,
        weight: Value = ...,
    ) -> None: ...

class VersionSpace(NamedKernel):
    def __init__(
        self,
        kernel: Kernel,
    ) -> None: ...

Gaussian = RBF
SquaredExponential = RBF
OrnsteinUhlenbeck = Exponential
GeneralizedExponential = PowerExponential
RationalQuadratic = RQ
IMQ = InverseMultiquadric
Spherical = BallSpline
PowerDistance = NegativeDistance
Logarithmic = LogDistance
ThinPlateSpline = ThinPlate
Vanilla = Linear
Polynomial = Poly
Tanh = Sigmoid
Tanhdot = Sigmoid
ArcCosine = Arccos
Arcsine = Neural
NeuralNetwork = Neural
GegenbauerSeries = LegendreSeries
Laplacedot = Laplacian
ExpSineSquared = Periodic
HistogramIntersection = Intersection
Min = Intersection
Splinedot = Spline
Coregionalization = Coregion
Coregionalisation = Coregion
Bias = Constant
Noise = White
Matrix = Precomputed
Gkm = GappedKmer
Wd = WeightedDegree
GapWeighted = Subsequence
Ssk = Subsequence
Wds = WeightedDegreeShifts
La = LocalAlignment
BagOfWords = Words
TfIdf = Tfidf
SetPower = Subsets
Jaccard = Tanimoto
Sorensen = Dice
SetKernel = MeanMap
SetMatching = BestMatch
CollinsDuffy = SubsetTree
Wl = WeisfeilerLehman
WlEdges = WeisfeilerLehmanEdges
PStep = PStepWalk
ImagePyramid = LocalImage
Bhattacharyya = Hellinger
FisherVector = FisherGaussianMixture
ExpectedLikelihood = ProbabilityProduct
BhattacharyyaBags = ProbabilityProductBags
BhattacharyyaStrings = ProbabilityProductStrings
PairHmm = HmmPair
Normalise = Normalize
Centre = Center
EmpiricalMap = Iterated

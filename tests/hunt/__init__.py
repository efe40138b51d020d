"""The hunter: random models, options, kernels and data against peers, brute force and relations that must hold.

``scripts/hunt`` runs it; docs/internals/hunt.md tells how it works and how to add to it.
"""

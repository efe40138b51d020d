"""What no oracle has judged: the list that is to shrink."""

from __future__ import annotations

from hunt.subjects import kernels, models, options_of, words_of


def not_judged(covered: set[str]) -> dict[str, list[str]]:
    """Models, options (with each of their words) and kernels of the registries that are not among ``covered``."""
    options = []
    for model in models():
        for name, option in options_of(model).items():
            words = words_of(option)
            names = [f"{model}.{name}={word}" for word in words] if words else [f"{model}.{name}"]
            options += [one for one in names if f"option {one}" not in covered]
    return {
        "models": [name for name in models() if f"model {name}" not in covered],
        "kernels": [name for name in kernels() if f"kernel {name}" not in covered],
        "options": options,
    }


def names_of(model: str, settings: dict[str, str]) -> list[str]:
    """What a fit covers: its model, and each option that was set."""
    table = options_of(model)
    found = [f"model {model}"]
    for name, value in settings.items():
        found.append(f"option {model}.{name}={value}" if words_of(table[name]) else f"option {model}.{name}")
    return found

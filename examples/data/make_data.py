#!/usr/bin/env python3
"""Writes the CSV files of this folder from the data that the scikit-learn package carries.

The files are committed, so nobody needs to run this; it records where each number came from.
Needs scikit-learn >= 1.1 (for the unscaled diabetes data). Usage: make_data.py [FOLDER]
"""

import csv
import datetime
import pathlib
import random
import sys

from sklearn import datasets


def number(value):
    """Integers without a decimal point, everything else in shortest round-trip form."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def write(path, columns, rows, target, labels):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*columns, target])
        for row, label in zip(rows, labels):
            writer.writerow([*map(number, row), label])


def mackey_glass(rows, delay=17, step=0.1):
    """The series dz/dt = 0.2 z(t-17)/(1 + z(t-17)^10) - 0.1 z(t) at whole t, by Heun's method, behind its first 1000."""
    lag = round(delay / step)
    z = [1.2] * (lag + 1)

    def slope(value, delayed):
        return 0.2 * delayed / (1 + delayed**10) - 0.1 * value

    for _ in range(round((1000 + rows) / step)):
        first = slope(z[-1], z[-1 - lag])
        second = slope(z[-1] + step * first, z[-lag])
        z.append(z[-1] + step * (first + second) / 2)
    return [round(value, 5) for value in z[-rows * round(1 / step) :: round(1 / step)]]


def write_mackey_glass(path):
    with open(path, "w", newline="", encoding="utf-8") as file:
        file.write("".join(f"{line}\n" for line in ["y", *mackey_glass(600)]))


def patient(draw):
    """One made-up patient: the outcome hangs on a motif in the sequence, age, sex and a little on bmi."""
    age, bmi, sex = draw.randint(20, 80), round(draw.gauss(26, 4), 1), draw.choice("fm")
    sequence = "".join(draw.choice("ACGT") for _ in range(draw.randint(24, 40)))
    has_motif = draw.random() < 0.5
    if has_motif:
        place = draw.randint(0, len(sequence) - 7)
        sequence = sequence[:place] + "TATAAT" + sequence[place + 6 :]
    score = (2.2 if has_motif else -2.2) + 0.05 * (age - 50) + (0.8 if sex == "f" else -0.8) + 0.08 * (bmi - 26)
    outcome = "ill" if score + draw.gauss(0, 0.7) > 0 else "well"
    return [age, "" if draw.random() < 0.08 else bmi, sex, sequence, outcome]


def write_patients(path):
    draw = random.Random(7)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["age", "bmi", "sex", "sequence", "outcome"])
        writer.writerows(patient(draw) for _ in range(160))


def room(draw, number):
    """One made-up room to let: the rent hangs on size, town, year and balcony; some fields are empty."""
    size, rooms = draw.randint(18, 140), draw.choice(["1", "2", "3", "4", "5 or more"])
    town = draw.choices(["Ulm", "Bern", "Graz", "Turku", "?"], [5, 4, 3, 2, 1])[0]
    day = datetime.date(2021, 1, 1) + datetime.timedelta(days=draw.randrange(1400))
    balcony = draw.choice(["yes", "no"])
    level = {"Ulm": 9, "Bern": 17, "Graz": 8, "Turku": 10, "?": 11}[town]
    rent = size * level + 60 * (balcony == "yes") + 0.2 * (day - datetime.date(2021, 1, 1)).days + draw.gauss(0, 40)
    note = draw.choice(["quiet", "near the station", "new kitchen"]) + ", " + f"call {draw.randrange(10**6):06}"
    size_field = "" if draw.random() < 0.1 else size
    return [number, day.isoformat(), size_field, rooms, town, balcony, "let", note, f"{max(rent, 120):,.0f}"]


def write_rooms(path):
    draw = random.Random(11)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["id", "posted", "size", "rooms", "town", "balcony", "kind", "note", "rent"])
        writer.writerows(room(draw, number) for number in range(1, 241))


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)

    write_patients(folder / "patients.csv")
    write_mackey_glass(folder / "mackey_glass.csv")
    write_rooms(folder / "rooms.csv")

    digits = datasets.load_digits()
    write(folder / "digits.csv", digits.feature_names, digits.data, "label", digits.target)

    iris = datasets.load_iris()
    iris_columns = [name.removesuffix(" (cm)").replace(" ", "_") for name in iris.feature_names]
    write(folder / "iris.csv", iris_columns, iris.data, "species", iris.target_names[iris.target])

    diabetes = datasets.load_diabetes(scaled=False)
    write(folder / "diabetes.csv", diabetes.feature_names, diabetes.data, "progression", map(number, diabetes.target))

    cancer = datasets.load_breast_cancer()
    cancer_columns = [name.replace(" ", "_") for name in cancer.feature_names]
    write(folder / "breast_cancer.csv", cancer_columns, cancer.data, "diagnosis", cancer.target_names[cancer.target])


if __name__ == "__main__":
    main()

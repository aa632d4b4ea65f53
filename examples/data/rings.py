"""Draws the points of `rings.csv`, and trains the weights of `rings_weights.csv` on them. The same bytes every time."""

import math
import random

POINTS = 96
HIDDEN = 15

random.seed(20)


def point(ring):
    radius = random.uniform(1.3, 2.0) if ring else random.uniform(0.0, 0.9)
    angle = random.uniform(0.0, 2.0 * math.pi)
    return round(radius * math.cos(angle), 3), round(radius * math.sin(angle), 3), ring


points = [point(n % 2) for n in range(POINTS)]
first = [[random.gauss(0.0, 1.0) for _ in range(HIDDEN)] for _ in range(3)]
second = [[random.gauss(0.0, 0.5) for _ in range(2)] for _ in range(HIDDEN + 1)]

for _ in range(400):
    for x, y, ring in points:
        inputs = (x, y, 1.0)
        hidden = [max(sum(i * row[h] for i, row in zip(inputs, first)), 0.0) for h in range(HIDDEN)] + [1.0]
        scores = [sum(h * row[o] for h, row in zip(hidden, second)) for o in range(2)]
        exponentials = [math.exp(score - max(scores)) for score in scores]
        wrong = [e / sum(exponentials) - (o == ring) for o, e in enumerate(exponentials)]
        for h in range(HIDDEN):
            if hidden[h] > 0.0:
                step = 0.02 * sum(w * s for w, s in zip(wrong, second[h]))
                for i, value in enumerate(inputs):
                    first[i][h] -= step * value
        for h, value in enumerate(hidden):
            for o in range(2):
                second[h][o] -= 0.02 * wrong[o] * value

with open("rings.csv", "w") as file:
    file.write("x,y,ring\n" + "".join(f"{x},{y},{ring}\n" for x, y, ring in points))
with open("rings_weights.csv", "w") as file:
    file.write("".join(",".join(f"{w:.3f}" for w in row) + "\n" for row in first + second))

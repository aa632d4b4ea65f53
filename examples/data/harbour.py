"""Paints harbour.png. No input, no libraries, the same bytes every time: python3 harbour.py"""

import math
import struct
import zlib

WIDTH, HEIGHT = 768, 576


def noise(x, y, seed):
    """A number from 0 to 1 per point of a lattice."""
    n = (x * 374761393 + y * 668265263 + seed * 974634777) & 0xFFFFFFFF
    n = ((n ^ (n >> 13)) * 1274126177) & 0xFFFFFFFF
    return ((n ^ (n >> 16)) & 0xFFFF) / 65535


def smooth(x, y, seed):
    xi, yi = math.floor(x), math.floor(y)
    u, v = x - xi, y - yi
    u, v = u * u * (3 - 2 * u), v * v * (3 - 2 * v)
    top = noise(xi, yi, seed) * (1 - u) + noise(xi + 1, yi, seed) * u
    bottom = noise(xi, yi + 1, seed) * (1 - u) + noise(xi + 1, yi + 1, seed) * u
    return top * (1 - v) + bottom * v


def cloud(x, y, seed):
    return sum(smooth(x * 2**k, y * 2**k, seed + k) / 2 ** (k + 1) for k in range(5))


def mix(a, b, t):
    return tuple(p + (q - p) * t for p, q in zip(a, b))


def house(x, y):
    """Walls with windows between the water and the roofs; None where there is sky."""
    column = x // 48
    left = column * 48
    height = 70 + int(noise(column, 0, 7) * 110)
    base = 360
    roof = base - height
    wall = mix((150, 90, 70), (225, 205, 160), noise(column, 1, 7))
    if roof - 24 <= y < roof:
        return (120, 50, 40) if abs(x - left - 24) <= y - roof + 24 else None
    if not roof <= y < base:
        return None
    wx, wy = (x - left) % 16, (y - roof) % 22
    if 4 <= wx < 12 and 6 <= wy < 17 and (x - left) < 44:
        lit = noise(x // 16, (y - roof) // 22, 9) > 0.6
        return (250, 225, 130) if lit and wx != 8 and wy != 11 else (45, 50, 65)
    brick = (y - roof) % 4 == 0 or (x + ((y - roof) // 4 % 2) * 4) % 8 == 0
    return mix(wall, (60, 45, 40), 0.25) if brick else wall


def mast(x, y):
    """Boats with rigging, in front of everything."""
    for number in range(5):
        foot = 90 + number * 150
        deck = 430 + int(noise(number, 3, 5) * 60)
        dx, dy = x - foot, y - deck
        if 0 <= dy < 26 and abs(dx) < 60 - dy:
            return (90, 40, 30) if dy < 6 else (200, 200, 190)
        if -190 < dy < 0:
            if abs(dx) <= 2:
                return (60, 45, 35)
            if -170 < dy < -12 and 4 < dx < (dy + 170) * 0.3:
                return (240, 235, 220) if (dx + dy // 3) % 12 else (205, 195, 175)
            if abs(abs(dx) - (dy + 190) * 0.28) < 0.8:
                return (50, 50, 50)
    return None


def pixel(x, y):
    boat = mast(x, y)
    if boat:
        return boat
    if y >= 360:
        depth = (y - 360) / (HEIGHT - 360)
        wave = math.sin(x / (6 + 18 * depth) + 9 * cloud(x / 60, y / 18, 31)) * math.sin(y / (2 + 6 * depth))
        mirrored = house(int(x + 6 * wave), int(720 - y - 4 * wave))
        water = mix((60, 95, 120), (20, 45, 70), depth)
        if mirrored:
            water = mix(water, mirrored, 0.35 * (1 - depth))
        return mix(water, (190, 210, 220), max(0, wave - 0.55))
    wall = house(x, y)
    if wall:
        return wall
    sun = math.hypot(x - 590, y - 90)
    if sun < 46:
        return (255, 240, 200)
    sky = mix((95, 140, 195), (235, 190, 150), y / 300)
    sky = mix(sky, (250, 250, 250), max(0, cloud(x / 110, y / 55, 3) - 0.42) * 1.8)
    return mix(sky, (255, 235, 190), max(0, 1 - sun / 150) * 0.6)


rows = bytearray()
for y in range(HEIGHT):
    rows.append(0)
    for x in range(WIDTH):
        rows += bytes(max(0, min(255, round(c))) for c in pixel(x, y))


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


with open("harbour.png", "wb") as file:
    file.write(b"\x89PNG\r\n\x1a\n")
    file.write(chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)))
    file.write(chunk(b"IDAT", zlib.compress(bytes(rows), 9)))
    file.write(chunk(b"IEND", b""))

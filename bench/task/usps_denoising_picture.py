"""Turns the picture of usps_denoising_bench (PGM) into a PNG, three times as large.

    usps_denoising_picture.py PICTURE.pgm PICTURE.png
"""

import struct
import sys
import zlib


def read_pgm(path: str) -> tuple[int, int, bytes]:
    with open(path, "rb") as file:
        magic, size, depth = (file.readline().split() for _ in range(3))
        assert magic == [b"P5"] and depth == [b"255"], path
        return int(size[0]), int(size[1]), file.read()


def chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def main() -> None:
    width, height, gray = read_pgm(sys.argv[1])
    times = 3
    lines = []
    for y in range(height):
        row = gray[y * width : (y + 1) * width]
        wide = bytes(value for value in row for _ in range(times))
        lines.extend([b"\0" + wide] * times)
    header = struct.pack(">IIBBBBB", width * times, height * times, 8, 0, 0, 0, 0)
    with open(sys.argv[2], "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        file.write(chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"".join(lines), 9)) + chunk(b"IEND", b""))


if __name__ == "__main__":
    main()

"""Writes and reads `static.bin`; the layout is told in crates/rawko-core/src/embed/table.rs."""
import struct

import numpy as np

MAGIC, VERSION, HEAD = b"rawkoemb", 1, 40


def fnv32(data):
    h = 0x811C9DC5
    for b in data:
        h = (h ^ b) * 0x01000193 & 0xFFFFFFFF
    return h


def fnv64(data):
    h = 0xCBF29CE484222325
    for b in data:
        h = (h ^ b) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return h


def quantise(table):
    """int8 rows and their scales; a scale keeps the upper 16 bits of its f32, and the rows are rounded for just that."""
    scale = (np.abs(table).max(1) / 127).astype(np.float32)
    bits = scale.view(np.uint32)
    bits = ((bits + 0xFFFF) >> 16).astype(np.uint16)  # rounded up, so that no value exceeds 127
    exact = (bits.astype(np.uint32) << 16).view(np.float32)
    rows = np.round(table / np.where(exact == 0, 1, exact)[:, None]).astype(np.int8)
    return rows, bits


def write(path, names, table):
    """Writes one row per name, in the order given, and the lookup table over the names' bytes."""
    names = [n.encode() for n in names]
    rows, scales = quantise(table)
    slots = np.zeros(1 << (2 * len(names) - 1).bit_length(), "<u2")
    for row, name in enumerate(names):
        h = fnv32(name)
        at = (h ^ h >> 15) & len(slots) - 1
        while slots[at]: at = at + 1 & len(slots) - 1
        slots[at] = row + 1
    starts = np.cumsum([0] + [len(n) for n in names]).astype("<u4")
    text = b"".join(names)
    body = struct.pack("<IIII", len(names), table.shape[1], len(slots), len(text))
    body += slots.tobytes() + scales.astype("<u2").tobytes() + starts.tobytes() + text + rows.tobytes()
    with open(path, "wb") as f:
        f.write(MAGIC + struct.pack("<IIQ", VERSION, max(map(len, names)), fnv64(body)) + body)


def read(path):
    """Returns the names and the rows as floats."""
    data = open(path, "rb").read()
    assert data[:8] == MAGIC and struct.unpack_from("<I", data, 8) == (VERSION,)
    count, dims, slots, text = struct.unpack_from("<IIII", data, HEAD - 16)
    at = HEAD + 2 * slots
    scales = (np.frombuffer(data, "<u2", count, at).astype(np.uint32) << 16).view(np.float32); at += 2 * count
    starts = np.frombuffer(data, "<u4", count + 1, at); at += 4 * (count + 1)
    names = [data[at + a:at + b].decode() for a, b in zip(starts, starts[1:])]; at += text
    return names, np.frombuffer(data, np.int8, count * dims, at).reshape(count, dims) * scales[:, None]

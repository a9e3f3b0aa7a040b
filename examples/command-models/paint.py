import json, random, struct, sys, zlib

ask = json.loads(sys.stdin.readline())
size = ask.get("size", {"width": 512, "height": 512})
width, height = size["width"], size["height"]
dice = random.Random(f"{ask['seed']} {ask['prompt']}")
top, bottom = ([dice.randrange(256) for _ in range(3)] for _ in range(2))
rows = bytearray()
for y in range(height):
    rows += b"\0" + bytes(a + (b - a) * y // height for a, b in zip(top, bottom)) * width
chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
with open("picture.png", "wb") as file:
    file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)))
    file.write(chunk(b"IDAT", zlib.compress(bytes(rows), 1)) + chunk(b"IEND", b""))
print(json.dumps({"type": "result", "file": "picture.png"}))

import json, re, subprocess, sys

ask = json.loads(sys.stdin.readline())
argv = ["pocketsphinx_continuous", "-infile", ask["audio"], "-time", "yes", "-logfn", "/dev/null"]
printed = subprocess.run(argv, stdout=subprocess.PIPE, text=True, check=True).stdout
segments, words = [], []
# The text of an utterance, then its words and pauses with their times: "forward 0.24 0.64 0.99".
for line in printed.splitlines():
    timed = re.fullmatch(r"(\S+) ([\d.]+) ([\d.]+) [\d.]+", line)
    if not timed:
        segments.append({"text": line.strip()})
        continue
    name, start, end = timed[1], float(timed[2]), float(timed[3])
    segments[-1].setdefault("start", start)
    segments[-1]["end"] = end
    if name[0] not in "<[+":
        words.append({"word": re.sub(r"\(\d+\)$", "", name), "start": start, "end": end})
heard = [segment for segment in segments if segment["text"] and "end" in segment]
text = " ".join(segment["text"] for segment in heard)
print(json.dumps({"type": "result", "text": text, "language": "en", "segments": heard, "words": words}))

/** What the head of a WAV file says about its samples. */
export interface WavHead {
	readonly sampleRate: number;
	readonly channels: 1 | 2;
	/** Where the samples begin, in bytes. */
	readonly at: number;
	/** How many bytes of samples there are; infinite where the program did not know when it wrote the head. */
	readonly length: number;
}

const pcm = 1;
const extensible = 0xfffe;
/** Programs that write to a pipe say nothing, or some number that no file has. */
const unknownLength = 0x7fff_0000;

/** Reads the head of a WAV file with 16-bit PCM of one or two channels; undefined for any other, and where the samples begin later than `bytes` end. */
export function wavHead(bytes: Buffer): WavHead | undefined {
	let format: Pick<WavHead, 'sampleRate' | 'channels'> | undefined;
	for (let at = 12; at + 8 <= bytes.byteLength; ) {
		const id = bytes.toString('latin1', at, at + 4);
		const length = bytes.readUInt32LE(at + 4);
		const start = at + 8;
		if (id === 'data') return format && { ...format, at: start, length: known(length) };
		if (id === 'fmt ' && start + 16 <= bytes.byteLength) format = formatOf(bytes.subarray(start));
		// Chunks begin at even bytes.
		at = start + length + (length % 2);
	}
	return undefined;
}

function formatOf(chunk: Buffer): Pick<WavHead, 'sampleRate' | 'channels'> | undefined {
	const [kind, channels] = [chunk.readUInt16LE(0), chunk.readUInt16LE(2)];
	const [sampleRate, bits] = [chunk.readUInt32LE(4), chunk.readUInt16LE(14)];
	const isPlain = (kind === pcm || kind === extensible) && bits === 16 && sampleRate > 0;
	return isPlain && (channels === 1 || channels === 2) ? { sampleRate, channels } : undefined;
}

function known(length: number): number {
	return length === 0 || length >= unknownLength ? Number.POSITIVE_INFINITY : length;
}

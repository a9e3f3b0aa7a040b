/**
 * Readers of the four containers, which throw if the file breaks a rule of the format. They share no code with the
 * encoders.
 */

/** The header fields of the frames of a file. */
export interface Frames {
	readonly sampleRate: number;
	readonly channels: number;
	readonly frames: number;
	/** Of all frames. */
	readonly samples: number;
}

/** MPEG-2 layer III (ISO/IEC 13818-3 §2.4.2): frames without a gap. */
export function readMp3(bytes: Buffer): Frames & { readonly kbps: number } {
	const bitrates = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
	const rates = [22_050, 24_000, 16_000];
	let frames = 0;
	let [sampleRate, channels, kbps] = [0, 0, 0];
	for (let at = 0; at < bytes.length; frames++) {
		assert(bytes.readUInt16BE(at) >>> 1 === 0xfff3 >>> 1, `an MP3 frame begins at ${at}`);
		const facts = bytes.readUInt8(at + 2);
		kbps = bitrates[facts >>> 4] ?? 0;
		sampleRate = rates[(facts >>> 2) & 3] ?? 0;
		channels = bytes.readUInt8(at + 3) >>> 6 === 3 ? 1 : 2;
		at += Math.floor((72_000 * kbps) / sampleRate) + ((facts >>> 1) & 1);
		assert(at <= bytes.length, 'the last MP3 frame is whole');
	}
	return { sampleRate, channels, kbps, frames, samples: frames * 576 };
}

/** ADTS (ISO/IEC 13818-7 §6.2): frames without a gap. */
export function readAdts(bytes: Buffer): Frames {
	const rates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000];
	let frames = 0;
	let [sampleRate, channels] = [0, 0];
	for (let at = 0; at < bytes.length; frames++) {
		assert(bytes.readUInt16BE(at) >>> 4 === 0xfff, `an ADTS frame begins at ${at}`);
		assert(bytes.readUInt8(at + 2) >>> 6 === 1, 'its profile is low complexity');
		sampleRate = rates[(bytes.readUInt8(at + 2) >>> 2) & 15] ?? 0;
		channels = bytes.readUInt8(at + 3) >>> 6;
		at += (bytes.readUIntBE(at + 3, 3) >>> 5) & 0x1fff;
		assert(at <= bytes.length, 'the last ADTS frame is whole');
	}
	return { sampleRate, channels, frames, samples: frames * 1_024 };
}

/** Opus in Ogg (RFC 3533 §6, RFC 7845 §5): the headers, and the number of audible samples at 48 kHz. */
export function readOpus(bytes: Buffer) {
	const granules: number[] = [];
	const packets: Buffer[] = [];
	for (let at = 0; at < bytes.length; ) {
		assert(bytes.toString('latin1', at, at + 4) === 'OggS', `an Ogg page begins at ${at}`);
		const lacing = bytes.subarray(at + 27, at + 27 + bytes.readUInt8(at + 26));
		let packet = at + 27 + lacing.length;
		const end = packet + lacing.reduce((sum, length) => sum + length, 0);
		const page = Buffer.from(bytes.subarray(at, end));
		page.writeUInt32LE(0, 22);
		assert(bytes.readUInt32LE(at + 22) === oggChecksum(page), 'the checksum is right');
		assert(bytes.readUInt32LE(at + 18) === granules.length, 'pages are numbered');
		const flags = (granules.length === 0 ? 2 : 0) + (end === bytes.length ? 4 : 0);
		assert(bytes.readUInt8(at + 5) === flags, 'the first and the last page are marked, and no other');
		let length = 0;
		for (const segment of lacing) {
			length += segment;
			if (segment === 255) continue;
			packets.push(bytes.subarray(packet, packet + length));
			packet += length;
			length = 0;
		}
		assert(length === 0, 'no packet continues on the next page');
		granules.push(Number(bytes.readBigInt64LE(at + 6)));
		at = end;
	}
	const [head = Buffer.alloc(0), tags = Buffer.alloc(0), ...audio] = packets;
	assert(head.toString('latin1', 0, 8) === 'OpusHead', 'the first packet is the head');
	assert(tags.toString('latin1', 0, 8) === 'OpusTags', 'the second packet holds the tags');
	const preSkip = head.readUInt16LE(10);
	const length = granules.at(-1) ?? 0;
	assert(
		granules.every((granule, index) => granule >= (granules[index - 1] ?? 0)),
		'positions never fall',
	);
	assert(audio.length * 960 >= length, 'there are packets for all samples');
	return {
		channels: head.readUInt8(9),
		inputRate: head.readUInt32LE(12),
		samples: length - preSkip,
		pages: granules.length,
	};
}

/** FLAC (RFC 9639 §8, §9): STREAMINFO, then frames with consecutive numbers and right checksums. */
export function readFlac(bytes: Buffer) {
	assert(bytes.toString('latin1', 0, 4) === 'fLaC', 'the file begins with fLaC');
	assert(bytes.readUInt32BE(4) === 0x8000_0022, 'STREAMINFO is the only metadata');
	const facts = bytes.readBigUInt64BE(18);
	const frames = flacFrames(bytes, 42);
	return {
		sampleRate: Number(facts >> 44n),
		channels: Number((facts >> 41n) & 7n) + 1,
		bitsPerSample: Number((facts >> 36n) & 31n) + 1,
		/** 0 when unknown. */
		saidSamples: Number(facts & 0xf_ffff_ffffn),
		/** 16 zeros when unknown. */
		md5: bytes.toString('hex', 26, 42),
		frames: frames.length,
		samples: frames.reduce((sum, samples) => sum + samples, 0),
	};
}

/** The number of samples in each frame. A frame ends where the next frame number begins and both checksums match. */
function flacFrames(bytes: Buffer, first: number): number[] {
	const starts: { at: number; samples: number }[] = [];
	for (let at = first; at < bytes.length; at++) {
		const samples = flacHead(bytes, at, starts.length);
		if (samples !== undefined) starts.push({ at, samples });
	}
	assert(starts[0]?.at === first, 'a FLAC frame follows the metadata');
	for (const [index, { at }] of starts.entries()) {
		const end = starts[index + 1]?.at ?? bytes.length;
		const sum = crc(bytes.subarray(at, end - 2), 16, 0x8005);
		assert(sum === bytes.readUInt16BE(end - 2), `the checksum of FLAC frame ${index} is right`);
	}
	return starts.map(({ samples }) => samples);
}

/** The number of samples in frame `index`, if that frame begins here. */
function flacHead(bytes: Buffer, at: number, index: number): number | undefined {
	if (bytes[at] !== 0xff || bytes[at + 1] !== 0xf8 || index >= 128) return undefined;
	const size = (bytes[at + 2] ?? 0) >>> 4;
	const rate = (bytes[at + 2] ?? 0) & 15;
	const sizeBytes = size === 6 ? 1 : size === 7 ? 2 : 0;
	const rateBytes = rate === 12 ? 1 : rate === 13 || rate === 14 ? 2 : 0;
	const end = at + 5 + sizeBytes + rateBytes;
	if (end >= bytes.length || bytes[at + 4] !== index) return undefined;
	if (crc(bytes.subarray(at, end), 8, 0x07) !== bytes[end]) return undefined;
	if (sizeBytes > 0) return bytes.readUIntBE(at + 5, sizeBytes) + 1;
	return size >= 8 ? 256 << (size - 8) : 576 << (size - 2);
}

function oggChecksum(page: Buffer): number {
	return crc(page, 32, 0x04c1_1db7);
}

/** CRC, most significant bit first, starting at zero. */
function crc(bytes: Uint8Array, width: 8 | 16 | 32, polynomial: number): number {
	const top = 2 ** (width - 1);
	let value = 0;
	for (const byte of bytes) {
		value = (value ^ (byte * 2 ** (width - 8))) >>> 0;
		for (let bit = 0; bit < 8; bit++) {
			const carry = value >= top;
			value = ((value << 1) ^ (carry ? polynomial : 0)) >>> 0;
			if (width < 32) value &= 2 ** width - 1;
		}
	}
	return value;
}

function assert(condition: boolean, rule: string): asserts condition {
	if (!condition) throw new Error(`Broken rule: ${rule}.`);
}

/** A box of an MP4 file (ISO/IEC 14496-12 §4.2). */
interface Box {
	readonly type: string;
	/** The offset of the content, after the header of the box. */
	readonly body: Buffer;
}

/** The properties of an MP4 file with one video track. */
export interface Mp4 {
	/** Types of the top-level boxes, in order. */
	readonly layout: readonly string[];
	/** The sample entry of the track: `avc1`. */
	readonly codec: string;
	readonly width: number;
	readonly height: number;
	/** How many frames the track has. */
	readonly frames: number;
	/** Seconds, from the movie header. */
	readonly seconds: number;
	/** Seconds, as the sum of the durations of all frames. */
	readonly frameSeconds: number;
	/** Bytes of all frames together. */
	readonly frameBytes: number;
}

/** Parses an MP4 file with one video track. Throws when a box is missing. */
export function readMp4(bytes: Uint8Array): Mp4 {
	const top = boxes(Buffer.from(bytes));
	const movie = inside(top, 'moov');
	const track = inside(movie, 'trak');
	const media = inside(track, 'mdia');
	const table = inside(inside(media, 'minf'), 'stbl');
	const header = find(track, 'tkhd').body;
	const sizes = find(table, 'stsz').body;
	const description = find(table, 'stsd').body;
	const [, scale] = timeOf(find(media, 'mdhd'));
	const [duration, movieScale] = timeOf(find(movie, 'mvhd'));
	return {
		layout: top.map(({ type }) => type),
		codec: description.toString('latin1', 12, 16),
		// Width and height are 16.16 fixed-point numbers at the end of the track header.
		width: header.readUInt32BE(header.length - 8) / 65_536,
		height: header.readUInt32BE(header.length - 4) / 65_536,
		frames: sizes.readUInt32BE(8),
		seconds: duration / movieScale,
		frameSeconds: sumOfDurations(find(table, 'stts').body) / scale,
		frameBytes: sumOfSizes(sizes),
	};
}

function boxes(data: Buffer): Box[] {
	const found: Box[] = [];
	for (let offset = 0; offset + 8 <= data.length; ) {
		const short = data.readUInt32BE(offset);
		const head = short === 1 ? 16 : 8;
		const length = short === 1 ? Number(data.readBigUInt64BE(offset + 8)) : short || data.length - offset;
		if (length < head || offset + length > data.length) throw new Error(`A box is cut off at ${offset}.`);
		const type = data.toString('latin1', offset + 4, offset + 8);
		found.push({ type, body: data.subarray(offset + head, offset + length) });
		offset += length;
	}
	return found;
}

function find(list: readonly Box[], type: string): Box {
	const box = list.find((candidate) => candidate.type === type);
	if (box) return box;
	throw new Error(`There is no ${type} box among ${list.map((other) => other.type).join(', ')}.`);
}

function inside(list: readonly Box[], type: string): Box[] {
	return boxes(find(list, type).body);
}

/** Duration and time scale of an `mvhd` or `mdhd` box, version 0 or 1. */
function timeOf({ body }: Box): readonly [duration: number, scale: number] {
	if (body[0] === 1) return [Number(body.readBigUInt64BE(24)), body.readUInt32BE(20)];
	return [body.readUInt32BE(16), body.readUInt32BE(12)];
}

function sumOfDurations(table: Buffer): number {
	let sum = 0;
	for (let row = 0; row < table.readUInt32BE(4); row++) {
		sum += table.readUInt32BE(8 + row * 8) * table.readUInt32BE(12 + row * 8);
	}
	return sum;
}

function sumOfSizes(table: Buffer): number {
	const [common, count] = [table.readUInt32BE(4), table.readUInt32BE(8)];
	if (common > 0) return common * count;
	let sum = 0;
	for (let row = 0; row < count; row++) sum += table.readUInt32BE(12 + row * 4);
	return sum;
}

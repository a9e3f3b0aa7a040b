/** The properties in the headers of an MP4. */
export interface Mp4Facts {
	/** Size of the picture in pixels. */
	readonly width: number;
	readonly height: number;
	/** Total duration in seconds; absent in fragmented files without one. */
	readonly seconds?: number;
}

/** Reads the movie and track headers of an MP4 (ISO/IEC 14496-12 §8.2.2, §8.3.2). Undefined if there are none. */
export function factsOf(bytes: Uint8Array): Mp4Facts | undefined {
	const movie = boxesOf(bytes).find(({ name }) => name === 'moov');
	const parts = movie ? boxesOf(movie.body) : [];
	const header = parts.find(({ name }) => name === 'mvhd');
	const size = parts
		.filter(({ name }) => name === 'trak')
		.flatMap(({ body }) => boxesOf(body).filter(({ name }) => name === 'tkhd'))
		.map(({ body }) => sizeOf(body))
		.find(({ width }) => width > 0);
	if (!header || !size) return undefined;
	const seconds = secondsOf(header.body);
	const isFragmented = parts.some(({ name }) => name === 'mvex');
	return seconds === 0 && isFragmented ? size : { ...size, seconds };
}

/** An MP4 with the headers of a video but no frames, for scripted servers and programs. `note` makes files differ. */
export function smallMp4({ width, height, seconds = 2 }: Mp4Facts, note = ''): Buffer {
	const movie = Buffer.alloc(100);
	movie.writeUInt32BE(1_000, 12);
	movie.writeUInt32BE(seconds * 1_000, 16);
	const track = Buffer.alloc(84);
	track.writeUInt32BE(width * 65_536, 76);
	track.writeUInt32BE(height * 65_536, 80);
	return Buffer.concat([
		box('ftyp', Buffer.from('isom\0\0\0\0isom', 'latin1')),
		box('moov', Buffer.concat([box('mvhd', movie), box('trak', box('tkhd', track))])),
		box('mdat', Buffer.from(note)),
	]);
}

function box(name: string, body: Uint8Array): Buffer {
	const head = Buffer.alloc(8);
	head.writeUInt32BE(8 + body.byteLength, 0);
	head.write(name, 4, 'latin1');
	return Buffer.concat([head, body]);
}

interface Box {
	readonly name: string;
	readonly body: Uint8Array;
}

function boxesOf(bytes: Uint8Array): readonly Box[] {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const boxes: Box[] = [];
	for (let at = 0; at + 8 <= bytes.byteLength; ) {
		const declared = view.getUint32(at);
		const isLong = declared === 1 && at + 16 <= bytes.byteLength;
		const head = isLong ? 16 : 8;
		const size = isLong ? Number(view.getBigUint64(at + 8)) : declared || bytes.byteLength - at;
		// A box with an invalid size ends the file: the bytes after it have no meaning.
		if (size < head || at + size > bytes.byteLength) break;
		const name = Buffer.from(bytes.subarray(at + 4, at + 8)).toString('latin1');
		boxes.push({ name, body: bytes.subarray(at + head, at + size) });
		at += size;
	}
	return boxes;
}

/** Version 1 of the header has 64-bit times. */
function secondsOf(header: Uint8Array): number {
	const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
	const isLong = view.getUint8(0) === 1;
	const scale = view.getUint32(isLong ? 20 : 12);
	const length = isLong ? Number(view.getBigUint64(24)) : view.getUint32(16);
	return length / scale;
}

/** Width and height are at the end of the header, as 16.16 fixed-point numbers. */
function sizeOf(header: Uint8Array): { readonly width: number; readonly height: number } {
	const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
	const at = header.byteLength - 8;
	return { width: view.getUint32(at) / 65_536, height: view.getUint32(at + 4) / 65_536 };
}

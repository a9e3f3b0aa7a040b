/** Header fields of a page. */
export interface PageOptions {
	/** Position in the stream at the end of the page, in the codec's unit. */
	readonly granule: number;
	readonly isLast?: boolean;
}

const headerBytes = 27;
const segmentBytes = 255;
const firstFlag = 2;
const lastFlag = 4;

/**
 * Writes packets into the pages of one logical Ogg stream (RFC 3533 §6). The serial number is fixed, so
 * that equal audio gives equal bytes.
 */
export class OggStream {
	#sequence = 0;

	/** A page of complete packets. Throws a RangeError above its 255 segments. */
	page(packets: readonly Uint8Array[], { granule, isLast = false }: PageOptions): Uint8Array<ArrayBuffer> {
		const segments = packets.flatMap(({ byteLength }) => [
			...new Array<number>(Math.floor(byteLength / segmentBytes)).fill(segmentBytes),
			byteLength % segmentBytes,
		]);
		if (segments.length > 255) throw new RangeError(`${segments.length} segments are no page.`);
		const head = Buffer.alloc(headerBytes);
		head.write('OggS', 'latin1');
		head.writeUInt8((this.#sequence === 0 ? firstFlag : 0) | (isLast ? lastFlag : 0), 5);
		head.writeBigInt64LE(BigInt(granule), 6);
		head.writeUInt32LE(1, 14);
		head.writeUInt32LE(this.#sequence++, 18);
		head.writeUInt8(segments.length, 26);
		const page = Buffer.concat([head, Uint8Array.from(segments), ...packets]);
		page.writeUInt32LE(checksum(page), 22);
		return page;
	}
}

/**
 * The checksum of a page whose checksum field is zero. Not zlib's CRC: the same polynomial with reversed
 * bit order (RFC 3533 §6).
 */
function checksum(page: Uint8Array): number {
	let value = 0;
	for (const byte of page) value = (value << 8) ^ (table[(value >>> 24) ^ byte] as number);
	return value >>> 0;
}

const table = Uint32Array.from({ length: 256 }, (_, index) => {
	let value = index << 24;
	for (let bit = 0; bit < 8; bit++) value = (value << 1) ^ (value < 0 ? 0x04c1_1db7 : 0);
	return value;
});

/**
 * Writes packets into the pages of one logical Ogg stream (RFC 3533 §6). The serial number is fixed, so
 * that equal audio gives equal bytes.
 */
export class OggStream {
	#sequence = 0;

	/**
	 * A page of complete packets. `granule` is the position in the stream at its end, in the codec's unit. Throws a
	 * RangeError above its 255 segments.
	 */
	page(packets: readonly Uint8Array[], end: { readonly granule: number; readonly isLast?: boolean }): Buffer {
		const segments = packets.flatMap(({ byteLength }) => [
			...new Array<number>(Math.floor(byteLength / 255)).fill(255),
			byteLength % 255,
		]);
		if (segments.length > 255) throw new RangeError(`${segments.length} segments do not fit a page.`);
		const page = Buffer.concat([Buffer.alloc(27), Uint8Array.from(segments), ...packets]);
		page.write('OggS', 'latin1');
		// Flags of the first and of the last page.
		page.writeUInt8((this.#sequence === 0 ? 2 : 0) | (end.isLast ? 4 : 0), 5);
		page.writeBigInt64LE(BigInt(end.granule), 6);
		page.writeUInt32LE(1, 14);
		page.writeUInt32LE(this.#sequence++, 18);
		page.writeUInt8(segments.length, 26);
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

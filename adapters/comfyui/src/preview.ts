/** A latent preview. */
export interface Preview {
	/** The prompt that it belongs to; undefined where the frame does not say. */
	readonly prompt: string | undefined;
	readonly body: Uint8Array;
	readonly mediaType: 'image/png' | 'image/jpeg';
}

const types = { plain: 1, described: 4 } as const;
const png = 2;

/**
 * Reads a binary frame of the socket. All integers are 32 bits, big-endian. Type 1: the format, then the picture. Type
 * 4: the length of a JSON text, the text, then the picture. Undefined for other types and for broken frames.
 */
export function readPreview(frame: Buffer): Preview | undefined {
	if (frame.length < 8) return undefined;
	const [type, second] = [frame.readUInt32BE(0), frame.readUInt32BE(4)];
	if (type === types.plain) {
		const mediaType = second === png ? 'image/png' : 'image/jpeg';
		return { prompt: undefined, body: frame.subarray(8), mediaType };
	}
	if (type !== types.described) return undefined;
	try {
		const text = frame.toString('utf8', 8, 8 + second);
		const { prompt_id: prompt, image_type: kind } = JSON.parse(text) as Record<string, unknown>;
		if (typeof prompt !== 'string') return undefined;
		const mediaType = kind === 'image/png' ? 'image/png' : 'image/jpeg';
		return { prompt, body: frame.subarray(8 + second), mediaType };
	} catch {
		return undefined;
	}
}

import type { MonoAudio } from '@plinth/plugin-speech/model';

/** Samples per second of the test sound, the rate that the speech plugin uses. */
export const sampleRate = 24_000;

/** A tone whose pitch and volume rise, so that no two parts of it are alike. */
export function tone(samples: number): Uint8Array {
	const bytes = Buffer.alloc(samples * 2);
	for (let at = 0; at < samples; at++) {
		const time = at / sampleRate;
		const value = Math.sin(2 * Math.PI * (200 + 150 * time) * time) * Math.sin(3 * time + 0.5);
		bytes.writeInt16LE(Math.round(value * 12_000), at * 2);
	}
	return bytes;
}

/** Sound in chunks of `chunkBytes`; by default in one chunk. */
export function mono(bytes: Uint8Array, chunkBytes: number = bytes.byteLength): MonoAudio {
	async function* body(): AsyncGenerator<Uint8Array> {
		for (let start = 0; start < bytes.byteLength; start += chunkBytes) {
			yield bytes.subarray(start, start + chunkBytes);
		}
	}
	return { mediaType: 'audio/pcm', sampleRate, channels: 1, body: body() };
}

/** Endless sound. `closed` resolves when its reader stops. */
export function endless(): MonoAudio & { readonly closed: Promise<void> } {
	const closed = Promise.withResolvers<void>();
	async function* body(): AsyncGenerator<Uint8Array> {
		try {
			for (;;) yield tone(sampleRate / 10);
		} finally {
			closed.resolve();
		}
	}
	const audio = { mediaType: 'audio/pcm', sampleRate, channels: 1, body: body() } as const;
	return { ...audio, closed: closed.promise };
}

/** All bytes of a body. */
export async function collect(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
	const parts: Uint8Array[] = [];
	for await (const part of body) parts.push(part);
	return Buffer.concat(parts);
}

import { createHash } from 'node:crypto';
import type { VideoInput } from './record.ts';

/** The first 32 bits of a SHA-256 over everything that affects a video: equal requests render equal bytes. */
export function seedOf(model: string, input: VideoInput): number {
	const { prompt, reference, size, seconds } = input;
	// JSON separates the parts: no prompt can produce the digest input of another request.
	const text = JSON.stringify([model, prompt, reference?.sha256 ?? null, size, seconds]);
	return createHash('sha256').update(text).digest().readUInt32BE(0);
}

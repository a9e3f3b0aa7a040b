import { open } from 'node:fs/promises';
import type { AudioContainer } from '../model.ts';

/** The media types of the containers. */
export const mediaTypes: Readonly<Record<AudioContainer, string>> = {
	...{ wav: 'audio/wav', mp3: 'audio/mpeg', mp4: 'audio/mp4' },
	...{ ogg: 'audio/ogg', flac: 'audio/flac', webm: 'audio/webm' },
};

/** The container of a file by its first bytes; undefined for every other file. */
export async function containerOf(path: string): Promise<AudioContainer | undefined> {
	const file = await open(path);
	try {
		const { buffer, bytesRead } = await file.read(Buffer.alloc(12), 0, 12, 0);
		const head = buffer.toString('latin1', 0, bytesRead);
		return signatures.find(([pattern]) => pattern.test(head))?.[1];
	} finally {
		await file.close();
	}
}

/** An MPEG frame has eleven set bits, then a layer that is not 0 (ISO/IEC 11172-3 §2.4.2.3): AAC has 0 there. */
const signatures: readonly (readonly [RegExp, AudioContainer])[] = [
	[/^RIFF.{4}WAVE/s, 'wav'],
	[/^(?:ID3|\xff[\xe2-\xe7\xea-\xef\xf2-\xf7\xfa-\xff])/, 'mp3'],
	[/^.{4}ftyp/s, 'mp4'],
	[/^OggS/, 'ogg'],
	[/^fLaC/, 'flac'],
	[/^\cZE\xdf\xa3/, 'webm'],
];

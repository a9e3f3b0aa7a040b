import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { AudioFile } from '@plinth/plugin-transcription/model';
import type { RunFolder } from '../run/folder.ts';

/** Writes samples of one channel, -1 to 1, to a WAV file with 16 bits in the folder of a run. */
export async function writeWav(folder: RunFolder, name: string, audio: AudioFile, sampleRate: number): Promise<void> {
	const head = Buffer.from('RIFF....WAVEfmt \x10\0\0\0\x01\0\x01\0rateratf\x02\0\x10\0data....', 'latin1');
	let dataBytes = 0;
	async function* content() {
		yield head;
		for await (const chunk of audio.samples(sampleRate)) {
			const bytes = Buffer.alloc(chunk.length * 2);
			for (const [index, value] of chunk.entries()) bytes.writeInt16LE(Math.round(value * 0x7fff), index * 2);
			dataBytes += bytes.byteLength;
			yield bytes;
		}
	}
	await folder.write(name, content());
	const fields = { 4: 36 + dataBytes, 24: sampleRate, 28: sampleRate * 2, 40: dataBytes };
	for (const [at, value] of Object.entries(fields)) head.writeUInt32LE(value, Number(at));
	// The length is known only now.
	const file = await open(join(folder.path, name), 'r+');
	await file.write(head, 0, head.byteLength, 0).finally(() => file.close());
}

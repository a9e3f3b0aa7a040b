import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { endianness } from 'node:os';
import { delimiter, join } from 'node:path';
import type { SampleReader } from './decoder.ts';

/** The demuxers, named, so that a file of a client cannot be a playlist that reads other files. */
const demuxers = { wav: 'wav', mp3: 'mp3', mp4: 'mov', ogg: 'ogg', flac: 'flac', webm: 'matroska' } as const;

/** Samples in the byte order of this machine. */
const floats = `f32${endianness().toLowerCase()}`;

/** Decodes by ffmpeg, one process for each file. Undefined when the program, a path or a name in `PATH`, is missing. */
export function ffmpegReader(name: string): SampleReader | undefined {
	const folders = name.includes('/') ? [''] : (process.env.PATH ?? '').split(delimiter);
	const program = folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
	if (!program) return undefined;
	return async function* read({ container, path }, rate, signal) {
		const input = ['-protocol_whitelist', 'file', '-f', demuxers[container], '-i', `file:${path}`, '-map', '0:a:0'];
		const output = ['-ac', '1', '-ar', `${rate}`, '-f', floats, 'pipe:1'];
		const args = ['-nostdin', '-v', 'quiet', '-threads', '1', ...input, ...output];
		// Without our variables, which may hold secrets.
		const options = { signal, timeout: 600_000, killSignal: 'SIGKILL', env: {} } as const;
		const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'ignore'] }).on('error', () => {});
		let rest = Buffer.alloc(0);
		try {
			for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
				signal.throwIfAborted();
				const bytes = Buffer.concat([rest, chunk]);
				const whole = bytes.length - (bytes.length % 4);
				rest = bytes.subarray(whole);
				// A copy, because samples begin at a multiple of 4.
				yield new Float32Array(Uint8Array.from(bytes.subarray(0, whole)).buffer);
			}
			signal.throwIfAborted();
		} finally {
			child.kill('SIGKILL');
		}
	};
}

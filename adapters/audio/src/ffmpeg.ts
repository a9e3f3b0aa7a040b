import { spawn } from 'node:child_process';
import { endianness } from 'node:os';
import { invalidValue } from '@plinth/core';
import type { SampleReader } from './decoder.ts';

/** The demuxer is always named. Otherwise a client could send a playlist that reads other files. */
const demuxers = { wav: 'wav', mp3: 'mp3', mp4: 'mov', ogg: 'ogg', flac: 'flac', webm: 'matroska' } as const;

/** Samples in the byte order of this machine. */
const floats = `f32${endianness().toLowerCase()}`;

/** Decodes with ffmpeg, a path or a name in `PATH`: one process for each file. Yields no samples if it is missing. */
export function ffmpegReader(program: string): SampleReader {
	return async function* read({ container, path }, rate, signal) {
		const input = ['-protocol_whitelist', 'file', '-f', demuxers[container], '-i', `file:${path}`, '-map', '0:a:0'];
		const output = ['-ac', '1', '-ar', `${rate}`, '-f', floats, 'pipe:1'];
		const args = ['-nostdin', '-v', 'quiet', '-threads', '1', ...input, ...output];
		// Without the other variables of the server, which may hold secrets.
		const env = { PATH: process.env.PATH };
		const options = { signal, timeout: 600_000, killSignal: 'SIGKILL', env } as const;
		const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'ignore'] }).on('error', () => {});
		const ended = new Promise((resolve) => child.once('close', resolve));
		let received = 0;
		let rest = Buffer.alloc(0);
		try {
			for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
				signal.throwIfAborted();
				received += chunk.length;
				const bytes = Buffer.concat([rest, chunk]);
				rest = bytes.subarray(bytes.length - (bytes.length % 4));
				// Copied, because a Float32Array must start at a multiple of 4 bytes.
				yield new Float32Array(new Uint8Array(bytes).buffer, 0, Math.floor(bytes.length / 4));
			}
			signal.throwIfAborted();
			await ended;
			if (received > 0 && child.exitCode !== 0) throw invalidValue('file', 'ffmpeg could not decode the whole file.');
		} finally {
			child.kill('SIGKILL');
		}
	};
}

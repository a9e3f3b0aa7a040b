import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { audioEncoder } from '@plinth/audio';
import type { AudioEncoder, EncodedAudioFormat } from '@plinth/plugin-speech/model';
import { createBackend } from '@plinth/testing';
import { bootEmbedded, keyA } from '../test/support/serve.ts';
import type { Bench, Row } from './harness/bench.ts';
import { cpuOfEnded, cpuOfTree } from './harness/cpu.ts';
import { pathOf } from './harness/programs.ts';
import { cpuFigures, inTurns, type Sample } from './harness/rounds.ts';

const sampleRate = 24_000;
const sentence = 'The tide comes in over the sand, and nobody on the beach has seen it come. ';
const { signal } = new AbortController();

/** The same settings as those of Plinth. */
const references: Readonly<Record<EncodedAudioFormat, readonly string[]>> = {
	mp3: ['-c:a', 'libmp3lame', '-b:a', '64k', '-f', 'mp3'],
	opus: ['-c:a', 'libopus', '-b:a', '32k', '-compression_level', '5', '-f', 'ogg'],
	aac: ['-c:a', 'aac', '-b:a', '64k', '-f', 'adts'],
	flac: ['-c:a', 'flac', '-f', 'flac'],
};

/** Encoding speech in warm threads, against ffmpeg with a native encoder of the same format. */
export const audio: Bench = {
	name: 'audio',
	about: 'two minutes of speech as MP3, Opus, AAC and FLAC, against ffmpeg',
	needs: ['ffmpeg'],
	async run() {
		const dir = await mkdtemp(join(tmpdir(), 'plinth-bench-'));
		const encoder = await createBackend<AudioEncoder>(audioEncoder());
		try {
			const pcm = await spoken();
			const raw = join(dir, 'speech.raw');
			await writeFile(raw, pcm);
			const rows: Row[] = [];
			for (const format of encoder.provided.formats) {
				rows.push(await compare(format, encoder.provided, pcm, raw));
			}
			return rows;
		} finally {
			await encoder.stop();
			await rm(dir, { recursive: true, force: true });
		}
	},
};

async function compare(format: EncodedAudioFormat, encoder: AudioEncoder, pcm: Uint8Array, raw: string): Promise<Row> {
	const seconds = pcm.byteLength / 2 / sampleRate;
	const each = ({ cpu, wall }: Sample) => ({ cpu: cpu / seconds, wall: wall / seconds });
	// Loads the library, and lets V8 compile the hot code.
	await encode(format, encoder, pcm);
	const samples = await inTurns(5, {
		ours: async () => each(await encode(format, encoder, pcm)),
		reference: async () => each(await encodeByFfmpeg(raw, references[format])),
	});
	return {
		name: `audio ${format}`,
		unit: 'CPU ms per second of audio',
		...cpuFigures(samples, 'ffmpeg'),
	};
}

async function encode(format: EncodedAudioFormat, encoder: AudioEncoder, pcm: Uint8Array): Promise<Sample> {
	async function* body(): AsyncGenerator<Uint8Array> {
		yield pcm;
	}
	const cpu = cpuOfTree(process.pid);
	const began = performance.now();
	const source = { mediaType: 'audio/pcm', sampleRate, channels: 1, body: body() } as const;
	const encoded = await encoder.encode(source, format, signal);
	let bytes = 0;
	for await (const part of encoded.body) bytes += part.byteLength;
	if (bytes === 0) throw new Error(`There is no ${format}.`);
	return { cpu: cpuOfTree(process.pid) - cpu, wall: performance.now() - began };
}

async function encodeByFfmpeg(raw: string, output: readonly string[]): Promise<Sample> {
	const input = ['-f', 's16le', '-ar', String(sampleRate), '-ac', '1', '-i', raw];
	const cpu = cpuOfEnded();
	const began = performance.now();
	const args = ['-v', 'error', '-y', '-threads', '1', ...input, ...output, '/dev/null'];
	const [code] = await once(spawn(pathOf('ffmpeg'), args, { stdio: 'inherit' }), 'exit');
	if (code !== 0) throw new Error(`ffmpeg ended with code ${code}.`);
	return { cpu: cpuOfEnded() - cpu, wall: performance.now() - began };
}

/** About two minutes of speech by the built-in model. */
async function spoken(): Promise<Uint8Array> {
	const { app, stop } = await bootEmbedded();
	try {
		const fields = { model: 'builtin-speech', voice: 'nova', input: sentence.repeat(30) };
		const answer = await app.fetch(
			new Request('http://localhost/v1/audio/speech', {
				method: 'POST',
				headers: { 'x-api-key': keyA, 'content-type': 'application/json' },
				body: JSON.stringify({ ...fields, response_format: 'pcm' }),
			}),
		);
		if (answer.status !== 200) throw new Error(await answer.text());
		return new Uint8Array(await answer.arrayBuffer());
	} finally {
		await stop();
	}
}

import { defineBackend, services } from '@plinth/core';
import { audioEncoder as audioEncoderService } from '@plinth/plugin-speech/model';
import { audioDecoder as audioDecoderService } from '@plinth/plugin-transcription/model';
import { z } from 'zod';
import { threadedDecoder } from './decoder.ts';
import { threadedEncoder } from './encoder.ts';
import { ffmpegReader } from './ffmpeg.ts';
import { Threads } from './threads.ts';

// In a YAML config, the value of `${NAME}` is a string.
const number = () => z.coerce.number<number | string>();

const pooled = {
	/** Maximum number of codec threads. */
	threads: number().int().min(1).max(16).default(2),
	/** Maximum number of streams encoded, or files decoded, concurrently; the others wait. */
	concurrency: number().int().min(1).max(256).default(16),
};

const encoderConfig = z.strictObject({
	/** Bit rate of MP3, in kbit/s. MPEG audio supports these values at every sample rate. */
	mp3Kbps: number()
		.pipe(z.literal([32, 40, 48, 64, 80, 96, 112, 128, 160]))
		.default(64),
	/** Mean bit rate of Opus, in kbit/s. */
	opusKbps: number().int().min(6).max(256).default(32),
	/** Mean bit rate of AAC, in kbit/s. */
	aacKbps: number().int().min(24).max(96).default(64),
	...pooled,
});

const decoderConfig = z.strictObject({
	...pooled,
	/** The program for other codecs, such as AAC: a path, or a name in `PATH`. Without it, these codecs are refused. */
	ffmpeg: z.string().min(1).default('ffmpeg'),
});

const file = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url);
const times = { responseTimeoutMs: 30_000, idleMs: 10_000 } as const;

/** MP3, Opus, AAC and FLAC for speech, in WebAssembly: `backends: { audio: audioEncoder() }`. */
export const audioEncoder = defineBackend({
	name: 'audioEncoder',
	provides: audioEncoderService,
	needs: { clock: services.clock },
	config: encoderConfig,
	create({ config, services: { clock }, onStop }) {
		const { threads, concurrency, mp3Kbps: mp3, opusKbps: opus, aacKbps: aac } = config;
		const pool = new Threads({ ...times, clock, file, threads, concurrency });
		onStop(() => pool.stop());
		return threadedEncoder(pool, { mp3, opus, aac, flac: 0 });
	},
});

/** Decodes MP3, Opus and FLAC for transcription, and other codecs with ffmpeg: `{ decoder: audioDecoder() }`. */
export const audioDecoder = defineBackend({
	name: 'audioDecoder',
	provides: audioDecoderService,
	needs: { clock: services.clock },
	config: decoderConfig,
	create({ config: { threads, concurrency, ffmpeg }, services: { clock }, onStop }) {
		const pool = new Threads({ ...times, clock, file, threads, concurrency });
		onStop(() => pool.stop());
		return threadedDecoder(pool, ffmpegReader(ffmpeg));
	},
});

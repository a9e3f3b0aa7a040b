import { defineBackend, services } from '@plinth/core';
import { audioEncoder as audioEncoderService } from '@plinth/plugin-speech/model';
import { audioDecoder as audioDecoderService } from '@plinth/plugin-transcription/model';
import { z } from 'zod';
import { threadedDecoder } from './decoder.ts';
import { threadedEncoder } from './encoder.ts';
import { ffmpegReader } from './ffmpeg.ts';
import { Threads } from './threads.ts';

// Configs in YAML hold `${NAME}`, which arrives as a string.
const number = () => z.coerce.number<number | string>();

const pooled = {
	/** Maximum number of codec threads. */
	threads: number().int().min(1).max(16).default(2),
	/** Maximum number of streams encoded, or files decoded, concurrently; the others wait. */
	concurrency: number().int().min(1).max(256).default(16),
};

const encoderConfig = z.strictObject({
	/** Bit rate of MP3, in kbit/s: those that MPEG audio has at every sample rate. */
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
	/** The program for other codecs, such as AAC: a path, or a name in `PATH`. Where it is missing, they are refused. */
	ffmpeg: z.string().min(1).default('ffmpeg'),
});

const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const file = new URL(`./worker.${extension}`, import.meta.url);
const times = { responseTimeoutMs: 30_000, idleMs: 10_000 } as const;

/** MP3, Opus, AAC and FLAC for speech, in WebAssembly: `backends: { audio: audioEncoder() }`. */
export const audioEncoder = defineBackend({
	name: 'audioEncoder',
	provides: audioEncoderService,
	needs: { clock: services.clock },
	config: encoderConfig,
	create({ config: { threads, concurrency, ...kbps }, services: { clock }, onStop }) {
		const pool = new Threads({ ...times, clock, file, threads, concurrency });
		onStop(() => pool.stop());
		return threadedEncoder(pool, concurrency, { mp3: kbps.mp3Kbps, opus: kbps.opusKbps, aac: kbps.aacKbps });
	},
});

/** Samples of MP3, Opus and FLAC for transcription models, and by ffmpeg of others: `{ decoder: audioDecoder() }`. */
export const audioDecoder = defineBackend({
	name: 'audioDecoder',
	provides: audioDecoderService,
	needs: { clock: services.clock },
	config: decoderConfig,
	create({ config: { threads, concurrency, ffmpeg }, services: { clock }, onStop }) {
		const pool = new Threads({ ...times, clock, file, threads, concurrency });
		onStop(() => pool.stop());
		return threadedDecoder(pool, concurrency, ffmpegReader(ffmpeg));
	},
});

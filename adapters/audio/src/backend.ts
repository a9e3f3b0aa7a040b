import { defineBackend, services } from '@plinth/core';
import { audioEncoder as audioEncoderService } from '@plinth/plugin-speech/model';
import { z } from 'zod';
import { ThreadedEncoder } from './encoder.ts';
import { Threads } from './threads.ts';

// Configs in YAML hold `${NAME}`, which arrives as a string.
const number = () => z.coerce.number<number | string>();

const config = z.strictObject({
	/** Bit rate of MP3, in kbit/s: those that MPEG audio has at every sample rate. */
	mp3Kbps: number()
		.pipe(z.literal([32, 40, 48, 64, 80, 96, 112, 128, 160]))
		.default(64),
	/** Mean bit rate of Opus, in kbit/s. */
	opusKbps: number().int().min(6).max(256).default(32),
	/** Mean bit rate of AAC, in kbit/s. */
	aacKbps: number().int().min(24).max(96).default(64),
	/** Maximum number of encoder threads. */
	threads: number().int().min(1).max(16).default(2),
	/** Maximum number of streams encoded concurrently; the others wait. */
	concurrency: number().int().min(1).max(256).default(16),
});

const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const file = new URL(`./worker.${extension}`, import.meta.url);

/**
 * MP3, Opus, AAC and FLAC for speech: `backends: { audio: audioEncoder() }`.
 *
 * Encoders in WebAssembly, in worker threads that start on demand and end after ten idle seconds.
 */
export const audioEncoder = defineBackend({
	name: 'audioEncoder',
	provides: audioEncoderService,
	needs: { clock: services.clock },
	config,
	create({ config: { threads, concurrency, ...kbps }, services: { clock }, onStop }) {
		const pool = new Threads({ clock, file, threads, concurrency, responseTimeoutMs: 30_000, idleMs: 10_000 });
		onStop(() => pool.stop());
		const bitrates = { mp3: kbps.mp3Kbps, opus: kbps.opusKbps, aac: kbps.aacKbps };
		return new ThreadedEncoder(pool, concurrency, bitrates);
	},
});

import { audioDecoder, audioEncoder } from '@plinth/audio';
import { builtin } from '@plinth/builtin';
import { defineConfig, env } from '@plinth/core';
import { documentReader } from '@plinth/documents';
import { fsBlobs } from '@plinth/fs';
import { apiKeys } from '@plinth/keys';
import { memoryEvents } from '@plinth/memory';
import { chat } from '@plinth/plugin-chat';
import { console as consolePage } from '@plinth/plugin-console';
import { events } from '@plinth/plugin-events';
import { files } from '@plinth/plugin-files';
import { image } from '@plinth/plugin-image';
import { parse } from '@plinth/plugin-parse';
import { speech } from '@plinth/plugin-speech';
import { transcription } from '@plinth/plugin-transcription';
import { video } from '@plinth/plugin-video';
import { webhooks } from '@plinth/plugin-webhooks';
import { sharpImages } from '@plinth/sharp';
import { sqliteJobs, sqliteRecords } from '@plinth/sqlite';

const dataDir = env('PLINTH_DATA_DIR', './.plinth');
const file = `${dataDir}/plinth.db`;

/**
 * The composition of `npx plinth`: one process, one data directory, offline.
 *
 * Extend it with `extends: 'plinth:embedded'` and replace or remove parts.
 */
export const embedded = defineConfig({
	server: {
		host: env('HOST', '127.0.0.1'),
		port: env('PORT', '8080'),
		publicUrl: env('PLINTH_PUBLIC_URL', ''),
		authFailuresPerMinute: env('PLINTH_AUTH_FAILURES_PER_MINUTE', '20'),
	},
	log: { level: env('PLINTH_LOG_LEVEL', 'info') },
	role: env('PLINTH_ROLE', 'all'),
	backends: {
		jobs: sqliteJobs({ file }),
		records: sqliteRecords({ file }),
		blobs: fsBlobs({ dir: `${dataDir}/blobs` }),
		events: memoryEvents(),
		images: sharpImages(),
		documents: documentReader(),
		audio: audioEncoder(),
		decoder: audioDecoder(),
		auth: apiKeys({ keys: env('PLINTH_API_KEYS', '') }),
	},
	models: {
		'builtin-video': builtin.video(),
		'builtin-image': builtin.image(),
		'builtin-speech': builtin.speech(),
		'builtin-chat': builtin.chat(),
	},
	plugins: {
		video: video(),
		image: image(),
		speech: speech(),
		transcription: transcription(),
		parse: parse(),
		chat: chat(),
		files: files(),
		events: events(),
		// The commands default PLINTH_CONSOLE to `on`. A program that embeds this composition has its own pages.
		console: consolePage({ page: env('PLINTH_CONSOLE', 'off') as 'off' }),
		webhooks: webhooks({
			allowPrivate: env('PLINTH_WEBHOOK_ALLOW_PRIVATE', 'false'),
			retrySeconds: env('PLINTH_WEBHOOK_RETRY_SECONDS', ''),
		}),
	},
});

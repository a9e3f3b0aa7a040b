import { command } from '@plinth/command';
import { defineConfig } from '@plinth/core';
import { fakeTranscription } from './fake-transcription.ts';

/** The default composition with a speech recogniser from a Debian package, and a quick model that reads all samples. */
export default defineConfig({
	extends: 'plinth:embedded',
	models: {
		sphinx: command.transcription({
			protocol: 'plain',
			argv: ['pocketsphinx_continuous', '-infile', '{audio}', '-logfn', '/dev/null'],
			sampleRate: 16_000,
			languages: ['en'],
		}),
		'hear-1': { use: fakeTranscription(), concurrency: 4 },
	},
});

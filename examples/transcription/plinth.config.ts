import { join } from 'node:path';
import { command } from '@plinth/command';
import { defineConfig } from '@plinth/core';

const argv = ['python3', join(import.meta.dirname, 'hear.py')];
const [languages, timestamps] = [['en'], ['segment' as const, 'word' as const]];

/** The built-in models, and a transcription model: pocketsphinx, a program of Debian. */
export default defineConfig({
	extends: 'plinth:embedded',
	models: { sphinx: command.transcription({ protocol: 'json', argv, sampleRate: 16_000, languages, timestamps }) },
});

import type { SpeechModel } from '@plinth/plugin-speech/model';
import { speechModelSuite } from '@plinth/plugin-speech/testing';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { command } from '../src/index.ts';
import { type Bench, createBench, shell } from './harness.ts';

let bench: Bench;
/** It keeps nothing between its answers. */
let sharedModel: Promise<SpeechModel>;

/** A speaker whose sound is the text itself, over and over. Its first argument is the tempo in percent. */
const speaker = `
cat > said
[ "$1" = 200 ] && times='1 2' || times='1 2 3 4'
for time in $times; do cat said said; sleep 0.01; done
`;

beforeAll(async () => {
	bench = await createBench();
	sharedModel = bench.make(command.speech, {
		protocol: 'plain',
		argv: [...shell(speaker), '{speed}', '{voice}'],
		tempo: 100,
		voices: { ann: 'a', bob: 'b' },
		pcm: { sampleRate: 8_000 },
	});
});

afterAll(() => bench.remove());

describe('a plain program keeps the contract of speech models', () => {
	for (const { name, run } of speechModelSuite({
		create: async () => ({ model: await sharedModel, close: () => bench.clean() }),
		supports: { deterministic: true, speed: true },
	})) {
		test(name, run, 60_000);
	}
});

import type { SpeechModel } from '@plinth/plugin-speech/model';
import { speechModelSuite } from '@plinth/plugin-speech/testing';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { command } from '../src/index.ts';
import { createHarness, type Harness, shell } from './harness.ts';

let harness: Harness;
/** The model has no state between requests. */
let sharedModel: Promise<SpeechModel>;

/** A scripted program whose audio is the text, repeated. Its first argument is the speed in percent. */
const scriptedProgram = `
cat > said
[ "$1" = 200 ] && times='1 2' || times='1 2 3 4'
for time in $times; do cat said said; sleep 0.01; done
`;

beforeAll(async () => {
	harness = await createHarness();
	sharedModel = harness.make(command.speech, {
		protocol: 'plain',
		argv: [...shell(scriptedProgram), '{speed}', '{voice}'],
		tempo: 100,
		voices: { ann: 'a', bob: 'b' },
		pcm: { sampleRate: 8_000 },
	});
});

afterAll(() => harness.remove());

describe('a plain program conforms as a speech model:', () => {
	for (const { name, run } of speechModelSuite({
		create: async () => ({ model: await sharedModel, close: () => harness.clean() }),
		supports: { deterministic: true, speed: true },
	})) {
		test(name, run, 60_000);
	}
});

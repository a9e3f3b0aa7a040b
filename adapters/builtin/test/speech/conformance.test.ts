import { speechModelSuite } from '@plinth/plugin-speech/testing';
import { createModel } from '@plinth/testing';
import { afterAll, test } from 'vitest';
import { builtinSpeech } from '../../src/speech/model.ts';

// The cases share one thread: starting one per case takes longer than the case.
const { model, close } = await createModel(builtinSpeech());
afterAll(close);

for (const { name, run } of speechModelSuite({
	create: async () => ({ model, close: async () => {} }),
	supports: { deterministic: true, speed: true },
})) {
	test(name, run, 60_000);
}

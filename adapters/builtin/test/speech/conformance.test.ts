import { speechModelSuite } from '@plinth/plugin-speech/testing';
import { createModel } from '@plinth/testing';
import { afterAll, test } from 'vitest';
import { builtinSpeech } from '../../src/speech/model.ts';

// Shared by the cases: a thread for each of them would take longer than what it does.
const { model, close } = await createModel(builtinSpeech());
afterAll(close);

for (const { name, run } of speechModelSuite({
	create: async () => ({ model, close: async () => {} }),
	supports: { deterministic: true, speed: true },
})) {
	test(name, run, 60_000);
}

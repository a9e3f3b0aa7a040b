import { join } from 'node:path';
import type { TranscriptionModel } from '@plinth/plugin-transcription/model';
import { transcriptionModelSuite } from '@plinth/plugin-transcription/testing';
import { sherpaOnnx } from '@plinth/sherpa-onnx';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { writeMoonshine, writeSenseVoice, writeWhisper } from '../../../adapters/sherpa-onnx/test/tiny/recognizers.ts';
import { createHarness, type Harness } from './harness.ts';

let harness: Harness;

beforeAll(async () => {
	harness = await createHarness();
});

afterAll(() => harness.remove());

const families = { whisper: writeWhisper, moonshine: writeMoonshine, 'sense-voice': writeSenseVoice };

describe.each(['whisper', 'moonshine', 'sense-voice'] as const)(
	'%s passes the conformance suite of its models',
	(family) => {
		let model: TranscriptionModel;

		beforeAll(async () => {
			const folder = join(harness.dir, family);
			await families[family](folder);
			model = await harness.make(sherpaOnnx.transcription, { folder, family, threads: 1 });
		});

		for (const { name, run } of transcriptionModelSuite({
			create: async () => ({ model, close: async () => {} }),
			supports: { deterministic: true },
		})) {
			test(name, run, 60_000);
		}
	},
);

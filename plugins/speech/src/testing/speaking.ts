import assert from 'node:assert/strict';
import type { ConformanceCase } from '@plinth/testing';
import { audioFormats } from '../formats.ts';
import type { ModelCaseMaker, SpeechModelSuiteOptions } from './subject.ts';

/** Cases about the returned audio. */
export function speakingCases(it: ModelCaseMaker, { supports = {} }: SpeechModelSuiteOptions): ConformanceCase[] {
	return [
		it('the bytes match the declared form: samples, or an encoded file', async (model, caller) => {
			await caller.speech(model);
		}),
		it('each format returns samples or that format, or is rejected with a 4xx status', async (model, caller) => {
			for (const format of audioFormats) await caller.speechUnlessRefused(model, { format });
		}),
		it('concurrent calls do not affect each other', async (model, caller) => {
			const both = await Promise.all([caller.speech(model), caller.speech(model)]);
			if (!supports.deterministic) return;
			assert(both[0].bytes.equals(both[1].bytes), 'the bytes differ');
		}),
		...(supports.deterministic
			? [
					it('equal requests get equal bytes', async (model, caller) => {
						const [first, second] = [await caller.speech(model), await caller.speech(model)];
						assert(first.bytes.equals(second.bytes), 'the bytes differ');
					}),
				]
			: []),
	];
}

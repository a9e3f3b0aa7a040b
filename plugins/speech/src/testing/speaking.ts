import assert from 'node:assert/strict';
import type { ConformanceCase } from '@plinth/testing';
import { audioFormats } from '../formats.ts';
import type { ModelCaseMaker, SpeechModelSuiteOptions } from './subject.ts';

/** What comes back. */
export function speakingCases(it: ModelCaseMaker, { supports = {} }: SpeechModelSuiteOptions): ConformanceCase[] {
	return [
		it('speech is bytes of what it says it is: samples in whole frames, or an encoded file', async (model, caller) => {
			await caller.speech(model);
		}),
		it('every format gets samples or that format, or is refused with a status of 400 to 499', async (model, caller) => {
			for (const format of audioFormats) await caller.speechUnlessRefused(model, { format });
		}),
		it('two at the same time do not affect each other', async (model, caller) => {
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

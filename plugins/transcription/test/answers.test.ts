import { jsonOf } from '@plinth/testing';
import { describe, expect, it } from 'vitest';
import { all, defaultResult, harness, wav } from './harness.ts';

describe('a response', () => {
	it('has the text and the usage by default: the duration of the file in seconds, rounded up', async () => {
		const h = await harness();
		const response = await h.hear({ file: wav({ data: new Uint8Array(64_002) }) });
		expect(await jsonOf(response)).toEqual({ text: defaultResult.text, usage: { type: 'duration', seconds: 3 } });
		expect(response.headers.get('x-plinth-model')).toBe('fake-1');
	});

	it('has the tokens that the model counted', async () => {
		const usage = { inputTokens: 20, outputTokens: 3 };
		const h = await harness({ transcribe: async () => ({ ...defaultResult, usage }) });
		const counted = { type: 'tokens', input_tokens: 20, output_tokens: 3, total_tokens: 23 };
		expect(await jsonOf(await h.hear())).toEqual({ text: defaultResult.text, usage: counted });
	});

	it('may be plain text', async () => {
		const h = await harness();
		const response = await h.hear({ response_format: 'text' });
		expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
		expect(await response.text()).toBe('Hello there. Good-bye.\n');
		expect(h.calls[0]?.request.timestamps).toEqual([]);
	});

	it('may be subtitles, which require segments', async () => {
		const h = await harness();
		const times = '00:00:00,000 --> 00:00:01,250\nHello there.\n\n2\n00:00:01,250 --> 01:01:01,500\nGood-bye.\n';
		expect(await (await h.hear({ response_format: 'srt' })).text()).toBe(`1\n${times}`);
		const response = await h.hear({ response_format: 'vtt' });
		expect(response.headers.get('content-type')).toBe('text/vtt; charset=utf-8');
		expect(await response.text()).toBe(`WEBVTT\n\n${times.replace('\n2\n', '\n').replaceAll(',', '.')}`);
		expect(h.calls.map(({ request }) => request.timestamps)).toEqual([['segment'], ['segment']]);
	});

	it('escapes text that would end or begin a subtitle', async () => {
		const segments = [{ start: 0, end: 1, text: 'a\n\n2\n00:00 --> 00:01 <b> & c' }];
		const h = await harness({ transcribe: async () => ({ text: '', segments }) });
		expect(await (await h.hear({ response_format: 'srt' })).text()).toMatch(/\na 2 00:00 -> 00:01 <b> & c\n$/);
		const vtt = await (await h.hear({ response_format: 'vtt' })).text();
		expect(vtt).toMatch(/\na 2 00:00 -&gt; 00:01 &lt;b&gt; &amp; c\n$/);
	});

	it('has segments as verbose_json, and words when requested', async () => {
		const h = await harness();
		const verbose = await jsonOf<{ segments: object[] }>(await h.hear({ response_format: 'verbose_json' }));
		expect(verbose).toEqual({
			task: 'transcribe',
			language: 'english',
			duration: 2,
			text: defaultResult.text,
			segments: [expect.anything(), expect.anything()],
			usage: { type: 'duration', seconds: 2 },
		});
		expect(verbose.segments[0]).toEqual({
			...{ id: 0, seek: 0, start: 0, end: 1.25, text: ' Hello there.', tokens: [], temperature: 0 },
			...{ avg_logprob: -0.5, no_speech_prob: 0.25, compression_ratio: expect.closeTo(0.62, 1) },
		});
		const words = { response_format: 'verbose_json', 'timestamp_granularities[]': ['word'] };
		const answer = await jsonOf(await h.hear(words));
		expect(answer).toMatchObject({ words: defaultResult.words });
		expect(answer).not.toHaveProperty('segments');
		const both = await h.hear({ ...words, 'timestamp_granularities[]': ['word', 'segment'] });
		expect(await jsonOf(both)).toMatchObject({ words: defaultResult.words, segments: [{ id: 0 }, { id: 1 }] });
		expect(h.calls.map(({ request }) => request.timestamps)).toEqual([['segment'], ['word'], ['word', 'segment']]);
	});

	it('has the language that the client named, or none', async () => {
		const h = await harness({ transcribe: async () => ({ text: 'x' }) });
		const verbose = { response_format: 'verbose_json' };
		expect(await jsonOf(await h.hear({ ...verbose, language: 'DE-at' }))).toMatchObject({ language: 'german' });
		expect(await jsonOf(await h.hear(verbose))).toMatchObject({ language: 'unknown' });
		expect(h.calls[0]?.request.language).toBe('de');
	});

	it('is a translation into English when the model translates', async () => {
		const h = await harness();
		const answer = await jsonOf(await h.translate({ response_format: 'verbose_json' }));
		expect(answer).toMatchObject({ task: 'translate', language: 'english' });
		expect(h.calls[0]?.request.task).toBe('translate');
	});

	it('has warnings about parameters without effect', async () => {
		const h = await harness({ transcribe: async () => ({ text: 'x', warnings: ['prompt: ignored.'] }) });
		const fields = {
			'include[]': 'logprobs',
			'chunking_strategy[type]': 'server_vad',
			'timestamp_granularities[]': 'word',
			'keywords[]': 'Plinth',
			prompt: 'x',
		};
		const { warnings } = await jsonOf<{ warnings: string[] }>(await h.hear(fields));
		expect(warnings.map((warning) => warning.split(':')[0])).toEqual([
			'include',
			'chunking_strategy',
			'timestamp_granularities',
			'prompt',
			'keywords',
		]);
		expect(await jsonOf(await h.hear({ chunking_strategy: 'auto' }))).toMatchObject({ warnings: ['prompt: ignored.'] });
	});

	it('has no segments and a warning when the model returns none', async () => {
		const h = await harness({ abilities: { ...all, segments: false } });
		const answer = await jsonOf(await h.hear({ response_format: 'verbose_json' }));
		expect(answer).toMatchObject({ warnings: ['timestamp_granularities: the model returns no times of segments.'] });
		expect(answer).not.toHaveProperty('segments');
	});

	it('comes from a model that received all parameters of the client', async () => {
		const h = await harness();
		await h.hear({ language: 'en', prompt: 'Plinth', temperature: '0.2' });
		await h.hear({ language: '', prompt: '', temperature: '0' });
		const { audio, ...task } = h.calls[0]?.request ?? {};
		expect(task).toEqual({ task: 'transcribe', language: 'en', prompt: 'Plinth', temperature: 0.2, timestamps: [] });
		expect(audio).toMatchObject({ container: 'wav', mediaType: 'audio/wav', name: 'audio.wav', size: 64_044 });
		const { audio: _, ...second } = h.calls[1]?.request ?? {};
		expect(second).toEqual({ task: 'transcribe', temperature: 0, timestamps: [] });
	});
});

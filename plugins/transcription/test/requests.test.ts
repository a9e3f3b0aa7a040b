import { errorOf, jsonOf } from '@plinth/testing';
import { describe, expect, it } from 'vitest';
import { storedFiles } from '../../../test/support/stored-files.ts';
import { all, counting, harness, wav } from './harness.ts';

const good = wav();
const file = Buffer.from(good);

describe('a file', () => {
	it('may be a stored file', async () => {
		const h = await harness({ backends: { files: storedFiles({ talk: good }) }, transcribe: counting() });
		expect(await jsonOf(await h.hear({ file_id: 'talk' }))).toMatchObject({ text: '32000' });
	});

	it.each<readonly [string, Record<string, string | Uint8Array | Uint8Array[]>, string, string]>([
		['neither', { file: [] }, 'missing_required_parameter', 'file'],
		['both', { file, file_id: 'talk', 'x[]': 'y' }, 'invalid_value', 'file_id'],
		['two', { file: [file, file] }, 'invalid_type', 'file'],
		['a text', { file: 'RIFF' }, 'invalid_type', 'file'],
		['no sound', { file: Buffer.from('<html>') }, 'invalid_value', 'file'],
		['a picture', { file: Buffer.from('\x89PNG\r\n\x1a\n', 'latin1') }, 'invalid_value', 'file'],
		['AAC without a container', { file: Buffer.from('\xff\xf1\x50\x80', 'latin1') }, 'invalid_value', 'file'],
		['an empty one', { file: Buffer.alloc(0) }, 'invalid_value', 'file'],
		['a WAV file that is cut in its head', { file: file.subarray(0, 30) }, 'invalid_value', 'file'],
		['a WAV file without samples', { file: wav({ data: new Uint8Array(0) }) }, 'invalid_value', 'file'],
		['a WAV file of nine channels', { file: wav({ channels: 9 }) }, 'invalid_value', 'file'],
		['a WAV file of no rate', { file: wav({ sampleRate: 0 }) }, 'invalid_value', 'file'],
		['an unknown one', { file_id: 'nothing' }, 'invalid_value', 'file_id'],
		['a stored text', { file_id: 'text' }, 'invalid_value', 'file_id'],
	])('that is %s is rejected with its parameter', async (_, fields, code, param) => {
		const h = await harness({ backends: { files: storedFiles({ talk: good, text: 'no sound' }) } });
		const sent = fields.file_id && fields.file ? new FormData() : undefined;
		sent?.append('model', 'fake-1');
		sent?.append('file_id', 'talk');
		sent?.append('file', new Blob([Uint8Array.from(good)]), 'a.wav');
		const response = sent ? await h.form('/v1/audio/transcriptions', sent) : await h.hear(fields);
		expect(await errorOf(response)).toMatchObject({ status: 400, code, param });
		expect(h.calls).toEqual([]);
	});

	it('that is truncated is transcribed up to its end', async () => {
		const h = await harness({ transcribe: counting() });
		expect(await jsonOf(await h.hear({ file: file.subarray(0, 44 + 32_001) }))).toMatchObject({ text: '16000' });
	});

	it('has at most 25 MB, or the limit of the config', async () => {
		const large = wav({ data: new Uint8Array(27_262_976) });
		const h = await harness();
		expect(await errorOf(await h.hear({ file: large }))).toMatchObject({ status: 413, code: 'request_too_large' });
		const larger = await harness({ options: { maxFileBytes: 30_000_000 }, transcribe: counting() });
		expect(await jsonOf(await larger.hear({ file: large }))).toMatchObject({ text: '13631488' });
		const smaller = await harness({
			options: { maxFileBytes: 1_000 },
			backends: { files: storedFiles({ talk: good }) },
		});
		expect(await errorOf(await smaller.hear())).toMatchObject({ status: 413 });
		expect(await errorOf(await smaller.hear({ file_id: 'talk' }))).toMatchObject({ status: 400, param: 'file_id' });
	});

	it('that is stored requires a server that stores files', async () => {
		const h = await harness();
		const failure = await errorOf(await h.hear({ file_id: 'talk' }));
		expect(failure).toMatchObject({ status: 400, code: 'unsupported_value', param: 'file_id' });
	});
});

describe('a request is rejected', () => {
	it.each<readonly [Record<string, string>, string, string]>([
		[{ response_format: 'xml' }, 'invalid_value', 'response_format'],
		[{ response_format: 'diarized_json' }, 'unsupported_value', 'response_format'],
		[{ language: 'english please' }, 'invalid_value', 'language'],
		[{ temperature: '1.5' }, 'decimal_above_max_value', 'temperature'],
		[{ temperature: 'warm' }, 'invalid_type', 'temperature'],
		[{ stream: 'perhaps' }, 'invalid_type', 'stream'],
		[{ stream: 'true', response_format: 'srt' }, 'unsupported_value', 'stream'],
		[{ 'timestamp_granularities[]': 'letter' }, 'invalid_value', 'timestamp_granularities[0]'],
		[{ 'include[]': 'everything' }, 'invalid_value', 'include[0]'],
		[{ prompt: 'x'.repeat(32_001) }, 'string_above_max_length', 'prompt'],
		[{ model: '' }, 'string_below_min_length', 'model'],
	])('with %j', async (fields, code, param) => {
		const h = await harness();
		expect(await errorOf(await h.hear(fields))).toMatchObject({ status: 400, code, param });
		expect(h.calls).toEqual([]);
	});

	it.each<readonly [Record<string, string>, string]>([
		[{ language: 'fr' }, 'language'],
		[{ response_format: 'srt' }, 'response_format'],
		[{ response_format: 'vtt' }, 'response_format'],
		[{ response_format: 'verbose_json', 'timestamp_granularities[]': 'word' }, 'timestamp_granularities'],
		[{ response_format: 'verbose_json', 'timestamp_granularities[]': 'segment' }, 'timestamp_granularities'],
	])('with a parameter that the model does not support: %j', async (fields, param) => {
		const h = await harness({ abilities: { languages: ['en', 'de'] } });
		const failure = await errorOf(await h.hear(fields));
		expect(failure).toMatchObject({ status: 400, code: 'unsupported_value', param });
		expect(failure.message).toContain('fake-1');
	});

	it('for a translation by a model that does not translate', async () => {
		const h = await harness({ abilities: { ...all, translate: false } });
		const failure = await errorOf(await h.translate());
		expect(failure).toMatchObject({ status: 400, code: 'unsupported_value', param: 'model' });
	});

	it('for an unknown model', async () => {
		const h = await harness();
		const failure = await errorOf(await h.hear({ model: 'whisper-1' }));
		expect(failure).toMatchObject({ status: 404, code: 'model_not_found' });
		expect(failure.message).toContain('fake-1');
	});

	it('as JSON, and without its scope', async () => {
		const h = await harness();
		const json = await h.post('/v1/audio/transcriptions', { model: 'fake-1' });
		expect(await errorOf(json)).toMatchObject({ status: 415 });
		expect(await errorOf(await h.hear({}, { key: 'alice.speech' }))).toMatchObject({ status: 403 });
	});
});

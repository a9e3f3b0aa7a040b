import { describe, expect, test } from 'vitest';
import { openai } from '../src/index.ts';

const baseURL = 'http://127.0.0.1:8000/v1';

/** The paths of the invalid options. */
function faults(kind: keyof typeof openai, options: object): string[] {
	const { config } = openai[kind].definition;
	const { error } = config.safeParse(options);
	return (error?.issues ?? []).map(({ path, code }) => path.join('.') || code);
}

describe('options', () => {
	const kinds = ['chat', 'image', 'speech', 'video'] as const;

	test.each(kinds)('of %s have only one required member, the base URL', (kind) => {
		expect(faults(kind, { baseURL })).toEqual([]);
		expect(faults(kind, {})).toEqual(['baseURL']);
	});

	test.each(kinds)('of %s reject unknown members', (kind) => {
		expect(faults(kind, { baseURL, baseUrl: 'x' })).toEqual(['unrecognized_keys']);
	});

	test.each([
		['an address that is none', { baseURL: 'gpu-1:8000' }, 'baseURL'],
		['another scheme', { baseURL: 'file:///etc' }, 'baseURL'],
		['a password in the address', { baseURL: 'http://me:secret@gpu/v1' }, 'baseURL'],
		['a question in the address', { baseURL: 'http://gpu/v1?key=1' }, 'baseURL'],
		['a key with a line end', { apiKey: 'a\nb' }, 'apiKey'],
		['a header with a line end', { headers: { a: 'b\r\nc: d' } }, 'headers.a'],
		['the name of a header with a space', { headers: { 'a b': 'c' } }, 'headers.a b'],
		['a server that does not do this', { dialect: 'comfyui' }, 'dialect'],
		['no time at all', { timeoutSeconds: 0 }, 'timeoutSeconds'],
		['files for a server that accepts none', { dialect: 'ollama', files: ['text/plain'] }, 'files'],
		['audio for a server that accepts none', { dialect: 'sglang', audio: true }, 'audio'],
	])('with %s are rejected', (_, options, place) => {
		expect(faults('chat', { baseURL, ...options })).toEqual([place]);
	});

	test('for servers without that kind of model are rejected', () => {
		expect(faults('video', { baseURL, dialect: 'sdcpp' })).toEqual(['dialect']);
		expect(faults('speech', { baseURL, dialect: 'llamacpp' })).toEqual(['dialect']);
		expect(faults('image', { baseURL, dialect: 'ollama' })).toEqual(['dialect']);
		expect(faults('chat', { baseURL, dialect: 'sdcpp' })).toEqual(['dialect']);
	});

	test('may be strings, as variables in YAML are', () => {
		const options = { baseURL, timeoutSeconds: '30', retries: '0', images: 'true', tools: 'false' };
		const parsed = openai.chat.definition.config.parse(options);
		expect(parsed).toMatchObject({ timeoutSeconds: 30, retries: 0, images: true, tools: false });
		const video = openai.video.definition.config.parse({ baseURL, pollSeconds: '0.5' });
		expect(video).toMatchObject({ pollSeconds: 0.5, timeoutSeconds: 1_800 });
	});

	test('may end the base URL with a slash', () => {
		const parsed = openai.image.definition.config.parse({
			baseURL: `${baseURL}//`,
			sizes: ['64x96'],
		});
		expect(parsed).toMatchObject({ baseURL, sizes: [{ width: 64, height: 96 }] });
	});
});

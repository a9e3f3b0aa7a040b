import { describe, expect, test } from 'vitest';
import { callOf, formOf, problemOf } from '../client/src/views/playground/call/call.ts';
import { embedded, messagesOf } from '../client/src/views/playground/chat/messages.ts';
import { warningsIn } from '../client/src/views/playground/desk/warnings.ts';
import { offersOf } from '../client/src/views/playground/spec/capabilities.ts';
import { fieldsForModel } from '../client/src/views/playground/spec/facts.ts';
import { fieldsOf } from '../client/src/views/playground/spec/fields.ts';

const document = {
	paths: {
		'/v1/videos': {
			post: {
				requestBody: {
					content: {
						'application/json': { schema: { properties: { prompt: { type: 'string' } } } },
						'multipart/form-data': { schema: { $ref: '#/components/schemas/Video' } },
					},
				},
			},
		},
		'/v1/audio/transcriptions': { post: {} },
	},
	components: {
		schemas: {
			Video: {
				required: ['prompt', 'voice'],
				properties: {
					prompt: { type: 'string', description: 'What the `video` shows.' },
					voice: { anyOf: [{ type: 'string' }, { type: 'object' }] },
					seconds: { type: ['string', 'null'], enum: ['2', '4', '8', null], default: '4' },
					size: { type: 'string', default: 'auto', examples: ['auto', '64x64'] },
					output_format: { type: 'string', enum: ['png', 'webp'], default: 'png' },
					n: { type: ['integer', 'null'], minimum: 1, maximum: 10, default: 1 },
					stream: { type: 'boolean', default: false },
					words: { type: 'array', items: { enum: ['word', 'segment'], type: 'string' } },
					image: {
						description: 'The pictures. Files in multipart bodies. PNG only.',
						oneOf: [
							{ type: 'string', format: 'binary' },
							{ type: 'array', items: { type: 'string', format: 'binary' } },
						],
					},
					tools: { type: 'array', items: { type: 'object' } },
					background: { type: 'string', enum: ['auto', 'transparent'], default: 'auto' },
				},
			},
		},
	},
} as const;

const fields = fieldsOf(document, '/v1/videos');
const fieldNamed = (name: string, of = fields) => of.find((field) => field.name === name);
const capability = { path: '/v1/videos', isUpload: false };

describe('the fields of a schema', () => {
	test('have the easiest control for what they may be', () => {
		const kinds = Object.fromEntries(fields.map(({ name, kind }) => [name, kind]));
		expect(kinds).toEqual({
			prompt: 'text',
			voice: 'text',
			seconds: 'choice',
			size: 'text',
			output_format: 'choice',
			n: 'number',
			stream: 'check',
			words: 'checks',
			image: 'file',
			tools: 'json',
			background: 'choice',
		});
	});

	test('know what is required, the bounds, the options and the default', () => {
		expect(fieldNamed('prompt')).toMatchObject({ required: true, hint: 'What the video shows.' });
		expect(fieldNamed('seconds')).toMatchObject({ required: false, options: ['2', '4', '8'], fallback: '4' });
		expect(fieldNamed('n')).toMatchObject({ minimum: 1, maximum: 10, fallback: 1 });
		expect(fieldNamed('size')?.suggestions).toEqual(['auto', '64x64']);
		expect(fieldNamed('image')).toMatchObject({ isMultiple: true, hint: 'The pictures. PNG only.' });
	});

	test('are none where the server does not offer the route', () => {
		expect(fieldsOf(document, '/v1/audio/transcriptions')).toEqual([]);
		expect(fieldsOf(document, '/v1/none')).toEqual([]);
	});

	test('offer what the model can do, and the first of it where it cannot do the default', () => {
		const facts = { sizes: ['64x64'], seconds: [2, 8], voices: ['nova'], formats: ['webp', 'gif'] };
		const fit = fieldsForModel(fields, { ...facts, transparent_background: false, words: false });
		expect(fieldNamed('seconds', fit)).toMatchObject({ options: ['2', '8'], fallback: '2' });
		expect(fieldNamed('size', fit)).toMatchObject({ kind: 'choice', options: ['auto', '64x64'], fallback: 'auto' });
		expect(fieldNamed('voice', fit)).toMatchObject({ kind: 'choice', options: ['nova'] });
		expect(fieldNamed('output_format', fit)).toMatchObject({ options: ['webp'], fallback: 'webp' });
		expect(fieldNamed('background', fit)).toMatchObject({ options: ['auto'] });
	});
});

test('a capability is offered with its route and a model that is able to', () => {
	const models = [
		{ id: 'clip-1', kind: 'video' },
		{ id: 'ear-1', kind: 'transcription' },
	];
	const offers = offersOf(document, models).map(({ capability: { id }, models: able }) => [id, able.length]);
	expect(offers).toEqual([['video', 1]]);
	expect(offersOf(document, [])).toEqual([]);
});

describe('the call of a form', () => {
	const call = (values: Parameters<typeof callOf>[2]['values'], files = {}, of = fields) =>
		callOf(capability, of, { values, files });

	test('has what was entered, in the type of its parameter, and nothing else', () => {
		const values = { prompt: ' a ', n: '3', stream: false, tools: '[{"a":1}]', words: ['word'], seconds: '' };
		expect(call(values)).toMatchObject({
			path: '/v1/videos',
			encoding: 'json',
			fields: { prompt: ' a ', n: 3, stream: false, tools: [{ a: 1 }], words: ['word'] },
			files: [],
			defaults: { seconds: '4' },
		});
	});

	test('leaves what is no number to the server, and stops at what is no JSON', () => {
		expect(call({ n: 'many' }).fields).toEqual({ n: 'many' });
		expect(problemOf(fields, { tools: '[' })).toMatchObject({ param: 'tools', message: 'This is not JSON.' });
		expect(problemOf(fields, { tools: '' })).toBeUndefined();
	});

	test('chooses a required option where nothing is chosen, and forgets one of another model', () => {
		const fit = fieldsForModel(fields, { voices: ['nova', 'onyx'] });
		expect(call({}, {}, fit).fields).toEqual({ voice: 'nova' });
		expect(call({ voice: 'onyx' }, {}, fit).fields).toEqual({ voice: 'onyx' });
		expect(call({ voice: 'gone' }, {}, fit).fields).toEqual({ voice: 'nova' });
	});

	test('becomes multipart with files, and lists are repeated', async () => {
		const files = { image: [new File(['1'], 'a.png'), new File(['2'], 'b.png')] };
		const made = call({ prompt: 'x', words: ['word', 'segment'], n: '2' }, files);
		expect(made.encoding).toBe('form');
		const sent = [...formOf(made)].map(([name, value]) => [name, typeof value === 'string' ? value : value.name]);
		expect(sent).toEqual([
			['prompt', 'x'],
			['n', '2'],
			['words[]', 'word'],
			['words[]', 'segment'],
			['image[]', 'a.png'],
			['image[]', 'b.png'],
		]);
	});
});

describe('the messages of a chat', () => {
	const read = async (file: File) => Buffer.from(await file.arrayBuffer()).toString('base64');

	test('have all turns that were answered, and files as the model takes them', async () => {
		const picture = new File(['p'], 'a.png', { type: 'image/png' });
		const sound = new File(['s'], 'a.mp3', { type: 'audio/mpeg' });
		const odd = new File(['o'], 'odd', { type: 'text/html;charset="' });
		const before = [
			{ text: 'one', files: [], answer: 'two' },
			{ text: 'lost', files: [], answer: '' },
		];
		const sent = await embedded(
			messagesOf(before, { text: 'now', files: [picture, sound, odd] }, { images: true }),
			read,
		);
		expect(sent).toEqual([
			{ role: 'user', content: 'one' },
			{ role: 'assistant', content: 'two' },
			{
				role: 'user',
				content: [
					{ type: 'text', text: 'now' },
					{ type: 'image_url', image_url: { url: 'data:image/png;base64,cA==' } },
					{ type: 'input_audio', input_audio: { data: 'cw==', format: 'mp3' } },
					{ type: 'file', file: { filename: 'odd', file_data: 'data:application/octet-stream;base64,bw==' } },
				],
			},
		]);
	});

	test('have pictures as documents where the model sees none', async () => {
		const picture = new File(['p'], 'a.png', { type: 'image/png' });
		const [sent] = messagesOf([], { text: '', files: [picture] }, { images: false });
		expect(await embedded(sent ?? null, read)).toEqual({
			role: 'user',
			content: [{ type: 'file', file: { filename: 'a.png', file_data: 'data:image/png;base64,cA==' } }],
		});
	});
});

test('the header with warnings is read, and a broken one is no error', () => {
	expect(warningsIn('["one","t\\u00e4t",3]')).toEqual(['one', 'tät']);
	for (const broken of [null, '', '{', '{"a":1}', 'null']) expect(warningsIn(broken)).toEqual([]);
});

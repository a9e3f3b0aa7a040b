import { describe, expect, it } from 'vitest';
import { audioFormats } from '../src/formats.ts';
import { harness } from './harness.ts';

interface Schema {
	readonly required?: readonly string[];
	readonly properties?: Readonly<Record<string, unknown>>;
}
interface Document {
	readonly paths: Readonly<
		Record<string, { readonly post?: { readonly responses: Readonly<Record<string, Answer>> } }>
	>;
	readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}
interface Answer {
	readonly content?: Readonly<Record<string, unknown>>;
}

describe('the OpenAPI description', () => {
	it('documents the fields and the responses', async () => {
		const { app } = await harness();
		const { paths, components } = app.openapi() as Document;
		const { required = [], properties = {} } = components.schemas.SpeechCreate ?? {};
		expect([...required].sort()).toEqual(['input', 'model', 'voice']);
		expect(properties).toMatchObject({
			input: { type: 'string', minLength: 1, maxLength: 4096 },
			response_format: { enum: [...audioFormats, null], default: 'mp3' },
			speed: { type: ['number', 'null'], minimum: 0.25, maximum: 4, default: 1 },
			stream_format: { enum: ['audio', 'sse', null], default: 'audio' },
		});
		const { responses = {} } = paths['/v1/audio/speech']?.post ?? {};
		expect(Object.keys(responses['200']?.content ?? {})).toEqual(
			expect.arrayContaining(['audio/wav', 'audio/pcm', 'audio/mpeg', 'text/event-stream']),
		);
		expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '401', '403', '404', '415', '502']));
	});
});

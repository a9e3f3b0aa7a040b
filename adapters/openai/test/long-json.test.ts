import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyText } from '../../../test/support/characters.ts';
import { LongJson } from '../src/upstream/long-json.ts';

describe('the parser of JSON with long strings', () => {
	test('returns the same value as JSON.parse', () => {
		const piece = anyText({ minLength: 1, maxLength: 20 });
		fc.assert(
			fc.property(fc.json({ maxDepth: 2 }), piece, (json, piece) => {
				const text = piece.repeat(17_000 / piece.length);
				const whole = `{"before":${json},"text":${JSON.stringify(text)},"after":${json}}`;
				const read = new LongJson(Buffer.from(whole));
				const { before, after, text: place } = read.value as Record<string, unknown>;
				expect([before, after]).toEqual([JSON.parse(json), JSON.parse(json)]);
				expect(read.text(place) === text).toBe(true);
			}),
			{ numRuns: 40 },
		);
	});

	test('decodes strings that are longer than one slice', async () => {
		const bytes = Buffer.alloc(7_000_000, 'some bytes and others');
		const read = new LongJson(Buffer.from(JSON.stringify([bytes.toString('base64')])));
		const [place] = read.value as unknown[];
		expect((await read.bytes(place))?.equals(bytes)).toBe(true);
	});

	test('resolves only its own references', async () => {
		const read = new LongJson(Buffer.from('{"a":{"$long":0},"b":7,"c":null}'));
		for (const value of Object.values(read.value as object)) {
			expect(read.text(value)).toBeUndefined();
			expect(await read.bytes(value)).toBeUndefined();
		}
	});

	test('rejects JSON whose other content is too long', () => {
		const many = Buffer.from(`[${'{},'.repeat(1_400_000)}{}]`);
		expect(() => new LongJson(many)).toThrow(SyntaxError);
		const long = JSON.stringify(['x'.repeat(5_000_000)]);
		expect(() => new LongJson(Buffer.from(long))).not.toThrow();
	});

	test.each(['{"a":"', '"', '{"a":"\\"}', '[1', ''])('rejects invalid JSON: %s', (text) => {
		expect(() => new LongJson(Buffer.from(text))).toThrow(SyntaxError);
	});
});

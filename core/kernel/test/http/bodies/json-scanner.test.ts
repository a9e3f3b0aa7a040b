import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../../../../test/support/characters.ts';
import { hasPrototypeKey } from '../../../src/http/bodies/json/json.ts';
import { JsonScanner } from '../../../src/http/bodies/json/scanner.ts';

const bounds = { depth: 8, keys: 40, values: 100 };

/** Splits bytes at the given positions. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
	const sorted = [0, ...places.map((at) => at % (bytes.length + 1)), bytes.length];
	sorted.sort((a, b) => a - b);
	return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end));
}

function scan(chunks: readonly Buffer[], limits = bounds) {
	const scanner = new JsonScanner(limits);
	return chunks.map((chunk) => scanner.push(chunk)).find((excess) => excess !== undefined);
}

/** Counts the same as the scan, by walking through the parsed value. */
function measure(value: unknown): { depth: number; keys: number; values: number } {
	if (typeof value !== 'object' || value === null) return { depth: 0, keys: 0, values: 1 };
	const members = Object.values(value).map(measure);
	const sum = (name: 'keys' | 'values') => members.reduce((total, each) => total + each[name], 0);
	return {
		depth: 1 + Math.max(0, ...members.map(({ depth }) => depth)),
		keys: sum('keys') + (Array.isArray(value) ? 0 : members.length),
		values: 1 + sum('values') + (members.length === 0 ? 1 : 0),
	};
}

const places = fc.array(fc.nat(), { maxLength: 20 });
const strings = fc.oneof(
	anyText(),
	fc.stringMatching(/^[\\"[\]{},:u0-9 ]{0,40}$/),
	// Longer than the length from which the scan searches a string.
	fc.tuple(fc.nat({ max: 300 }), fc.string()).map(([count, end]) => '\\"a'.repeat(count) + end),
	fc.tuple(fc.nat({ max: 300 }), fc.string()).map(([count, end]) => 'x'.repeat(count) + end),
);
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
	tree: fc.oneof(
		{ maxDepth: 10, depthSize: 'large' },
		strings,
		fc.constantFrom(null, true, 0, -1.5e300, 1e21),
		fc.array(tie('tree'), { maxLength: 6 }),
		fc.dictionary(strings, tie('tree'), { maxKeys: 6 }),
	),
}));
const indents = fc.constantFrom(undefined, 1, '\t\r\n ');

describe('a scan', { timeout: 30_000 }, () => {
	it('counts the same as a parser, for any split of the bytes', () => {
		fc.assert(
			fc.property(tree, indents, places, (value, indent, at) => {
				const text = JSON.stringify(value, null, indent as number);
				const measured = measure(JSON.parse(text));
				const chunks = cut(Buffer.from(text), at);
				expect(scan(chunks, measured)).toBeUndefined();
				for (const name of ['depth', 'keys', 'values'] as const) {
					// A text has at least one value.
					if (measured[name] === (name === 'values' ? 1 : 0)) continue;
					expect(scan(chunks, { ...measured, [name]: measured[name] - 1 })).toBe(name);
				}
			}),
			{ numRuns: 1_000 },
		);
	});

	it.each<[string, string, string | undefined]>([
		['brackets in strings', '["[[[[[[[[[[[[","]]]\\"{{{{{{{{{{{"]', undefined],
		['eight levels', `${'['.repeat(8)}${']'.repeat(8)}`, undefined],
		['nine levels', '{"a":'.repeat(9), 'depth'],
		['many levels that are closed again', `[${'[],'.repeat(30)}[]]`, undefined],
		['a long array', '[1,'.padEnd(300, '1,'), 'values'],
		['a long object', '{'.padEnd(400, '"a":1,'), 'keys'],
		['an endless string of backslashes', `"${'\\'.repeat(100_001)}[[[[[[[[[[[[`, undefined],
		['as many backslashes, and one more', `"${'\\'.repeat(100_002)}"[[[[[[[[[[[[`, 'depth'],
	])('handles %s', (_, text, excess) => {
		const bytes = Buffer.from(text);
		expect(scan([bytes])).toBe(excess);
		expect(scan([...bytes].map((byte) => Buffer.of(byte)))).toBe(excess);
	});

	it('of any bytes stops before the parser gets much work', () => {
		const piece = fc.constantFrom('[', '{', ']', '}', ',', ':', '"', '\\', '1', ' ', '"a":', '[]');
		fc.assert(
			fc.property(fc.array(piece, { maxLength: 400 }), places, (pieces, at) => {
				const text = pieces.join('');
				if (scan(cut(Buffer.from(text), at)) !== undefined) return;
				let value: unknown;
				try {
					value = JSON.parse(text);
				} catch {
					return;
				}
				expect(measure(value).depth).toBeLessThanOrEqual(bounds.depth);
				expect(measure(value).values).toBeLessThanOrEqual(bounds.values);
			}),
			{ numRuns: 1_000 },
		);
	});
});

describe('a parsed value', () => {
	it.each([
		['{"a":[{"__proto__":1}]}', true],
		['[[{"constructor":{"prototype":null}}]]', true],
		['{"constructor":"prototype"}', false],
		['{"constructor":{"name":"prototype"}}', false],
		['{"prototype":{"constructor":1}}', false],
		['{"constructor":[{"prototype":1}]}', false],
		['null', false],
	])('%s reaches a prototype: %s', (text, poisoned) => {
		expect(hasPrototypeKey(JSON.parse(text))).toBe(poisoned);
	});
});

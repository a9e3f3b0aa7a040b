import { describe, expect, test } from 'vitest';
import { withFirstPage } from '../client/src/api/pages.ts';
import { bytesText, secondsText, spanText } from '../client/src/format.ts';
import { formOf, previewKind, textOf } from '../client/src/views/files/file.ts';
import { changesOf, outcomeOf } from '../client/src/views/webhooks/webhook.ts';

const items = (...ids: readonly string[]) => ids.map((id) => ({ id }));

describe('a first page that was loaded again', () => {
	test.each([
		['keeps what stands behind it', items('4', '3'), true, ['4', '3', '2', '1'], false],
		['drops what was deleted within it', items('5', '2'), true, ['5', '2', '1'], false],
		['takes the place of all when it is wholly new', items('9', '8'), true, ['9', '8'], true],
		['is the whole list when nothing follows', items('4'), false, ['4'], false],
		['empties the list', items(), false, [], false],
	] as const)('%s', (_name, data, has_more, ids, hasMore) => {
		const merged = withFirstPage(items('4', '3', '2', '1'), false, { data, has_more });
		expect([merged.items.map(({ id }) => id), merged.hasMore]).toEqual([ids, hasMore]);
	});
});

describe('numbers as texts', () => {
	test.each([
		[0.0123, '12 ms'],
		[0.9996, '1 s'],
		[59.4, '59 s'],
		[60, '1 min'],
		[185, '3 min 5 s'],
		[7_800, '2 h 10 min'],
		[180_000, '2 d 2 h'],
		[-1, '0 ms'],
	])('%d seconds', (seconds, text) => {
		expect(spanText(seconds)).toBe(text);
	});

	test('whole seconds never are 0 ms', () => {
		expect([secondsText(0), secondsText(3)]).toEqual(['under 1 s', '3 s']);
	});

	test.each([
		[0, '0 B'],
		[999, '999 B'],
		[1_500, '1.5 KB'],
		[9_960, '10 KB'],
		[999_600, '1.0 MB'],
		[15_000_000, '15 MB'],
		[3_200_000_000_000_000, '3200 TB'],
	])('%d bytes', (bytes, text) => {
		expect(bytesText(bytes)).toBe(text);
	});
});

describe('a file', () => {
	test('is shown by the type that its content has', () => {
		const kinds = [
			'image/png',
			'audio/wav',
			'video/mp4',
			'application/octet-stream',
			'application/pdf',
			'image/svg+xml',
		];
		expect(kinds.map(previewKind)).toEqual(['image', 'audio', 'video', 'text', 'none', 'text']);
	});

	test('is a text when its bytes are one, cut or whole', () => {
		const bytes = new TextEncoder().encode('grün €');
		expect(textOf(bytes, false)).toBe('grün €');
		expect(textOf(bytes.slice(0, -1), true)).toBe('grün ');
		expect(textOf(bytes.slice(0, -1), false)).toBeUndefined();
		expect(textOf(Uint8Array.of(65, 0, 66), false)).toBeUndefined();
		expect(textOf(Uint8Array.of(0xff, 0xfe), true)).toBeUndefined();
	});

	test('is sent behind its fields, with an end when it has one', () => {
		const form = formOf(new File(['x'], 'x.txt'), 'vision', '3600');
		expect([...form.keys()]).toEqual(['purpose', 'expires_after[anchor]', 'expires_after[seconds]', 'file']);
		expect([...formOf(new File(['x'], 'x.txt'), 'vision', '').keys()]).toEqual(['purpose', 'file']);
	});
});

describe('a webhook', () => {
	const endpoint = { name: 'a', url: 'https://example.com/', event_types: ['x', 'y'] };

	test('is changed by what differs alone', () => {
		expect(changesOf(endpoint, { ...endpoint, event_types: ['y', 'x'] })).toEqual({});
		expect(changesOf(endpoint, { ...endpoint, name: 'b', event_types: ['x'] })).toEqual({
			name: 'b',
			event_types: ['x'],
		});
		expect(changesOf(endpoint, { ...endpoint, url: 'https://example.org/' })).toEqual({ url: 'https://example.org/' });
	});

	test('has attempts with a status, a failure, or both', () => {
		const attempt = { at: 1, duration_ms: 1 };
		expect(outcomeOf({ ...attempt, status_code: 204, failure: null })).toBe('204');
		expect(outcomeOf({ ...attempt, status_code: null, failure: 'timeout' })).toBe('timeout');
		expect(outcomeOf({ ...attempt, status_code: null, failure: null })).toBe('–');
	});
});

import { plinthError } from '@plinth/core';
import { documentReaderSuite } from '@plinth/testing';
import { type DocumentPage, type DocumentReader, type DocumentText, mediaError } from '@plinth/toolkit';
import { describe, expect, test } from 'vitest';
import { type Sabotage, testSabotage } from './sabotage.ts';
import { smallReader } from './small-reader.ts';

const suite = (spoil: (right: DocumentReader) => DocumentReader) =>
	documentReaderSuite({
		create: async () => ({ reader: spoil(smallReader), close: async () => {} }),
	});

/** Reads with the right reader, and changes its result. */
const changing =
	(change: (text: DocumentText) => DocumentText) =>
	(right: DocumentReader): Partial<DocumentReader> => ({
		read: async (...call) => change(await right.read(...call)),
	});

const changingPages = (change: (pages: readonly DocumentPage[]) => readonly DocumentPage[]) =>
	changing((text) => (text.pages ? { ...text, pages: change(text.pages) } : text));

/** Replaces a refusal. */
const refusing =
	(answer: (error: unknown) => DocumentText) =>
	(right: DocumentReader): Partial<DocumentReader> => ({
		read: (...call) => right.read(...call).catch(answer),
	});

const nothing = { mediaType: 'text/plain', text: '', truncated: false, metadata: {} };

const wrong: Sabotage<DocumentReader>[] = [
	[
		'pages for everything',
		changing(({ text = '', ...rest }) => ({ pages: [{ page: 1, text }], pageCount: 1, ...rest })),
		'plain text has a text and no pages',
	],
	[
		'cells that each get a line',
		changing((text) => ({ ...text, text: text.text?.replaceAll('\t', '\n') ?? '' })),
		'the rows of a table of values stay rows',
	],
	[
		'both pages and a whole text',
		changing((text) => ({ ...text, text: 'all of it' })),
		'a PDF has pages with their sizes, and no text of its own',
	],
	[
		'empty pages that are left out',
		changingPages((pages) => pages.filter(({ text }) => text !== '')),
		'pages are counted from 1, and empty ones are kept',
	],
	[
		'pages that are counted from 0',
		changingPages((pages) => pages.map((page) => ({ ...page, page: page.page - 1 }))),
		'pages are counted from 1, and empty ones are kept',
	],
	[
		'ranges one by one',
		(right) => ({
			async read(document, options, run) {
				const ranges = options?.pages ?? [{ first: 1, last: 99 }];
				const texts = await Promise.all(ranges.map((range) => right.read(document, { pages: [range] }, run)));
				const pages = texts.flatMap((text) => text.pages ?? []);
				return { ...(texts[0] as DocumentText), pages };
			},
		}),
		'requested pages are returned once each and in order',
	],
	[
		'a count of what was asked for only',
		changing((text) => (text.pages ? { ...text, pageCount: text.pages.length } : text)),
		'requested pages are returned once each and in order',
	],
	[
		'an error for pages beyond the end',
		changing((text) => {
			if (text.pages?.length === 0) throw plinthError('E_VALUE_INVALID');
			return text;
		}),
		'pages beyond the end are no error',
	],
	[
		'ranges that cut text',
		(right) => ({
			async read(document, options, run) {
				const text = await right.read(document, options, run);
				return options?.pages && !text.pages ? { ...text, text: '' } : text;
			},
		}),
		'formats without pages ignore requested ranges',
	],
	[
		'a format by the name',
		(right) => ({
			async read(document, ...call) {
				const text = await right.read(document, ...call);
				return 'path' in document ? { ...text, mediaType: 'image/png' } : text;
			},
		}),
		'the format is detected by content, not by name',
	],
	[
		'files that are never read',
		(right) => ({
			read: async (document, ...call) => ('path' in document ? nothing : right.read(document, ...call)),
		}),
		'a file gives what its bytes give',
	],
	[
		'a view that is taken for its whole buffer',
		(right) => ({
			read: (document, ...call) => right.read('path' in document ? document : new Uint8Array(document.buffer), ...call),
		}),
		'a document is read from the middle of a larger buffer, and stays as it is',
	],
	[
		'letters and marks apart',
		changing((text) => ({ ...text, text: text.text?.normalize('NFD') ?? '' })),
		'text is NFC with LF, without blanks at line ends and without many empty lines',
	],
	[
		'lines that end as on Windows',
		changing((text) => ({ ...text, text: text.text?.replaceAll('\n', '\r\n') ?? '' })),
		'text is NFC with LF, without blanks at line ends and without many empty lines',
	],
	[
		'form feeds',
		changing(({ text = '', pages, ...rest }) => ({
			...rest,
			text: pages ? pages.map((page) => page.text).join('\f') : text.replaceAll('\n', '\f'),
		})),
		'text has no form feeds and no control characters',
	],
	[
		'a title of its own',
		changing((text) => ({ ...text, metadata: { title: 'Untitled' } })),
		'metadata that a document does not have is left out',
	],
	['an empty text for what it cannot read', refusing(() => nothing), 'noise is unsupported'],
	[
		'errors without a code',
		refusing(() => {
			throw new Error('It cannot be read.');
		}),
		'a program is unsupported',
	],
	[
		'one code for everything',
		refusing((cause) => {
			throw mediaError('E_DOCUMENT_UNSUPPORTED', { cause });
		}),
		'a PDF that needs a password is encrypted',
	],
	[
		'what is damaged taken for empty',
		refusing(() => nothing),
		'a PDF of which only the beginning is left is unreadable',
	],
	[
		'a signal that is ignored',
		(right) => ({ read: (document, options) => right.read(document, options) }),
		'a read rejects with the reason of a signal that has aborted',
	],
	[
		'a signal that is heard too late',
		(right) => ({
			async read(document, options, { signal, ...run } = {}) {
				signal?.throwIfAborted();
				return await right.read(document, options, run);
			},
		}),
		'reads that are aborted reject with the reason, and the others continue',
	],
	[
		'one answer for all',
		(right) => {
			let first: Promise<DocumentText> | undefined;
			return {
				read: (...call) => {
					first ??= right.read(...call);
					return first;
				},
			};
		},
		'many reads at once get their own texts',
	],
	[
		'a text that grows',
		(right) => {
			let reads = 0;
			return changing((text) => ({ ...text, metadata: { title: `${++reads}` } }))(right);
		},
		'the same document gives the same text again, and the version stays',
	],
	[
		'progress beyond the end',
		(right) => ({
			async read(document, options, run) {
				run?.progress?.(3, 2);
				return await right.read(document, options, run);
			},
		}),
		'progress never falls and never passes its end',
	],
];

describe('documentReaderSuite', () => testSabotage(wrong, suite));

describe('a reader without a fault', () => {
	for (const { name, run } of suite((right) => right)) test(name, run);
});

test('the suite names every case once', () => {
	const names = suite((right) => right).map(({ name }) => name);
	expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

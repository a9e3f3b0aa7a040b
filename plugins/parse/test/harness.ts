import type { AppConfig } from '@plinth/core';
import { fakeBackend, type RequestOptions, type TestApp, testApp } from '@plinth/testing';
import {
	type DocumentOptions,
	type DocumentReader,
	type DocumentRun,
	type DocumentText,
	type EncodedDocument,
	mediaServices,
} from '@plinth/toolkit';
import { onTestFinished } from 'vitest';
import { parse } from '../src/index.ts';
import { contentOf } from './documents.ts';

/** One call of the reader. */
export interface ReadCall {
	readonly document: EncodedDocument;
	/** The content as text. */
	readonly content: string;
	readonly options: DocumentOptions | undefined;
	readonly run: DocumentRun | undefined;
}

/** The running app and the calls of its document reader. */
export interface Harness extends TestApp {
	/** All calls of the reader. */
	readonly calls: ReadCall[];
	/** Replaces the reader; by default it returns the content as one page. */
	read: (call: ReadCall) => Promise<DocumentText>;
	/** Posts JSON or a form. */
	parse(body: object, options?: RequestOptions): Promise<Response>;
}

/** Starts an app with the plugin and a scripted reader, and stops it after the test. */
export async function harness(
	options: Parameters<typeof parse>[0] = {},
	backends: AppConfig['backends'] & object = {},
): Promise<Harness> {
	const state: Pick<Harness, 'calls' | 'read'> = {
		calls: [],
		read: async ({ content }) => pagesOf(content),
	};
	const documents: DocumentReader = {
		version: 'scripted',
		async read(document, given, run) {
			const call = { document, content: await contentOf(document), options: given, run };
			state.calls.push(call);
			return state.read(call);
		},
	};
	const running = await testApp({
		key: 'alice.documents',
		realTime: true,
		backends: { documents: fakeBackend(mediaServices.documents, documents), ...backends },
		plugins: { parse: parse(options) },
		onTestFinished,
	});
	const path = '/api/attachments/parse';
	return Object.assign(state, running, {
		parse: (body: object, init?: RequestOptions) =>
			body instanceof FormData ? running.form(path, body, init) : running.post(path, body, init),
	});
}

/** A document with pages. */
export function pagesOf(...texts: readonly string[]): DocumentText {
	return {
		mediaType: 'application/pdf',
		pages: texts.map((text, index) => ({ page: index + 1, text })),
		pageCount: texts.length,
		truncated: false,
		metadata: {},
	};
}

/** A document without pages. */
export function textOf(text: string): DocumentText {
	return { mediaType: 'text/plain', text, truncated: false, metadata: {} };
}

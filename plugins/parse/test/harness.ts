import {
	type App,
	type AppConfig,
	type Authenticator,
	createApp,
	defineBackend,
	services,
} from '@plinth/core';
import { silentLogger } from '@plinth/testing';
import {
	type DocumentOptions,
	type DocumentReader,
	type DocumentRun,
	type DocumentText,
	type EncodedDocument,
	mediaServices,
} from '@plinth/toolkit';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { parse } from '../src/index.ts';
import { contentOf } from './documents.ts';

/** One call of the reader. */
export interface ReadCall {
	readonly document: EncodedDocument;
	/** The bytes as text. */
	readonly content: string;
	readonly options: DocumentOptions | undefined;
	readonly run: DocumentRun | undefined;
}

/** What the tests turn and read. */
export interface Harness {
	readonly app: App;
	/** Every call of the reader so far. */
	readonly calls: ReadCall[];
	/** Replaces what the reader does; by default it gives the content back as one page. */
	read: (call: ReadCall) => Promise<DocumentText>;
	/** Sends JSON, or a form. */
	parse(body: object, init?: RequestInit): Promise<Response>;
}

/** Boots the plugin with a scripted reader, and stops it after the test. */
export async function harness(
	options: Parameters<typeof parse>[0] = {},
	backends: AppConfig['backends'] & object = {},
): Promise<Harness> {
	const state: Pick<Harness, 'calls' | 'read'> = {
		calls: [],
		read: async ({ content }) => pagesOf(content),
	};
	const reader: DocumentReader = {
		version: 'scripted',
		async read(document, given, run) {
			const call = { document, content: await contentOf(document), options: given, run };
			state.calls.push(call);
			return state.read(call);
		},
	};
	const documents = defineBackend({
		name: 'scripted',
		provides: mediaServices.documents,
		config: z.strictObject({}),
		create: () => reader,
	});
	const app = await createApp(
		{
			server: { drainDelayMs: 0, graceMs: 50 },
			backends: { auth: fakeAuth(), documents: documents(), ...backends },
			plugins: { parse: parse(options) },
		},
		{ log: silentLogger(), env: {} },
	);
	onTestFinished(() => app.stop());
	return Object.assign(state, {
		app,
		parse(body: object, init: RequestInit = {}) {
			const isForm = body instanceof FormData;
			const type: Record<string, string> = isForm ? {} : { 'content-type': 'application/json' };
			return app.fetch(
				new Request('http://localhost/api/attachments/parse', {
					method: 'POST',
					body: isForm ? body : JSON.stringify(body),
					...init,
					headers: { 'x-api-key': 'documents', ...type, ...init.headers },
				}),
			);
		},
	});
}

/** A document of pages. */
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

const fakeAuth = defineBackend({
	name: 'fakeAuth',
	provides: services.authenticator,
	config: z.strictObject({}),
	create: (): Authenticator => ({
		async authenticate(key) {
			const [scope = '', tenant = 'alice'] = key.split('/');
			return { id: key, tenant, scopes: [scope] };
		},
	}),
});

import { defineRoute, errors, type Route, valueErrors } from '@plinth/core';
import type { ParseContext } from './answer.ts';
import { maxFiles, parseBody } from './request/fields.ts';
import { parseAnswer } from './response/result.ts';

/** `POST /api/attachments/parse`: reads every document of a request. Nothing is stored. */
export function parseAttachments(context: ParseContext): Route {
	return defineRoute({
		method: 'POST',
		path: '/api/attachments/parse',
		scope: 'documents',
		summary: 'Read documents as text',
		description:
			'Columns are read one after the other, and rows of tables stay on one line. The format is ' +
			'detected from the content. A document that cannot be read has an `error` in its result; ' +
			'the others are not affected.',
		body: parseBody,
		encoding: ['json', 'multipart'],
		spoolDataUrls: { bare: ['url'], keepDamaged: true },
		// Form fields are short: small documents and labels.
		limits: {
			json: 104_857_600,
			multipart: 209_715_200,
			allFields: 8_388_608,
			files: maxFiles,
		},
		response: { description: 'One result per document, in their order.', schema: parseAnswer },
		errors: [...valueErrors, errors.E_OVERLOADED, errors.E_STORE_FULL],
		// Loaded by the first request, so that a server starts sooner.
		handler: async ({ body }, call) => (await import('./answer.ts')).answer(context, body, call),
	});
}

import { defineRoute, errors, plinthError, Reply, type Route } from '@plinth/core';
import { z } from 'zod';
import type { Page } from './page.ts';

/**
 * The page may load its own files, send requests to its own server, and show fetched data as blobs. `trusted-types`
 * makes every assignment of text to `innerHTML` and similar properties throw.
 *
 * Frames may contain only blobs that the page has made, which it uses for PDFs; no URL of a host may be framed. A
 * document from a blob has the policy of the page that made the blob (CSP 3, 7.8), so markup in it cannot run scripts.
 * The browser's PDF viewer gives scripts in a PDF access to neither the page nor its key.
 */
const contentSecurityPolicy = [
	"default-src 'none'",
	"script-src 'self'",
	"style-src 'self'",
	"connect-src 'self'",
	"img-src 'self' blob:",
	"media-src 'self' blob:",
	'frame-src blob:',
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
	"require-trusted-types-for 'script'",
	"trusted-types 'none'",
].join('; ');

const pageHeaders = {
	'content-security-policy': contentSecurityPolicy,
	'cross-origin-opener-policy': 'same-origin',
	'permissions-policy': 'camera=(), geolocation=(), microphone=()',
};

const names = z.object({ name: z.string().meta({ description: 'The name of a file of the page.' }) });

/** `GET /` and the files that its page loads. Their addresses are relative, so a mount prefix needs no setting. */
export function pageRoutes({ document, assets }: Page): readonly Route[] {
	const page = defineRoute({
		method: 'GET',
		path: '/',
		scope: 'public',
		summary: 'Show the console',
		description: 'A page for browsers. It asks for an API key and uses the other routes.',
		response: {
			description: 'The page.',
			mediaTypes: ['text/html'],
			headers: { etag: 'A hash of this page, for `If-None-Match`.' },
		},
		errors: [],
		handler() {
			const { bytes, mediaType, etag } = document;
			return Reply.binary(bytes, { mediaType, etag, headers: { ...pageHeaders, 'cache-control': 'no-cache' } });
		},
	});
	const asset = defineRoute({
		method: 'GET',
		path: '/console/{name}',
		scope: 'public',
		summary: 'Load a file of the console',
		params: names,
		response: {
			description: 'The file. Its name changes with its content.',
			mediaTypes: ['text/javascript', 'text/css', 'image/svg+xml'],
			headers: { etag: 'A hash of this file, for `If-None-Match`.' },
		},
		errors: [errors.E_ROUTE_NOT_FOUND],
		handler({ params: { name } }) {
			const file = assets.get(name);
			if (!file) throw plinthError('E_ROUTE_NOT_FOUND', { message: 'The console has no such file. Load it again.' });
			const { bytes, mediaType, etag } = file;
			const headers = { ...pageHeaders, 'cache-control': 'public, max-age=31536000, immutable' };
			return Reply.binary(bytes, { mediaType, etag, headers });
		},
	});
	return [page, asset];
}

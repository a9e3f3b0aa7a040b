import { UserError } from '../user-error.ts';

/** Which part of a file to request, and how. */
export interface RequestOptions {
	readonly allowHttp: boolean;
	/** The number of bytes that are already downloaded. */
	readonly from: number;
	/** The version of the file that these bytes belong to; empty when it is not known. */
	readonly version: string;
}

/** A response with the file. */
export interface FileResponse {
	readonly response: Response;
	/** Whether the body contains only the missing bytes. */
	readonly isRest: boolean;
	/** Names this version of the file; empty when the server has reported none. */
	readonly version: string;
}

const maxRedirects = 5;
const localHosts = ['localhost', '127.0.0.1', '[::1]'];
const remedies: Readonly<Record<number, string>> = {
	401: 'The file needs a login: download it with a browser.',
	403: 'The file needs a login or a licence: download it with a browser.',
	404: 'There is no such file: check the address.',
	410: 'The file was removed: check the address.',
	429: 'Too many requests: try again later.',
};

/** Requests a file, or the rest of it. Rejects with a `UserError` for other statuses, and with network errors. */
export async function request(url: URL, options: RequestOptions): Promise<FileResponse> {
	const { from, version } = options;
	const range = from > 0 ? { range: `bytes=${from}-`, ...(version && { 'if-range': version }) } : {};
	// Request the file without compression: a compressed body has other lengths and ranges.
	const response = await follow(url, { 'accept-encoding': 'identity', ...range }, options.allowHttp);
	const { status, headers } = response;
	if (status === 206 && headers.get('content-range')?.startsWith(`bytes ${from}-`)) {
		return { response, isRest: true, version };
	}
	if (status === 200) return { response, isRest: false, version: versionOf(headers) };
	await response.body?.cancel();
	// The downloaded bytes do not belong to this version of the file, so request the whole file.
	if (from > 0 && (status === 206 || status === 416)) return request(url, { ...options, from: 0 });
	const remedy = remedies[status] ?? (status >= 500 ? 'The server failed: try again later.' : '');
	throw new UserError(`${url.host} answered with status ${status}. ${remedy}`.trim());
}

async function follow(url: URL, headers: Readonly<Record<string, string>>, allowHttp: boolean): Promise<Response> {
	let current = url;
	for (let redirects = 0; redirects <= maxRedirects; redirects++) {
		checkScheme(current, allowHttp);
		const response = await fetch(current, { headers, redirect: 'manual' });
		const location = response.headers.get('location');
		if (![301, 302, 303, 307, 308].includes(response.status) || location === null) return response;
		await response.body?.cancel();
		current = new URL(location, current);
	}
	throw new UserError(`${url.host} redirects more than ${maxRedirects} times.`);
}

function checkScheme({ protocol, hostname, host }: URL, allowHttp: boolean): void {
	if (protocol === 'https:') return;
	if (protocol !== 'http:') throw new UserError(`${protocol}//${host} is not https. Use an https address.`);
	if (allowHttp || localHosts.includes(hostname)) return;
	throw new UserError(`http://${host} is not encrypted. Use https, or allow it with --allow-http.`);
}

/** The version for `If-Range`. Ignores a weak `ETag`, which does not guarantee equal bytes. */
function versionOf(headers: Headers): string {
	const etag = headers.get('etag');
	return etag && !etag.startsWith('W/') ? etag : (headers.get('last-modified') ?? '');
}

import { UserError } from '../user-error.ts';

/** What is asked of the server. */
export interface RequestOptions {
	readonly allowHttp: boolean;
	/** The bytes that are here already. */
	readonly from: number;
	/** The version of the file that they are a part of; empty when it is not known. */
	readonly version: string;
}

/** A response with the file. */
export interface FileResponse {
	readonly response: Response;
	/** Whether it has only what is not here yet. */
	readonly isRest: boolean;
	/** Names this version of the file; empty when the server has told none. */
	readonly version: string;
}

const maxRedirects = 5;
const localHosts = ['localhost', '127.0.0.1', '[::1]'];
const remedies: Readonly<Record<number, string>> = {
	401: 'The file needs a login: download it with a browser.',
	403: 'The file needs a login or a licence: download it with a browser.',
	404: 'There is no such file: check the address.',
	410: 'The file is gone: check the address.',
	429: 'Too many requests: try again in a while.',
};

/** Asks for a file, or for the rest of it. Rejects with a `UserError` for other answers, and with network errors. */
export async function request(url: URL, options: RequestOptions): Promise<FileResponse> {
	const { from, version } = options;
	const range = from > 0 ? { range: `bytes=${from}-`, ...(version && { 'if-range': version }) } : {};
	// As it is stored: a compressed body has other lengths and ranges.
	const response = await follow(url, { 'accept-encoding': 'identity', ...range }, options.allowHttp);
	const { status, headers } = response;
	if (status === 206 && headers.get('content-range')?.startsWith(`bytes ${from}-`)) {
		return { response, isRest: true, version };
	}
	if (status === 200) return { response, isRest: false, version: versionOf(headers) };
	await response.body?.cancel();
	// The part here is not a part of that file, or of another version of it.
	if (from > 0 && (status === 206 || status === 416)) return request(url, { ...options, from: 0 });
	const remedy = remedies[status] ?? (status >= 500 ? 'The server has a fault: try again in a while.' : '');
	throw new UserError(`${url.host} answered with status ${status}. ${remedy}`.trim());
}

async function follow(url: URL, headers: Readonly<Record<string, string>>, allowHttp: boolean): Promise<Response> {
	let at = url;
	for (let redirects = 0; redirects <= maxRedirects; redirects++) {
		checkScheme(at, allowHttp);
		const response = await fetch(at, { headers, redirect: 'manual' });
		const location = response.headers.get('location');
		if (![301, 302, 303, 307, 308].includes(response.status) || location === null) return response;
		await response.body?.cancel();
		at = new URL(location, at);
	}
	throw new UserError(`${url.host} redirects more than ${maxRedirects} times.`);
}

function checkScheme({ protocol, hostname, host }: URL, allowHttp: boolean): void {
	if (protocol === 'https:') return;
	if (protocol !== 'http:') throw new UserError(`${protocol}//${host} is not https. Files come by https only.`);
	if (allowHttp || localHosts.includes(hostname)) return;
	throw new UserError(`http://${host} is not encrypted. Use https, or allow it with --allow-http.`);
}

/** A weak `ETag` does not promise equal bytes. */
function versionOf(headers: Headers): string {
	const etag = headers.get('etag');
	return etag && !etag.startsWith('W/') ? etag : (headers.get('last-modified') ?? '');
}

import { key } from '../state/session.ts';
import { errorFrom, unreachable } from './error.ts';
import { addressOf, keyHeader, signOutOn401 } from './request.ts';

/** Sends a multipart POST; resolves with the JSON response. Uses XHR, because `fetch` reports no upload progress. */
export function sendForm<T>(
	path: string,
	form: FormData,
	signal: AbortSignal,
	/** Called with 0 to 1 while the body is sent. */
	onProgress: (fraction: number) => void,
): Promise<T> {
	const usedKey = key.value;
	const answer = new Promise<string>((resolve, reject) => {
		const request = new XMLHttpRequest();
		const abort = () => request.abort();
		request.open('POST', addressOf(path));
		for (const [name, value] of Object.entries(keyHeader(usedKey))) request.setRequestHeader(name, value);
		request.upload.addEventListener('progress', ({ loaded, total, lengthComputable }) => {
			if (lengthComputable) onProgress(loaded / total);
		});
		request.addEventListener('loadend', () => {
			const { status, responseText: text } = request;
			signal.removeEventListener('abort', abort);
			if (signal.aborted) reject(signal.reason);
			else if (status === 0) reject(unreachable());
			else if (status >= 200 && status < 300) resolve(text);
			else
				reject(signOutOn401(errorFrom(text, { status, header: (name) => request.getResponseHeader(name) }), usedKey));
		});
		signal.addEventListener('abort', abort, { once: true });
		request.send(form);
		if (signal.aborted) abort();
	});
	return answer.then((text) => JSON.parse(text) as T);
}

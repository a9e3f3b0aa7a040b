import { connect } from 'node:net';

/** A response as received. */
export interface RawAnswer {
	readonly status: number;
	/** In the order of arrival, names in lower case. */
	readonly headers: readonly (readonly [name: string, value: string])[];
	readonly body: string;
	/** All bytes, including interim responses. */
	readonly text: string;
}

/**
 * Sends bytes unchanged and reads one response until it is complete or the server closes the connection. With
 * `headOnly` it stops after the head, for streams without an end. Text is sent as Latin-1, one byte per character. The
 * request may be incomplete on purpose.
 */
export function rawAnswer(url: string, request: string, { headOnly = false } = {}): Promise<RawAnswer> {
	const { port, hostname } = new URL(url);
	return new Promise((resolve, reject) => {
		const socket = connect(Number(port), hostname, () => socket.write(request, 'latin1'));
		let text = '';
		const finish = (answer: RawAnswer) => {
			socket.destroy();
			resolve(answer);
		};
		socket.setEncoding('latin1');
		socket.on('data', (chunk: string) => {
			text += chunk;
			const answer = parse(text);
			const length = answer?.headers.find(([name]) => name === 'content-length')?.[1];
			const isWhole = length !== undefined && (answer?.body.length ?? 0) >= Number(length);
			if (answer && (isWhole || headOnly)) finish(answer);
		});
		socket.on('close', () => {
			const answer = parse(text);
			if (answer) finish(answer);
			else reject(new Error(`The connection ended without a response: ${text}`));
		});
		socket.on('error', reject);
	});
}

/** The head of a request, with a host and `connection: close`. */
export function rawHead(line: string, headers: readonly string[]): string {
	return `${[`${line} HTTP/1.1`, 'host: plinth.test', 'connection: close', ...headers].join('\r\n')}\r\n\r\n`;
}

function parse(text: string): RawAnswer | undefined {
	const [, status, head = '', body = ''] =
		/(?:^|\r\n\r\n)HTTP\/1\.1 ([2-5]\d\d) [^\r]*\r\n([\s\S]*?)\r\n\r\n([\s\S]*)$/.exec(text) ?? [];
	if (status === undefined) return undefined;
	const headers = head.split('\r\n').map((line): [string, string] => {
		const colon = line.indexOf(':');
		return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
	});
	return { status: Number(status), headers, body, text };
}

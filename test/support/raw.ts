import { connect } from 'node:net';

/** An answer as it came over the wire. */
export interface RawAnswer {
	readonly status: number;
	/** In the order of their arrival, names in lower case. */
	readonly headers: readonly (readonly [name: string, value: string])[];
	readonly body: string;
	/** Everything, interim answers included. */
	readonly text: string;
}

/**
 * Sends bytes as they are and reads one answer, until it is whole or the server hangs up; with `headOnly`, until its head is there, as
 * for streams without an end. Texts are sent as Latin-1, one byte for each character. A request may be left unfinished on purpose.
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
			else reject(new Error(`The connection ended without an answer: ${text}`));
		});
		socket.on('error', reject);
	});
}

/** The head of a request, with a host and without keep-alive. */
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

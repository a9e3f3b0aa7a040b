import type { IncomingMessage } from 'node:http';

const none: readonly string[] = [];

/**
 * All values that came under a name in lower case, in their order. Node's `headers` keeps one of some and joins
 * others, and its `headersDistinct` sorts all headers of the request for the first that is asked for.
 */
export function headerValues({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): readonly string[] {
	let values: string[] | undefined;
	for (let at = 0; at < rawHeaders.length; at += 2) {
		const given = rawHeaders[at] as string;
		if (given.length !== name.length || given.toLowerCase() !== name) continue;
		values ??= [];
		values.push(rawHeaders[at + 1] as string);
	}
	return values ?? none;
}

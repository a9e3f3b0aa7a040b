import { ApiDocument } from './document.ts';
import { complaintsAbout, ReplyChecker } from './replies.ts';

/** What an answer is an answer to. */
export interface Asked {
	readonly method: string;
	/** The whole address. */
	readonly url: string;
}

/** Compares every answer of one server with the server's own document. */
export interface ReplyWatch {
	/** Carries a request and returns its answer, whatever is wrong with it. */
	watch(asked: Asked, carry: () => Promise<Response>): Promise<Response>;
	/** What was wrong with the answers so far, one sentence each. */
	readonly complaints: readonly string[];
}

/** Watches the server at `url`, which may have a path of its own. `door` fetches its document: over the network unless set. */
export function watchReplies(url: string, door: (request: Request) => Promise<Response> = fetch): ReplyWatch {
	const complaints: string[] = [];
	const prefix = new URL(url).pathname.replace(/\/$/, '');
	let checker: Promise<ReplyChecker> | undefined;
	return {
		complaints,
		async watch({ method, url: target }, carry) {
			// An SDK also tries out what its `fetch` can do, on `data:` addresses.
			if (!target.startsWith(`${url}/`)) return carry();
			// Before the first request: a server that stops meanwhile could not be asked any more.
			checker ??= checkerOf(url, door);
			const checks = await checker;
			const answer = await carry();
			const path = new URL(target).pathname.slice(prefix.length);
			complaints.push(...(await complaintsAbout(checks, { method, path }, answer)));
			return answer;
		},
	};
}

/** By the text of their document: most servers of a run have the same one, and compiling its schemas takes longer than most tests. */
const checkers = new Map<string, ReplyChecker>();

async function checkerOf(url: string, door: (request: Request) => Promise<Response>): Promise<ReplyChecker> {
	const answer = await door(new Request(`${url}/openapi.json`));
	const text = (await answer.text()).replaceAll(url, '');
	const checker = checkers.get(text) ?? new ReplyChecker(new ApiDocument(JSON.parse(text)));
	checkers.set(text, checker);
	return checker;
}

import type { Sdk, SdkClass } from '../clients/sdk.ts';
import { watchReplies } from './openapi/watch.ts';

/** Keeps everything that clients of one server get to see. */
export interface Recorder {
	/** A `fetch` for any client. */
	readonly fetch: typeof fetch;
	/** An official SDK that asks once, and neither waits nor asks again by itself. */
	sdk(OpenAI: SdkClass, key: string): Sdk;
	/** Heads and bodies of all answers so far, as they came; waits for those that are still being read. */
	said(): Promise<string>;
	/** What the server's own document does not allow in them, one sentence each. */
	readonly complaints: readonly string[];
}

/** Makes a recorder for the server at `url`. */
export function recorder(url: string): Recorder {
	const replies = watchReplies(url);
	const answers: Promise<string>[] = [];
	const recorded: typeof fetch = async (target, init) => {
		const { url: address, method } = new Request(target, { ...init, body: null });
		const answer = await replies.watch({ method, url: address }, () => fetch(target, init));
		answers.push(textOf(answer.clone()));
		return answer;
	};
	return {
		fetch: recorded,
		sdk: (OpenAI, apiKey) => new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0, fetch: recorded }),
		said: async () => (await Promise.all(answers)).join('\n'),
		complaints: replies.complaints,
	};
}

async function textOf(answer: Response): Promise<string> {
	const head = [answer.status, ...answer.headers].join('\n');
	// One that breaks off is a matter of its reader.
	const body = await answer.arrayBuffer().catch(() => new ArrayBuffer(0));
	return `${head}\n${Buffer.from(body).toString('latin1')}`;
}

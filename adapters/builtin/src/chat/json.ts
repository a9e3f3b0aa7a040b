import { invalidValue, type JsonObject } from '@plinth/core';
import type { ChatRun } from '@plinth/plugin-chat/model';
import { Threads, threadFile } from '../threads.ts';
import type { JsonJob, JsonResult } from './json-worker.ts';

/** Maximum characters of a schema as JSON, and of a text that is searched for JSON. */
const maxSchema = 200_000;
const maxText = 200_000;
/** Maximum time of one schema in its thread, in milliseconds. Limited, because schemas come from callers. */
const maxMs = 1_500;

/** A request for a JSON value. */
export interface JsonOptions extends Pick<JsonJob, 'message' | 'texts'> {
	readonly schema: JsonObject;
	/** The parameter with the schema. */
	readonly param: string;
}

/** JSON that is valid against a schema, and whether its values are made up. */
export type ValidJson = Exclude<JsonResult, { problem: string }>;

/** Finds JSON that a schema describes, or makes it up. */
export class JsonMaker {
	readonly #threads = new Threads<JsonJob, JsonResult, 'started'>({
		file: threadFile(import.meta.url, './json-worker'),
		threads: 2,
	});

	/** Throws 400 on `param` for a schema that is invalid, too large, too slow or without a value. */
	async make({ schema: object, message, texts, param }: JsonOptions, { seed, signal }: ChatRun): Promise<ValidJson> {
		const schema = JSON.stringify(object);
		if (schema.length > maxSchema) {
			throw invalidValue(param, `${param}: at most ${maxSchema.toLocaleString('en-US')} characters are accepted.`);
		}
		const tooSlow = new AbortController();
		let timer: NodeJS.Timeout | undefined;
		const onReport = (): void => {
			const error = invalidValue(param, `${param}: the schema takes this model too long.`);
			timer = setTimeout(() => tooSlow.abort(error), maxMs);
		};
		try {
			const job = { schema, message: cut(message), texts: texts.map(cut), seed };
			const result = await this.#threads.run(job, { signal: AbortSignal.any([signal, tooSlow.signal]), onReport });
			if ('problem' in result) throw invalidValue(param, `${param}: the schema cannot be used: ${result.problem}.`);
			return result;
		} finally {
			clearTimeout(timer);
		}
	}

	/** Ends the threads. */
	close(): Promise<void> {
		return this.#threads.close();
	}
}

function cut(text: string): string {
	return text.slice(0, maxText);
}

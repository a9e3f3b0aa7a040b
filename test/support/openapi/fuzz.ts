import fc from 'fast-check';
import { type FuzzCase, format, type Transport } from './case.ts';
import { cases } from './cases.ts';
import { ApiDocument, type Operation } from './document.ts';
import type { Facts } from './facts.ts';
import { Oracle } from './oracle.ts';
import { ResponseChecker } from './response-checker.ts';
import type { ReadyRequest, Received } from './transports.ts';
import { verifyResponse } from './verify.ts';

/** The server under test and its facts. */
export interface FuzzTarget {
	/** The parsed `/openapi.json`. */
	readonly document: unknown;
	readonly facts: Facts;
	readonly transports: Readonly<Record<Transport, (ready: ReadyRequest) => Promise<Received>>>;
	/** The key that every valid request carries. */
	readonly key: string;
	/** The time limit of a response, in milliseconds. */
	readonly slowMs: number;
}

/** The results of the requests to one operation. */
export interface Tally {
	readonly operation: string;
	positive: number;
	negative: number;
	/** Requests with the verdict `either`. */
	open: number;
	readonly statuses: Map<number, number>;
	slowestMs: number;
	slowest: string;
}

/** Sends generated requests and checks every response against the document. */
export class Fuzzer {
	readonly document: ApiDocument;
	readonly #target: FuzzTarget;
	readonly #oracle: Oracle;
	readonly #checker: ResponseChecker;

	constructor(target: FuzzTarget) {
		this.#target = target;
		this.document = new ApiDocument(target.document);
		this.#oracle = new Oracle(this.document, target.facts);
		this.#checker = new ResponseChecker(this.document);
	}

	/** Throws an error with the smallest failing request and with its seed. */
	async run(
		operation: Operation,
		options: { readonly runs: number; readonly seed: number; readonly shrink?: boolean },
	): Promise<Tally> {
		const source = { document: this.document, facts: this.#target.facts, oracle: this.#oracle };
		const tally: Tally = {
			operation: operation.name,
			positive: 0,
			negative: 0,
			open: 0,
			statuses: new Map(),
			slowestMs: 0,
			slowest: '',
		};
		const property = fc.asyncProperty(cases(source, operation), (fuzzCase) => this.#try(fuzzCase, tally));
		const details = await fc.check(property, {
			numRuns: options.runs,
			seed: options.seed,
			endOnFailure: options.shrink === false,
		});
		if (!details.failed) return tally;
		const cause = details.errorInstance as Error;
		throw new Error(
			`${operation.name} failed after ${details.numRuns} cases (seed ${details.seed}, shrunk ${details.numShrinks} times):\n${cause?.message}`,
			{ cause },
		);
	}

	async #try(fuzzCase: FuzzCase, tally: Tally): Promise<void> {
		const path = await this.#resolve(fuzzCase);
		const target = `${path}${fuzzCase.query}`;
		const { method, body, operation } = fuzzCase;
		const key = fuzzCase.keyless ? {} : { 'x-api-key': this.#target.key };
		const headers = { ...key, ...fuzzCase.headers };
		const startedAt = performance.now();
		const received = await this.#target.transports[fuzzCase.transport]({
			method,
			target,
			headers,
			body,
			isEndless: this.#target.facts.endless?.includes(operation.name) ?? false,
		}).catch((error: Error) => {
			throw new Error(`${format(fuzzCase, target)}\nthere was no response: ${error.cause ?? error}`);
		});
		const ms = performance.now() - startedAt;
		const found = [...verifyResponse({ document: this.document, checker: this.#checker }, fuzzCase, path, received)];
		if (ms > this.#target.slowMs) found.push(`it took ${Math.round(ms)} ms`);
		count(tally, fuzzCase, received.status, ms);
		await this.#target.facts.clear(operation, received.status, jsonOf(received));
		if (found.length > 0) throw new Error(`${format(fuzzCase, target)}\n- ${found.join('\n- ')}`);
	}

	async #resolve({ operation, path, params }: FuzzCase): Promise<string> {
		let result = path;
		for (const [name, value] of Object.entries(params)) {
			const text =
				'text' in value ? value.text : encodeURIComponent(await this.#target.facts.live(operation, value.live));
			result = result.replace(`{${name}}`, () => text);
		}
		return result;
	}
}

function count(tally: Tally, { verdict, about, transport }: FuzzCase, status: number, ms: number): void {
	if (verdict === 'accept') tally.positive++;
	else if (verdict === 'refuse') tally.negative++;
	else tally.open++;
	tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
	if (ms <= tally.slowestMs) return;
	tally.slowestMs = ms;
	tally.slowest = `${about}, ${transport}`;
}

function jsonOf({ headers, body }: Received): unknown {
	if (!headers.get('content-type')?.startsWith('application/json')) return undefined;
	try {
		return JSON.parse(Buffer.from(body).toString());
	} catch {
		return undefined;
	}
}

/** Formats tallies as a table. */
export function tallyTable(tallies: readonly Tally[]): string {
	const rows = tallies.map(({ operation, positive, negative, open, statuses, slowestMs, slowest }) => {
		const good = [...statuses].filter(([status]) => status < 400).reduce((sum, [, n]) => sum + n, 0);
		const bad = [...statuses]
			.filter(([status]) => status >= 400)
			.sort(([a], [b]) => a - b)
			.map(([status, n]) => `${status}:${n}`);
		const slow = `${slowestMs.toFixed(0).padStart(5)} ms (${slowest})`;
		const counts = [positive, negative, open, good].map((n) => String(n).padStart(6)).join('');
		return `${operation.padEnd(34)}${counts}  ${bad.join(' ').padEnd(58)}${slow}`;
	});
	const head = `${'operation'.padEnd(34)} valid inval  open   2xx  ${'4xx'.padEnd(58)}slowest`;
	return [head, ...rows].join('\n');
}

import fc from 'fast-check';
import type { Ready, Received } from './carriers.ts';
import { type Carrier, type FuzzCase, shown } from './case.ts';
import { cases } from './cases.ts';
import { ApiDocument, type Operation } from './document.ts';
import type { Facts } from './facts.ts';
import { judge } from './judge.ts';
import { Oracle } from './oracle.ts';
import { ReplyChecker } from './replies.ts';

/** A server under test. */
export interface Lab {
	/** What `/openapi.json` says. */
	readonly document: unknown;
	readonly facts: Facts;
	readonly carriers: Readonly<Record<Carrier, (ready: Ready) => Promise<Received>>>;
	/** The key that every right request carries. */
	readonly key: string;
	/** Milliseconds that an answer may take. */
	readonly slowMs: number;
}

/** What came of the requests to one operation. */
export interface Tally {
	readonly operation: string;
	positive: number;
	negative: number;
	/** Requests about which the document says nothing. */
	open: number;
	readonly statuses: Map<number, number>;
	slowestMs: number;
	slowest: string;
}

/** Sends generated requests and compares every answer with the document. */
export class Fuzzer {
	readonly document: ApiDocument;
	readonly #lab: Lab;
	readonly #oracle: Oracle;
	readonly #replies: ReplyChecker;

	constructor(lab: Lab) {
		this.#lab = lab;
		this.document = new ApiDocument(lab.document);
		this.#oracle = new Oracle(this.document, lab.facts);
		this.#replies = new ReplyChecker(this.document);
	}

	/** Throws an error with the smallest request that shows the fault and the seed that leads to it. */
	async run(
		operation: Operation,
		options: { readonly runs: number; readonly seed: number; readonly shrink?: boolean },
	): Promise<Tally> {
		const source = { document: this.document, facts: this.#lab.facts, oracle: this.#oracle };
		const tally: Tally = {
			operation: operation.name,
			positive: 0,
			negative: 0,
			open: 0,
			statuses: new Map(),
			slowestMs: 0,
			slowest: '',
		};
		const property = fc.asyncProperty(cases(source, operation), (sent) => this.#try(sent, tally));
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

	async #try(sent: FuzzCase, tally: Tally): Promise<void> {
		const path = await this.#resolve(sent);
		const target = `${path}${sent.query}`;
		const { method, body, operation } = sent;
		const key = sent.keyless ? {} : { 'x-api-key': this.#lab.key };
		const headers = { ...key, ...sent.headers };
		const began = performance.now();
		const received = await this.#lab.carriers[sent.carrier]({
			method,
			target,
			headers,
			body,
			isEndless: this.#lab.facts.endless?.includes(operation.name) ?? false,
		}).catch((error: Error) => {
			throw new Error(`${shown(sent, target)}\nthere was no answer: ${error.cause ?? error}`);
		});
		const ms = performance.now() - began;
		const found = [...judge({ document: this.document, replies: this.#replies }, sent, path, received)];
		if (ms > this.#lab.slowMs) found.push(`it took ${Math.round(ms)} ms`);
		count(tally, sent, received.status, ms);
		await this.#lab.facts.clear(operation, received.status, jsonOf(received));
		if (found.length > 0) throw new Error(`${shown(sent, target)}\n- ${found.join('\n- ')}`);
	}

	async #resolve({ operation, path, params }: FuzzCase): Promise<string> {
		let result = path;
		for (const [name, value] of Object.entries(params)) {
			const text = 'text' in value ? value.text : encodeURIComponent(await this.#lab.facts.live(operation, value.live));
			result = result.replace(`{${name}}`, () => text);
		}
		return result;
	}
}

function count(tally: Tally, { verdict, about, carrier }: FuzzCase, status: number, ms: number): void {
	if (verdict === 'accept') tally.positive++;
	else if (verdict === 'refuse') tally.negative++;
	else tally.open++;
	tally.statuses.set(status, (tally.statuses.get(status) ?? 0) + 1);
	if (ms <= tally.slowestMs) return;
	tally.slowestMs = ms;
	tally.slowest = `${about}, ${carrier}`;
}

function jsonOf({ headers, body }: Received): unknown {
	if (!headers.get('content-type')?.startsWith('application/json')) return undefined;
	try {
		return JSON.parse(Buffer.from(body).toString());
	} catch {
		return undefined;
	}
}

/** A table of tallies for people. */
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
	const head = `${'operation'.padEnd(34)} right wrong  open   2xx  ${'4xx'.padEnd(58)}slowest`;
	return [head, ...rows].join('\n');
}

import assert from 'node:assert/strict';
import { isPlinthError, type PlinthError } from '@plinth/core';

/** One sentence of a contract, and the check that an implementation keeps it. Independent of any test runner. */
export interface ConformanceCase {
	/** The sentence. */
	readonly name: string;
	/** Rejects when the implementation breaks it. */
	run(): Promise<void>;
}

/** Something under test that is closed afterwards. */
export interface Subject {
	close(): Promise<void>;
}

/** Makes a case with a new subject, which is closed afterwards in any case. */
export type CaseMaker<S extends Subject> = (name: string, check: (subject: S) => Promise<void>) => ConformanceCase;

/** Returns a {@link CaseMaker} that makes subjects with `create`. */
export function caseMaker<S extends Subject>(create: () => Promise<S>): CaseMaker<S> {
	return (name, check) => ({
		name,
		async run() {
			const subject = await create();
			try {
				await withTimeout(name, check(subject));
			} finally {
				await subject.close();
			}
		},
	});
}

/** The case of a store that does not support `reopen`. */
export function noReopenCase<S extends Subject & { reopen?(): Promise<unknown> }>(it: CaseMaker<S>): ConformanceCase {
	return it('a store that keeps nothing after its close has no reopen', async (subject) => {
		assert.equal(subject.reopen, undefined);
	});
}

/** Far more than any case needs, in milliseconds. A case that never settles is reported with its name. */
const caseMs = 60_000;

async function withTimeout(name: string, work: Promise<void>): Promise<void> {
	let timer: NodeJS.Timeout | undefined;
	const timeout = new Promise<never>((_, reject) => {
		timer = setTimeout(() => reject(new Error(`Never settled: ${name}.`)), caseMs);
	});
	try {
		await Promise.race([work, timeout]);
	} finally {
		clearTimeout(timer);
	}
}

/** All items of an iterable. */
export async function allOf<T>(items: AsyncIterable<T>): Promise<T[]> {
	const all: T[] = [];
	for await (const item of items) all.push(item);
	return all;
}

/** Fails unless an error has a code and a status of 400 to 499. */
export function assertClientError(error: unknown): asserts error is PlinthError {
	assert(isPlinthError(error), `it was refused with ${error}, which has no code`);
	const { status } = error.spec;
	assert(status >= 400 && status < 500, `it was refused with the status ${status}: ${error.message}`);
}

/** Checks that a call rejects with an error of one of these codes. */
export async function assertRefused(call: Promise<unknown>, ...codes: readonly string[]): Promise<void> {
	await assert.rejects(call, (error) => {
		assertClientError(error);
		assert(codes.includes(error.code), `it rejects with ${error.code}, not ${codes.join(' or ')}`);
		return true;
	});
}

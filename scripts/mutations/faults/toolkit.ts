import type { Fault } from '../fault.ts';

const source = 'core/toolkit/src';
const test = 'core/toolkit/test';
const limits = [`${test}/limits.test.ts`];
const streams = [`${test}/streams.test.ts`];
const referenced = [`${test}/referenced-files.test.ts`];

/** Faults of the toolkit. */
export const toolkitFaults: readonly Fault[] = [
	{
		what: 'an abort between turn and start loses a slot',
		file: `${source}/limits/semaphore.ts`,
		find: 'if (signal?.aborted) this',
		replace: 'if (signal === null) this',
		tests: limits,
	},
	{
		what: 'an aborted task releases a slot that it never had',
		file: `${source}/limits/semaphore.ts`,
		find: '.splice(index, 1);',
		replace: '.splice(index, 1);\n\t\t\tthis.#free++;',
		tests: limits,
	},
	{
		what: 'a failure does not stop the items that follow it',
		file: `${source}/limits/per-tenant-limit.ts`,
		find: 'if (hasFailed) return;',
		replace: '',
		tests: limits,
	},
	{
		what: 'requests of one tenant have a limit each',
		file: `${source}/limits/per-tenant-limit.ts`,
		find: 'this.#tenants.set(tenant, entry);',
		replace: '',
		tests: limits,
	},
	{
		what: 'a share is released twice',
		file: `${source}/limits/capacity.ts`,
		find: '(-this.#held);\n\t\tthis.#held = 0;',
		replace: '(-this.#held);',
		tests: limits,
	},
	{
		what: 'a released share can still reserve',
		file: `${source}/limits/capacity.ts`,
		find: 'take(amount: number): void {\n\t\tif (this',
		replace: 'take(amount: number): void {\n\t\tif (amount < 0 && this',
		tests: limits,
	},
	{
		what: 'the end of a stream is reported twice',
		file: `${source}/streams/with-cleanup.ts`,
		find: 'if (isPending) cleanup();',
		replace: 'cleanup();',
		tests: streams,
	},
	{
		what: 'a stream without a reader is not closed',
		file: `${source}/streams/with-cleanup.ts`,
		find: 'cleanUpOnce();\n\t\t\tawait iterator.return?.();',
		replace: 'await iterator.return?.();',
		tests: streams,
	},
	{
		what: 'a model that ignores its signal is read after the abort',
		file: `${source}/streams/model-stream.ts`,
		find: 'await orAbort(signal, iterator.next())',
		replace: 'await iterator.next()',
		tests: streams,
	},
	{
		what: 'a model with endless output blocks the process',
		file: `${source}/streams/model-stream.ts`,
		find: '=== 0) await',
		replace: '=== -1) await',
		tests: streams,
	},
	{
		what: 'the message of a model reaches the client in an error',
		file: `${source}/streams/model-stream.ts`,
		find: 'throw signal.aborted ? signal.reason : toModelFailure(error);',
		replace: 'throw error;',
		tests: streams,
	},
	{
		what: 'a body with unknown members is passed on',
		file: `${source}/requests/parse-unchanged.ts`,
		find: 'return success && containsAll(data, value) ? data : undefined;',
		replace: 'return success ? data : undefined;',
		tests: [`${test}/parse-unchanged.test.ts`],
	},
	{
		what: 'an empty text of a form is the number 0',
		file: `${source}/requests/form.ts`,
		find: "typeof value === 'string' && /^[+-]?\\d{1,15}(?:\\.\\d{1,15})?$/.test(value)",
		replace: "typeof value === 'string'",
		tests: [`${test}/form.test.ts`],
	},
	{
		what: 'all users of the machine can enter data directories',
		file: `${source}/files/private-dir.ts`,
		find: 'mkdirSync(path, { mode: 0o700 });',
		replace: 'mkdirSync(path);',
		tests: [`${test}/private-dir.test.ts`],
	},
	{
		what: 'a range of pages does not extend the one that it overlaps',
		file: `${source}/documents/ranges.ts`,
		find: '.last, last)',
		replace: '.last)',
		tests: [`${test}/documents/ranges.test.ts`],
	},
	{
		what: 'files that a request names are not counted together',
		file: `${source}/files/referenced-files.ts`,
		find: 'this.#bytes += size;',
		replace: 'this.#bytes = size;',
		tests: referenced,
	},
	{
		what: 'a file that is named twice is copied twice',
		file: `${source}/files/referenced-files.ts`,
		find: 'loaded.set(name, file);',
		replace: '',
		tests: referenced,
	},
];

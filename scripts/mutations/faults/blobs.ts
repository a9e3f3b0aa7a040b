import type { Fault } from '../fault.ts';

const source = 'adapters/fs/src';
const durability = ['adapters/fs/test/durability.test.ts'];
const files = ['adapters/fs/test/fs.test.ts'];

/** Faults of the blob stores on disk, and of the SQLite store. */
export const blobFaults: readonly Fault[] = [
	{
		what: 'no fsync of a blob',
		file: `${source}/write.ts`,
		find: 'handle.sync()',
		replace: 'Promise.resolve()',
		tests: durability,
	},
	{
		what: 'no fsync of the directories of a blob',
		file: `${source}/directory.ts`,
		find: 'for (const parent of parentsOf(directory, path)) await syncIfPresent(parent);',
		replace: '',
		tests: durability,
	},
	{
		what: 'an fsync of the innermost directory of a blob only',
		file: `${source}/directory.ts`,
		find: 'for (const parent of parentsOf(directory, path)) await syncIfPresent(parent);',
		replace: 'await syncIfPresent(dirname(target));',
		tests: durability,
	},
	{
		what: 'no fsync of the directory after a delete',
		file: `${source}/directory.ts`,
		find: ' && (await syncIfPresent(parent))',
		replace: '',
		tests: durability,
	},
	{
		what: 'an aborted put is published',
		file: `${source}/store.ts`,
		find: 'options.signal?.throwIfAborted();',
		replace: '',
		tests: durability,
	},
	{
		what: 'a put that fails leaves its temporary file',
		file: `${source}/store.ts`,
		find: 'await unlink(temporary).catch(() => {});',
		replace: '',
		tests: files,
	},
	{
		what: 'a blob may exceed its limit by one byte',
		file: `${source}/write.ts`,
		find: 'if (size > maxBytes)',
		replace: 'if (size > maxBytes + 1)',
		tests: files,
	},
	{
		what: 'all users of the machine can read blobs',
		file: `${source}/write.ts`,
		find: "open(path, 'wx', 0o600)",
		replace: "open(path, 'wx')",
		tests: files,
	},
	{
		what: 'a link in place of a blob is followed',
		file: `${source}/directory.ts`,
		find: 'constants.O_RDONLY | constants.O_NOFOLLOW',
		replace: 'constants.O_RDONLY',
		tests: files,
	},
	{
		what: 'a sweep removes files that running processes write',
		file: `${source}/directory.ts`,
		find: "if (owner === 'alive') continue;",
		replace: '',
		tests: files,
	},
	{
		what: 'a sweep removes fresh files of unknown writers',
		file: `${source}/directory.ts`,
		find: "if (owner === 'unknown' && mtimeMs >= before) continue;",
		replace: '',
		tests: files,
	},
	{
		what: 'a damaged blob is served',
		file: `${source}/footer.ts`,
		find: 'if (!footer.subarray(jsonBytes).equals(mark)) {',
		replace: 'if (footer.length === 0) {',
		tests: files,
	},
	{
		what: 'a range may end after the end of the blob',
		file: `${source}/store.ts`,
		find: 'end < info.size)',
		replace: 'end <= info.size)',
		tests: files,
	},
	{
		what: 'a range that is refused leaves its file open',
		file: `${source}/store.ts`,
		find: "await handle.close();\n\t\t\tthrow plinthError('E_RANGE_NOT_SATISFIABLE');",
		replace: "throw plinthError('E_RANGE_NOT_SATISFIABLE');",
		tests: files,
	},
	{
		what: 'a full disk is reported as an unreachable one',
		file: `${source}/failures.ts`,
		find: ".has(code) ? 'E_STORE_FULL' :",
		replace: ".has(code) ? 'E_STORE_UNAVAILABLE' :",
		tests: files,
	},
	{
		what: 'a key of a blob leads out of its directory',
		file: 'core/toolkit/src/files/blob-key.ts',
		find: '(?!\\.{1,2}$)',
		replace: '',
		tests: files,
	},
	{
		what: 'a store is closed before its writes are on the disk',
		file: 'adapters/sqlite/src/engine/writer-client.ts',
		find: 'while (this.#waiting.length > 0 || this.#committing.length > 0) {',
		replace: 'while (this.#closed === false) {',
		tests: ['adapters/sqlite/test/close.test.ts'],
	},
];

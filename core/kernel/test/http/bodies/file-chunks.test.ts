import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FileChunks } from '../../../src/http/bodies/files/file-chunks.ts';

const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, n) => n % 251));

async function chunks(): Promise<FileChunks> {
	const folder = await mkdtemp(join(tmpdir(), 'plinth-test-'));
	onTestFinished(() => rm(folder, { recursive: true }));
	await writeFile(join(folder, 'a'), bytes);
	return new FileChunks(join(folder, 'a'));
}

test('a file is read in chunks that stay as they are', async () => {
	const read: Uint8Array[] = [];
	for await (const chunk of await chunks()) read.push(chunk);
	expect(read.length).toBeGreaterThan(1);
	expect(Buffer.concat(read).equals(bytes)).toBe(true);
});

test('a file is read into the memory of its reader, and 0 is its end', async () => {
	const file = await chunks();
	const buffer = new Uint8Array(100_000);
	const read: Buffer[] = [];
	for (;;) {
		const length = await file.readInto(buffer);
		if (length === 0) break;
		read.push(Buffer.from(buffer.subarray(0, length)));
	}
	expect(Buffer.concat(read).equals(bytes)).toBe(true);
	expect(await file.readInto(buffer)).toBe(0);
});

test('a reader that stops early gets nothing more, and one that never began opens nothing', async () => {
	const file = await chunks();
	await file.next();
	await file.return();
	expect(await file.next()).toEqual({ done: true, value: undefined });
	expect(await new FileChunks('/nowhere').return()).toEqual({ done: true, value: undefined });
	await expect(new FileChunks('/nowhere').next()).rejects.toMatchObject({ code: 'ENOENT' });
});

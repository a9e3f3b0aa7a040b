import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { UploadedFile } from '../../../src/contract/http/upload.ts';
import { IncomingFile } from '../../../src/http/bodies/files/incoming-file.ts';
import { Spool } from '../../../src/http/bodies/files/spool.ts';
import { privateTemp } from '../support.ts';

test('an interrupted file is deleted, and the other files stay', async () => {
	const tempFiles = await privateTemp();
	const spool = new Spool();
	const whole = new IncomingFile(spool, 1_000);
	await whole.write('AAAA');
	const kept = (await whole.end()) as UploadedFile;
	const broken = new IncomingFile(spool, 1_000);
	await broken.write('A'.repeat(400));
	await broken.remove();
	const [folder = ''] = await tempFiles();
	expect(await readdir(join(tmpdir(), folder))).toEqual([kept.path.split('/').at(-1)]);
	await spool.remove();
	expect(await tempFiles()).toEqual([]);
});

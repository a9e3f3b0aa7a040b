import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { IncomingFile } from '../../../src/http/bodies/files/incoming-file.ts';
import { Spool } from '../../../src/http/bodies/files/spool.ts';

test('a file whose last byte has come can still be broken off', async () => {
	const spool = new Spool();
	const file = new IncomingFile(spool, 1_000);
	await file.write('AAAA');
	for (let turn = 0; turn < 20; turn++) await setImmediate();
	const whole = file.end();
	await Promise.resolve();
	await file.stop();
	await expect(whole).rejects.toThrow('The file is broken off.');
	await spool.remove();
});

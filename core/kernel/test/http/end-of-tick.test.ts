import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { atEndOfTick } from '../../src/http/exchange.ts';

test('callbacks run after the turn that registered them, in that order', async () => {
	const done: string[] = [];
	atEndOfTick(() => done.push('one'));
	atEndOfTick(() => {
		done.push('two');
		atEndOfTick(() => done.push('four'));
	});
	atEndOfTick(() => done.push('three'));
	expect(done).toEqual([]);
	await new Promise((resolve) => setImmediate(resolve));
	expect(done).toEqual(['one', 'two', 'three']);
	await new Promise((resolve) => setImmediate(resolve));
	expect(done).toEqual(['one', 'two', 'three', 'four']);
});

test('a callback that throws does not prevent the others', async () => {
	const moduleUrl = import.meta.resolve('../../src/http/exchange.ts');
	const script = `
		import { atEndOfTick } from ${JSON.stringify(moduleUrl)};
		process.on('uncaughtException', ({ message }) => console.log(message));
		atEndOfTick(() => { throw new Error('a fault'); });
		atEndOfTick(() => console.log('done'));`;
	const args = ['--input-type=module', '--eval', script];
	const { stdout } = await promisify(execFile)(process.execPath, args);
	expect(stdout).toBe('a fault\ndone\n');
});

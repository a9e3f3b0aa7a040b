import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { soon } from '../../src/http/soon.ts';

test('what is asked for in a turn is done behind it, in that order', async () => {
	const done: string[] = [];
	soon(() => done.push('one'));
	soon(() => {
		done.push('two');
		soon(() => done.push('four'));
	});
	soon(() => done.push('three'));
	expect(done).toEqual([]);
	await new Promise((resolve) => setImmediate(resolve));
	expect(done).toEqual(['one', 'two', 'three']);
	await new Promise((resolve) => setImmediate(resolve));
	expect(done).toEqual(['one', 'two', 'three', 'four']);
});

test('what throws keeps nothing else from being done', async () => {
	const soonUrl = import.meta.resolve('../../src/http/soon.ts');
	const script = `
		import { soon } from ${JSON.stringify(soonUrl)};
		process.on('uncaughtException', ({ message }) => console.log(message));
		soon(() => { throw new Error('a fault'); });
		soon(() => console.log('done'));`;
	const args = ['--input-type=module', '--eval', script];
	const { stdout } = await promisify(execFile)(process.execPath, args);
	expect(stdout).toBe('a fault\ndone\n');
});

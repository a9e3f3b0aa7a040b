import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandFor } from '../src/own-command.ts';

test.each([
	['the built-in composition', undefined, ''],
	['a config that commands find by themselves', join(process.cwd(), 'plinth.config.yaml'), ''],
	['a config of another name', join(process.cwd(), 'gpu.yaml'), ` --config ${join(process.cwd(), 'gpu.yaml')}`],
	['a config in a folder with a space', '/my models/plinth.config.ts', " --config '/my models/plinth.config.ts'"],
])('a printed command for %s can be run as it is', (_name, file, flag) => {
	expect(commandFor(file, 'check')).toBe(`npm run plinth -- check${flag}`);
});

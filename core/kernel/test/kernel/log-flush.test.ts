import { type ChildProcess, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const index = new URL('../../src/index.ts', import.meta.url).href;

/** Stops an app that has just logged more than the buffer of a pipe, and runs `last` at once. */
function stopAndThen(last: string): ChildProcess {
	const program = `
		import { createApp, services } from ${JSON.stringify(index)};
		const app = await createApp({ server: { auth: 'off' }, plugins: {}, log: { format: 'json' } });
		await app.start();
		for (let n = 0; n < 3_000; n += 1) app.service(services.log).info({ n }, 'x'.repeat(100));
		await app.stop();
		${last}`;
	const cwd = fileURLToPath(new URL('.', import.meta.url));
	const args = ['--conditions=@plinth/source', '--input-type=module', '--eval', program];
	const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
	onTestFinished(() => void child.kill('SIGKILL'));
	return child;
}

test.each([
	['is ended', 'process.exit();'],
	['is killed', "process.kill(process.pid, 'SIGKILL');"],
])('a process that %s as soon as its app has stopped has written every line of the log', async (_sentence, last) => {
	const { stderr } = stopAndThen(last);
	const lines = (await text(stderr as NonNullable<typeof stderr>)).trim().split('\n');
	const messages = lines.map((line) => JSON.parse(line) as { n?: number; msg: string });
	expect(messages.at(-1)?.msg).toBe('stopped');
	expect(messages.flatMap(({ n }) => n ?? [])).toEqual(Array.from({ length: 3_000 }, (_, n) => n));
});

test('a log without a reader does not delay the stop', async () => {
	const { stdout } = stopAndThen("process.stdout.write('stopped'); process.kill(process.pid, 'SIGKILL');");
	expect(await text(stdout as NonNullable<typeof stdout>)).toBe('stopped');
});

import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { plinth } from '../../test/support/cli.ts';
import { removeDir, temporaryDir } from '../../test/support/serve.ts';

test('plinth serve exits 1 on an uncaught exception, and prints no secret', {
	timeout: 30_000,
}, async () => {
	const cwd = await temporaryDir('cli-uncaught');
	onTestFinished(() => removeDir(cwd));
	const file = join(import.meta.dirname, 'fixtures/throws-later/plinth.config.ts');
	const env = { PORT: '0', PLINTH_LOG_LEVEL: 'silent' };
	const child = plinth(['serve', '--config', file], { cwd, env });
	onTestFinished(() => child.kill());
	const { code, stderr } = await child.exit;
	expect([code, stderr]).toEqual([1, expect.stringContaining('a timer failed with [redacted]')]);
});

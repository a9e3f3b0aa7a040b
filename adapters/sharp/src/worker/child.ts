/**
 * What runs in the worker process: decodes pictures that come in over stdin, one at a time, and answers over stdout. Ends when stdin
 * does, so that it never outlives its server, and when a picture takes too much memory. Imports nothing of the kernel.
 */
import { Refusal, tooHeavy } from '../failures.ts';
import { beginningOf } from '../input.ts';
import { restrictLoaders } from '../loaders.ts';
import { openPicture, perform } from '../picture.ts';
import { type Frame, readFrames, writeFrame } from './frames.ts';
import { type Answer, maxWorkerBytes, type Outcome, type Request } from './messages.ts';

/** How often memory is looked at: a decoder fills some 20 MB in this time. */
const watchMs = 10;

const rss = () => process.memoryUsage.rss();

function send(answer: Answer, body?: Uint8Array, done?: () => void): void {
	writeFrame(process.stdout, answer, body, done);
}

/** Not `process.exit`, which would wait for decoders under way. */
function end(): void {
	process.kill(process.pid, 'SIGKILL');
}

async function work({ header, body }: Frame): Promise<void> {
	const watch = setInterval(() => {
		if (rss() > maxWorkerBytes) send(refused(tooHeavy()), undefined, end);
	}, watchMs);
	try {
		const { task, path } = header as Request;
		const image = path === undefined ? body : { path };
		const picture = await openPicture(image, await beginningOf(image));
		const { data, ...value } = { data: undefined, ...(await perform(picture, task)) };
		send({ kind: 'done', value, rss: rss() }, data);
	} catch (error) {
		send(error instanceof Refusal ? refused(error) : failed(error));
	} finally {
		clearInterval(watch);
		// Pixels that were sent are only garbage now, which Node would keep for long: its own heap is small.
		setImmediate(() => globalThis.gc?.());
	}
}

function refused({ code, sentence, cause }: Refusal): Outcome {
	const reason = cause instanceof Error ? cause.message : undefined;
	return { kind: 'refused', code, sentence, cause: reason, rss: rss() };
}

function failed(error: unknown): Outcome {
	return { kind: 'failed', message: String(error), rss: rss() };
}

// The server decides when it ends: it may still need its worker after a signal to the whole process group.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.stdout.on('error', end);
restrictLoaders();
send({ kind: 'ready' });
// Not awaited: the end of stdin must be seen during a task too.
for await (const frame of readFrames(process.stdin)) void work(frame);
end();

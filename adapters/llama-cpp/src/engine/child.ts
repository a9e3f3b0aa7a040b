/** The process of one model: it loads the file, makes answers, and ends with its parent. */
import { makeAnswer } from './answer.ts';
import { type Engine, loadEngine } from './load.ts';
import type { AnswerTask, LoadOptions, Request, Response } from './messages.ts';

const running = new Map<number, AbortController>();
let engine: Engine;

const send = (response: Response) => process.send?.(response);

// Signals to the process group are ignored: requests may still be running. The parent ends this process.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
// Not `process.exit`, which waits for native work.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

process.on('message', (request: Request) => {
	if (request.type === 'load') void load(request.options);
	else if (request.type === 'answer') void answer(request.id, request.task);
	else running.get(request.id)?.abort();
});

async function load(options: LoadOptions): Promise<void> {
	try {
		engine = await loadEngine(options);
		const { type = 'model', architecture = 'unknown' } = engine.model.fileInfo.metadata.general ?? {};
		send({ type: 'loaded', kind: type === 'model' ? architecture : type });
	} catch (error) {
		send({ type: 'notLoaded', message: String(error) });
	}
}

async function answer(id: number, task: AnswerTask): Promise<void> {
	const stop = new AbortController();
	running.set(id, stop);
	const answered = makeAnswer(engine, task, stop.signal, (event) => send({ type: 'event', id, event }));
	const problem = await answered.catch((error) => ({ message: String(error) }));
	running.delete(id);
	send({ type: 'end', id, problem });
}

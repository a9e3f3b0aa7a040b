import { media } from './media';

/** Starts Plinth, which continues the jobs of an earlier run, and stops it on a signal before the process ends. */
export async function begin(): Promise<void> {
	const app = await media();
	await app.start();
	for (const signal of ['SIGINT', 'SIGTERM'] as const) {
		process.once(signal, async () => {
			await app.stop();
			process.exit(0);
		});
	}
}

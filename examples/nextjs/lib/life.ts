import { media } from './media';

/** Lets jobs that an earlier run has left go on, and makes a signal end Plinth before the process. */
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

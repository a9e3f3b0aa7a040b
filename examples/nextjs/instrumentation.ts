/** Next calls this once in each runtime, before its first request. */
export async function register(): Promise<void> {
	if (process.env.NEXT_RUNTIME === 'nodejs') await (await import('./lib/life')).begin();
}

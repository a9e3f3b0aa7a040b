/** Answers each message `{ collect: true }` with the bytes in use once garbage is collected. Needs `--expose-gc`. */
export function collectWhenAsked(): void {
	process.on('message', (message: { readonly collect?: boolean }) => {
		if (!message.collect) return;
		// Twice: finalizers of the first pass free more.
		for (let pass = 0; pass < 2; pass += 1) globalThis.gc?.();
		const { heapUsed, external } = process.memoryUsage();
		process.send?.({ bytes: heapUsed + external });
	});
}

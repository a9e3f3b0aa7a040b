/** Waits in real time until `condition` is true. Rejects after `timeoutMs`, with `what` in the message. */
export async function eventually(
	what: string,
	condition: () => boolean | Promise<boolean>,
	timeoutMs = 5_000,
): Promise<void> {
	const deadline = Date.now() + timeoutMs;
	while (!(await condition())) {
		if (Date.now() > deadline) throw new Error(`Waited ${timeoutMs} ms in vain: ${what}.`);
		await new Promise((resolve) => setTimeout(resolve, 2));
	}
}

const triesMs = 10;

/** Waits until a server answers a request with any status. Throws with its name after 20 seconds. */
export async function untilAnswers(url: string, name: string): Promise<void> {
	const giveUp = performance.now() + 20_000;
	while (performance.now() < giveUp) {
		const hasAnswered = await fetch(url).then(
			(answer) => answer.body?.cancel().then(() => true) ?? true,
			() => false,
		);
		if (hasAnswered) return;
		await new Promise((resolve) => setTimeout(resolve, triesMs));
	}
	throw new Error(`${name} did not start.`);
}

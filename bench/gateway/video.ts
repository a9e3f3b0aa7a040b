const timeoutMs = 20_000;

/** Makes a video and returns its id once it is completed. Throws after 20 seconds. */
export async function finishedVideo(url: string, headers: Readonly<Record<string, string>>): Promise<string> {
	const body = JSON.stringify({ model: 'mock', prompt: 'A lighthouse above the sea' });
	const { id } = await ask(`${url}/v1/videos`, {
		method: 'POST',
		body,
		headers: { ...headers, 'content-type': 'application/json' },
	});
	const giveUp = performance.now() + timeoutMs;
	while (performance.now() < giveUp) {
		const record = await ask(`${url}/v1/videos/${id}`, { headers });
		if (record.status === 'completed') return id;
		if (record.status === 'failed') throw new Error(`The video failed: ${JSON.stringify(record)}`);
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
	throw new Error('The video was not made in time.');
}

interface VideoRecord {
	readonly id: string;
	readonly status: string;
}

async function ask(url: string, init: RequestInit): Promise<VideoRecord> {
	const answer = await fetch(url, init);
	if (!answer.ok) throw new Error(await answer.text());
	return (await answer.json()) as VideoRecord;
}

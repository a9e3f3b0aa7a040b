import { plinth } from '@plinth/hosts/fetch';
import Image from 'next/image';
import { media } from '../lib/media';

interface Props {
	readonly searchParams: Promise<{ readonly prompt?: string }>;
}

/** A page of the host, rendered on the server. It calls Plinth without a network request. */
export default async function Page({ searchParams }: Props) {
	const { prompt } = await searchParams;
	return (
		<main>
			<h1>my own page</h1>
			<form>
				<input name="prompt" placeholder="a red boat" defaultValue={prompt} />
				<button type="submit">Draw</button>
			</form>
			{prompt && <Image src={await picture(prompt)} alt={prompt} width={256} height={256} unoptimized />}
		</main>
	);
}

/** A picture as a data URL. The page requests it as itself, so its visitors need no session. */
async function picture(prompt: string): Promise<string> {
	const request = new Request('http://localhost/v1/images/generations', {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ model: 'builtin-image', prompt, size: '256x256' }),
	});
	const answer = await plinth(await media())(request, { id: 'home-page', team: 'pages' });
	if (!answer.ok) throw new Error(`No picture of "${prompt}": ${await answer.text()}`);
	const { data } = (await answer.json()) as { data: { b64_json: string }[] };
	return `data:image/png;base64,${data[0]?.b64_json}`;
}

import type { RawClient } from '../client.ts';
import type { Operation } from './document.ts';
import { type FileValue, isFile } from './facts.ts';
import { perishable } from './perishable.ts';
import { fileMark } from './schemas.ts';

const upload = 'POST /v1/files';

/** Stores a file and answers with its id. */
export async function storeFile(client: RawClient, bytes: string | Uint8Array): Promise<string> {
	const form = new FormData();
	form.append('purpose', 'user_data');
	form.append('file', new Blob([Buffer.from(bytes)]), 'a.txt');
	const answer = await client.send('/v1/files', { method: 'POST', body: form });
	return ((await answer.json()) as { id: string }).id;
}

/** What exists for the operations of stored files. */
export async function fileFacts(client: RawClient, stranger: RawClient) {
	const kept = await storeFile(client, 'Hello');
	const deleted = await storeFile(client, 'gone');
	await client.send(`/v1/files/${deleted}`, { method: 'DELETE' });
	const foreign = await storeFile(stranger, 'not yours');
	const doomed = perishable(() => storeFile(client, 'to be deleted'));
	return {
		/** A text. */
		kept,
		// Whatever it is, it can be kept.
		anyFile: [upload],
		whole: { [upload]: isOneFile },
		async live({ name }: Operation) {
			return name === 'DELETE /v1/files/{id}' ? doomed.id() : kept;
		},
		absent: [`file-${'0'.repeat(44)}`, deleted, foreign, `${kept}0`, kept.toUpperCase(), 'file-1'],
		async clear({ name }: Operation, status: number, body: unknown) {
			if (name === 'DELETE /v1/files/{id}' && status === 200) doomed.used();
			if (name !== upload || status !== 200) return;
			await client.send(`/v1/files/${(body as { id: string }).id}`, { method: 'DELETE' });
		},
	};
}

/** One file that is not empty, and none under another name, however deep. */
function isOneFile(body: Readonly<Record<string, unknown>>): boolean {
	const sent = filesIn(body);
	return sent.length === 1 && sent.every((each) => each[fileMark].bytes.byteLength > 0);
}

function filesIn(value: unknown): readonly FileValue[] {
	if (typeof value !== 'object' || value === null) return [];
	return isFile(value) ? [value] : Object.values(value).flatMap(filesIn);
}

import type { RawClient } from '../client.ts';
import { consumable } from './consumable.ts';
import type { Operation } from './document.ts';
import { type FileValue, isFile } from './facts.ts';
import { fileMark } from './schemas.ts';

const upload = 'POST /v1/files';

/** Stores a file and returns its id. */
export async function storeFile(client: RawClient, bytes: string | Uint8Array): Promise<string> {
	const form = new FormData();
	form.append('purpose', 'user_data');
	form.append('file', new Blob([Buffer.from(bytes)]), 'a.txt');
	const response = await client.send('/v1/files', { method: 'POST', body: form });
	return ((await response.json()) as { id: string }).id;
}

/** Facts of the file operations. */
export async function fileFacts(client: RawClient, otherTenant: RawClient) {
	const textFile = await storeFile(client, 'Hello');
	const deleted = await storeFile(client, 'gone');
	await client.send(`/v1/files/${deleted}`, { method: 'DELETE' });
	const ofOtherTenant = await storeFile(otherTenant, 'not yours');
	const deletable = consumable(() => storeFile(client, 'to be deleted'));
	return {
		/** The id of a text file. */
		textFile,
		// Files of any type can be stored.
		anyFile: [upload],
		bodyRules: { [upload]: isOneFile },
		async live({ name }: Operation) {
			return name === 'DELETE /v1/files/{id}' ? deletable.id() : textFile;
		},
		absent: [`file-${'0'.repeat(44)}`, deleted, ofOtherTenant, `${textFile}0`, textFile.toUpperCase(), 'file-1'],
		async clear({ name }: Operation, status: number, body: unknown) {
			if (name === 'DELETE /v1/files/{id}' && status === 200) deletable.markUsed();
			if (name !== upload || status !== 200) return;
			await client.send(`/v1/files/${(body as { id: string }).id}`, { method: 'DELETE' });
		},
	};
}

/** Exactly one file, which is not empty, at any depth. */
function isOneFile(body: Readonly<Record<string, unknown>>): boolean {
	const files = filesIn(body);
	return files.length === 1 && files.every((each) => each[fileMark].bytes.byteLength > 0);
}

function filesIn(value: unknown): readonly FileValue[] {
	if (typeof value !== 'object' || value === null) return [];
	return isFile(value) ? [value] : Object.values(value).flatMap(filesIn);
}

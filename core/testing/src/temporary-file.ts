import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Calls `use` with the path of a temporary file. Its name has misleading extensions. */
export async function withFile<T>(bytes: Uint8Array, use: (path: string) => Promise<T>): Promise<T> {
	const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
	try {
		const path = join(folder, 'file.docx.gif');
		await writeFile(path, bytes);
		return await use(path);
	} finally {
		await rm(folder, { recursive: true });
	}
}

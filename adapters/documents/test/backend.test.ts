import { createBackend } from '@plinth/testing';
import type { DocumentReader } from '@plinth/toolkit';
import { expect, it } from 'vitest';
import { documentReader } from '../src/index.ts';

it('a reader that is stopped rejects all reads, also when it was never used', async () => {
	const fresh = await createBackend<DocumentReader>(documentReader());
	await fresh.stop();
	await expect(fresh.provided.read(Buffer.from('a'))).rejects.toThrow('was stopped');

	const used = await createBackend<DocumentReader>(documentReader());
	const early = used.provided.read(Buffer.from('a')).catch((error: Error) => error.message);
	await used.stop();
	expect(await early).toBe('The document reader was stopped.');
	await expect(used.provided.read(Buffer.from('a'))).rejects.toThrow('was stopped');
});

it('the name of a language must be a plain word', () => {
	const { config } = documentReader.definition;
	expect(config.safeParse({ ocr: { languages: ['../../etc'] } }).success).toBe(false);
	expect(config.safeParse({ ocr: { languages: ['chi_sim', 'eng'] } }).success).toBe(true);
	expect(config.safeParse({ ocr: false }).success).toBe(true);
	expect(config.parse({})).toEqual({ workers: 2, ocr: { languages: ['eng'] } });
});

it('a reader has another version when it reads other languages', async () => {
	const backends = await Promise.all(
		[false as const, {}, { languages: ['eng', 'deu'] }].map((ocr) =>
			createBackend<DocumentReader>(documentReader({ ocr })),
		),
	);
	expect(new Set(backends.map(({ provided }) => provided.version)).size).toBe(3);
	await Promise.all(backends.map((backend) => backend.stop()));
});

import { createBackend, documentReaderSuite, type RunningBackend } from '@plinth/testing';
import type { DocumentReader } from '@plinth/toolkit';
import { afterAll, beforeAll, test } from 'vitest';
import { documentReader } from '../src/index.ts';

let backend: RunningBackend<DocumentReader>;

beforeAll(async () => {
	backend = await createBackend<DocumentReader>(documentReader());
});

afterAll(() => backend.stop());

for (const { name, run } of documentReaderSuite({
	// All cases share one backend: starting processes is slow.
	create: async () => ({ reader: backend.provided, close: async () => {} }),
})) {
	test(name, run, 30_000);
}

import assert from 'node:assert/strict';
import { assertRefused, type ConformanceCase } from '../conformance.ts';
import { withFile } from '../temporary-file.ts';
import { smallPdf } from './small-pdf.ts';
import type { ReaderCase } from './subject.ts';

const letter = smallPdf({ pages: [['Dear Ada,']] });

/** Bytes that are not a document. */
const unsupported: Readonly<Record<string, Buffer>> = {
	'a program': Buffer.concat([Buffer.from('\x7fELF\x02\x01\x01', 'latin1'), bytesFrom(7, 4_000)]),
	'a film': Buffer.concat([Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0', 'latin1'), bytesFrom(9, 4_000)]),
	noise: bytesFrom(3, 4_000),
};

function bytesFrom(seed: number, length: number): Buffer {
	let state = seed;
	const next = () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state >>> 24;
	};
	return Buffer.from(Uint8Array.from({ length }, next));
}

/** Cases on input that is refused, and on the code of the error. */
export function refusingCases(it: ReaderCase): ConformanceCase[] {
	return [
		...Object.entries(unsupported).map(([name, bytes]) =>
			it(`${name} is unsupported`, async ({ reader }) => {
				await assertRefused(reader.read(bytes), 'E_DOCUMENT_UNSUPPORTED');
				const ofFile = withFile(bytes, (path) => reader.read({ path }));
				await assertRefused(ofFile, 'E_DOCUMENT_UNSUPPORTED');
			}),
		),
		it('a PDF of which only the beginning is left is unreadable', async ({ reader }) => {
			for (const length of [9, 60]) {
				await assertRefused(reader.read(letter.subarray(0, length)), 'E_DOCUMENT_UNREADABLE');
			}
		}),
		it('an archive that was cut off is unreadable', async ({ reader }) => {
			const head = Buffer.from('PK\x03\x04\x14\0\0\0\x08\0', 'latin1');
			const cut = Buffer.concat([head, bytesFrom(5, 2_000)]);
			await assertRefused(reader.read(cut), 'E_DOCUMENT_UNREADABLE', 'E_DOCUMENT_UNSUPPORTED');
		}),
		it('a PDF that needs a password is encrypted', async ({ reader }) => {
			const locked = smallPdf({ pages: [['Secret']], isLocked: true });
			await assertRefused(reader.read(locked), 'E_DOCUMENT_ENCRYPTED');
		}),
		it('a document after a refused one is read', async ({ reader }) => {
			await assertRefused(reader.read(bytesFrom(1, 900)), 'E_DOCUMENT_UNSUPPORTED');
			assert.equal((await reader.read(letter)).pageCount, 1);
		}),
	];
}

import { readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

const folder = resolve(import.meta.dirname, '../public');

/** The HTML of a drawing of docs/public. It stands in the page itself, so that it has the colours of the page. */
export function drawing(src: string): string {
	const svg = readFileSync(join(folder, basename(src)), 'utf8').trim();
	return `<figure class="drawing" v-pre>${svg}</figure>`;
}

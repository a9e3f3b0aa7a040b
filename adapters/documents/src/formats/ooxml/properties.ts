import type { DocumentMetadata } from '@plinth/toolkit';
import type { OfficePackage } from './package.ts';

/** What the document says of itself: title, author, and when it was made. */
export async function metadataOf(office: OfficePackage): Promise<DocumentMetadata> {
	const texts = new Map<string, string>();
	let inside = '';
	const part = (await office.relations('')).find(({ kind }) => kind === 'core-properties')?.target;
	await office.readIfSound(part ?? 'docProps/core.xml', {
		open(name) {
			inside = name;
		},
		text(text) {
			texts.set(inside, (texts.get(inside) ?? '') + text);
		},
		close() {
			inside = '';
		},
	});
	const [title, author, made] = ['dc:title', 'dc:creator', 'dcterms:created'].map((name) => texts.get(name)?.trim());
	const created = new Date(made ?? Number.NaN);
	return {
		...(title ? { title } : {}),
		...(author ? { author } : {}),
		...(Number.isNaN(created.getTime()) ? {} : { created: created.toISOString() }),
	};
}

import type { Body, Close, Facts, Opening } from './body.ts';

/** What a document says of itself, and what is on every page, by the element. */
export const facts: readonly (readonly [string, Opening])[] = [
	['office:meta', meta],
	['dc:title', fact('title')],
	['meta:initial-creator', fact('author')],
	['dc:creator', fact('editor')],
	['meta:creation-date', fact('created')],
	['style:style', (body, attributes) => void body.styles.begin(attributes)],
	...['paragraph', 'text', 'drawing-page'].map((kind): readonly [string, Opening] => [
		`style:${kind}-properties`,
		(body, attributes) => void body.styles.set(attributes),
	]),
	['style:master-page', master],
	...['', '-left', '-first'].flatMap((kind): (readonly [string, Opening])[] => [
		[`style:header${kind}`, onEveryPage('header')],
		[`style:footer${kind}`, onEveryPage('footer')],
	]),
];

function meta(body: Body): Close {
	body.isInMeta = true;
	return () => {
		body.isInMeta = false;
	};
}

function fact(name: keyof Facts): Opening {
	return (body) => {
		// Comments have creators, too.
		if (!body.isInMeta) return undefined;
		const end = body.apart((lines) => {
			if (lines.length > 0) body.facts[name] ??= lines.join(' ');
		});
		const endText = body.paragraph();
		return () => {
			endText();
			end();
		};
	};
}

function master(body: Body, attributes: Readonly<Record<string, string>>): Close {
	body.masters.begin(attributes['style:name'] ?? '', attributes['style:next-style-name']);
	return body.apart(() => {});
}

function onEveryPage(place: 'header' | 'footer'): Opening {
	return (body, attributes) => {
		const { current } = body.masters;
		if (!current || attributes['style:display'] === 'false') return body.hide();
		return body.apart((lines) => {
			for (const line of lines) current[place].push(line);
		});
	};
}

import { isUtf8 } from 'node:buffer';
import { Parser } from 'htmlparser2';
import { decodeAs, decodeText } from '../charset.ts';
import type { FormatReader } from '../format.ts';
import { metadataIn, parseOffice } from './parts.ts';
import { writeNodes } from './write.ts';

/** Reads HTML and XHTML, whole pages or fragments, as the text that a browser shows. */
export const readHtml: FormatReader = async (bytes, { options }) => {
	// The byte order mark overrides the page's charset.
	const ast = await parseOffice(Buffer.from(`\uFEFF${shownHtml(bytes)}`), 'html');
	const text = writeNodes(ast.content, { isMarkdown: options.format === 'markdown' }).join('\n\n');
	return { mediaType: 'text/html', text, metadata: metadataIn(ast) };
};

const declaration = /<(?:meta\b[^>]{0,500}?\bcharset|\?xml\b[^>]{0,200}?\bencoding)\s*=\s*["']?\s*([\w.:-]{2,40})/i;

/** Decodes by the declared charset, unless the bytes contradict it. ASCII bytes cannot be UTF-16. */
function decoded(bytes: Uint8Array): string {
	const declared = declaration.exec(Buffer.from(bytes.subarray(0, 2_048)).toString('latin1'))?.[1] ?? 'utf-8';
	const usesDeclared = !isUtf8(bytes) && !/^(?:utf|ucs)/i.test(declared);
	return (usesDeclared ? decodeAs(bytes, declared) : undefined) ?? decodeText(bytes).text;
}

/** The library refuses deeper nesting. The tags of deeper elements are removed, and their text is kept. */
const [maxDepth, maxOpen] = [200, 5_000];
const hidingStyle = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;
/** Elements whose texts the library would join without blanks. */
const fields = /^(?:input|select|optgroup|option|button|textarea|summary)$/;

/** The visible value of an input, as HTML. None for unchecked boxes, which are often styled as something else. */
function inputText({ type = '', value = '', checked }: Readonly<Record<string, string>>): string {
	if (/^(?:checkbox|radio)$/i.test(type)) return checked === undefined ? '' : '[x]';
	if (/^(?:hidden|password|file|image|color|range)$/i.test(type)) return '';
	return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** HTML without hidden elements. Fields are replaced by their values. */
export function shownHtml(bytes: Uint8Array): string {
	const html = decoded(bytes);
	const parts: string[] = [];
	let [kept, depth, hidden] = [0, 0, 0];
	const cut = (start: number, end: number, text = '') => {
		parts.push(html.slice(kept, start), ' ', text);
		kept = Math.max(kept, end);
	};
	const parser = new Parser({
		onopentag(name, { style = '', hidden: isHidden, ...attributes }) {
			depth += 1;
			if (depth > maxOpen) parser.pause();
			if (hidden > 0) return;
			if (isHidden !== undefined || hidingStyle.test(style) || name === 'dialog') hidden = depth;
			if (hidden === 0 && !fields.test(name) && depth <= maxDepth) return;
			cut(parser.startIndex, parser.endIndex + 1, name === 'input' && hidden === 0 ? inputText(attributes) : '');
		},
		onclosetag(name, isImplied) {
			const end = isImplied ? parser.startIndex : parser.endIndex + 1;
			if (hidden === depth) [hidden, kept] = [0, end];
			else if (hidden === 0 && (fields.test(name) || depth > maxDepth)) cut(parser.startIndex, end);
			depth -= 1;
		},
	});
	parser.end(html);
	const rest = hidden > 0 ? '' : html.slice(kept);
	return parts.join('') + (depth > maxOpen ? rest.replace(/<[^>]{0,2000}>/g, ' ') : rest);
}

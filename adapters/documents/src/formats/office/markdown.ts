import { parseOffice } from './parts.ts';
import { writeNodes } from './write.ts';

/** Markdown as text without its marks. A text that the library cannot read stays as it is. */
export async function markdownText(text: string): Promise<string> {
	const ast = await parseOffice(Buffer.from(text), 'md').catch(() => undefined);
	return ast ? writeNodes(ast.content, { isMarkdown: false }).join('\n\n') : text;
}

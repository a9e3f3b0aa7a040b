/** A heading with an empty line above and below. A comment of a script or of a config seldom has both. */
const heading = /(?:^|\n[ \t]*\n)#{1,6} \S.*(?=\n[ \t]*\n|\n?$)/g;

/** Marks that only Markdown has. */
const uniqueMarks = [
	/^(?:```|~~~)/m,
	/\[[^\]\n]{1,200}\]\([\w./#-][^)\s]{0,300}\)/,
	/(?<![\w*\\])\*\*[^\s*][^*\n]{0,200}\*\*(?!\w)/,
	/^\|?(?: *:?-{3,}:? *\|)+(?: *:?-{3,}:?)? *$/m,
];
/** Marks that other texts also have: of lists, quotations, emphasis and code. */
const sharedMarks = [
	/^(?:[-*+]|\d{1,3}[.)]) +\S/m,
	/^> ?\S/m,
	/(?<![\w*\\])\*[^\s*][^*\n]{0,200}\*(?![\w*])/,
	/(?<!`)`[^`\n]{1,200}`(?!`)/,
];

/** Lines of source code, of a config or of a table of text. */
const codeLines = [
	/[\w.-]+:(?: .*)?/,
	/(?![-*+>] |\d+[.)] ).*[;{}]/,
	/.*\S[ \t]{2,}# .*/,
	/[ \t]*[\w.[\]]+ ?[-+]?= ?.*/,
	/[ \t]*(?:import|export|from|def|class|if|for|return|echo) .*/,
];
const code = new RegExp(`^(?:${codeLines.map(({ source }) => source).join('|')})$`, 'gm');

/** Whether the start of a text is certainly Markdown. Source code and configs also have headings and lists. */
export function isMarkdown(start: string): boolean {
	const text = start.slice(0, 65_536).replaceAll('\r\n', '\n');
	const prose = text.replace(/^---\n[\s\S]{0,5000}?\n---\n/, '').replace(/^(```|~~~)[\s\S]*?^\1/gm, '');
	const lines = prose.match(/^.*\S.*$/gm)?.length ?? 0;
	const codes = prose.match(code)?.length ?? 0;
	const comments = prose.match(/^#/gm)?.length ?? 0;
	if (codes * 8 > lines || comments * 10 > lines * 7) return false;
	const count = (marks: readonly RegExp[]) => marks.filter((mark) => mark.test(text)).length;
	const titles = text.match(heading)?.length ?? 0;
	if (titles === 0) return count(uniqueMarks) > 1;
	return titles > 1 || (codes === 0 && /^# \S/.test(prose.trimStart())) || count([...uniqueMarks, ...sharedMarks]) > 0;
}

/** Text at the top or bottom of pages. */
export type Edge = 'header' | 'firstHeader' | 'evenHeader' | 'footer' | 'firstFooter' | 'evenFooter';

/** What happens to the text of a group that begins with this word. */
export type Destination =
	| 'ignore'
	| 'fonts'
	| 'styles'
	| 'title'
	| 'author'
	| 'created'
	| Edge
	| 'note'
	| 'comment'
	| 'box'
	| 'marker'
	/** Text of the place around it, though the group in between is a frame. */
	| 'shown'
	/** Its own text is nothing, that of groups inside it may be. */
	| 'frame';

/** The destination that a word begins, undefined for words that begin none. `starred`: an asterisk says that readers may ignore what they do not know. */
export function destinationOf(word: string, starred: boolean): Destination | undefined {
	const known = destinations.get(word);
	if (known) return known;
	return starred && !transparent.has(word) ? 'ignore' : undefined;
}

const ignored = [
	...['colortbl', 'filetbl', 'listtable', 'listoverridetable', 'revtbl', 'rsidtbl'],
	...['pict', 'nonshppict', 'objdata', 'objclass', 'objname', 'shprslt', 'sp', 'nonesttables'],
	...['fldinst', 'datafield', 'formfield', 'xe', 'tc', 'tcn', 'rxe', 'txe', 'private1', 'pnseclvl'],
	...['atnid', 'atnauthor', 'atntime', 'atnref', 'atndate', 'atnicn', 'atnparent'],
	...['ftnsep', 'ftnsepc', 'ftncn', 'aftnsep', 'aftnsepc', 'aftncn', 'template', 'generator'],
	...['operator', 'company', 'manager', 'category', 'keywords', 'subject', 'comment', 'doccomm'],
	...['hlinkbase', 'revtim', 'printim', 'buptim', 'bkmkstart', 'bkmkend', 'mmathPict', 'mmathPr'],
	...['falt', 'panose', 'fontemb', 'themedata', 'colorschememapping', 'latentstyles', 'datastore'],
];

const destinations = new Map<string, Destination>([
	...ignored.map((word) => [word, 'ignore'] as const),
	['fonttbl', 'fonts'],
	['stylesheet', 'styles'],
	['info', 'frame'],
	['title', 'title'],
	['author', 'author'],
	['creatim', 'created'],
	['header', 'header'],
	['headerr', 'header'],
	['headerl', 'evenHeader'],
	['headerf', 'firstHeader'],
	['footer', 'footer'],
	['footerr', 'footer'],
	['footerl', 'evenFooter'],
	['footerf', 'firstFooter'],
	['footnote', 'note'],
	['annotation', 'comment'],
	['shptxt', 'box'],
	['dptxbxtext', 'box'],
	['shp', 'frame'],
	['shpinst', 'frame'],
	['do', 'frame'],
	['listtext', 'marker'],
	['pntext', 'marker'],
	['upr', 'frame'],
	['ud', 'shown'],
]);

/** Starred groups whose text is part of the text around them. */
const transparent = new Set([...['nesttableprops', 'moMath', 'moMathPara', 'shppict', 'pnsec', 'mmath', 'result']]);

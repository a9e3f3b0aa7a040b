/** Elements that end where another begins. */
export interface Ending {
	readonly names: readonly string[];
	/** Those outside of an element of these names do not. */
	readonly within: ReadonlySet<string>;
}

const names = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const tableParts = names('table caption thead tbody tfoot tr td th');
const scope = names('table td th caption template button object svg math');
const listScope = names('table td th caption template button object svg math ul ol menu dir');
const termScope = names('table td th caption template button object svg math dl');
const table = names('table');
const row = names('table tr');
const headings = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];
const voids = names('area base basefont br col embed frame hr img input keygen link meta param source track wbr');

/** Blocks, which no paragraph can hold. */
const blocks =
	'address article aside blockquote center details dialog dd dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr li listing main menu nav ol p pre search section summary table ul xmp';
const paragraph: Ending = { names: ['p'], within: scope };

const endings = new Map<string, readonly Ending[]>([
	...blocks.split(' ').map((name): [string, readonly Ending[]] => [name, [paragraph]]),
	['li', [{ names: ['li'], within: listScope }, paragraph]],
	...['dd', 'dt'].map((name): [string, readonly Ending[]] => [
		name,
		[{ names: ['dd', 'dt'], within: termScope }, paragraph],
	]),
	...headings.map((name): [string, readonly Ending[]] => [
		name,
		[paragraph, { names: headings, within: names(`${[...scope].join(' ')} div section article li`) }],
	]),
	['select', [{ names: ['select'], within: tableParts }]],
	['button', [{ names: ['button'], within: names('table td th caption template object') }]],
	['option', [{ names: ['option'], within: names('select datalist optgroup') }]],
	['optgroup', [{ names: ['optgroup', 'option'], within: names('select datalist') }]],
	['rt', [{ names: ['rt', 'rp'], within: names('ruby') }]],
	['rp', [{ names: ['rt', 'rp'], within: names('ruby') }]],
	['td', [{ names: ['td', 'th', 'caption'], within: row }]],
	['th', [{ names: ['td', 'th', 'caption'], within: row }]],
	['tr', [{ names: ['tr', 'caption'], within: table }]],
	...['thead', 'tbody', 'tfoot', 'caption', 'colgroup'].map((name): [string, readonly Ending[]] => [
		name,
		[
			{ names: ['thead', 'tbody', 'tfoot', 'caption'], within: table },
			{ names: ['tr'], within: table },
		],
	]),
]);
const none: readonly Ending[] = [];
const nothing: ReadonlySet<string> = new Set();

/** What ends, in this order, where an element of this name begins. */
export function closedBy(name: string): readonly Ending[] {
	return endings.get(name) ?? none;
}

/** The elements that an end tag of this name ends: any heading's end tag ends a heading. */
export function endedBy(name: string): readonly string[] {
	return headings.includes(name) ? headings : [name];
}

/** Beyond which elements an end tag of this name does not reach. */
export function scopeOf(name: string): ReadonlySet<string> {
	if (name === 'table') return nothing;
	if (tableParts.has(name)) return table;
	return name === 'li' ? listScope : scope;
}

/** Elements without content, and so without an end tag. */
export function isVoid(name: string): boolean {
	return voids.has(name);
}

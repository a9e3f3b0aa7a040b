import { signal } from '@preact/signals';

/** The parts of a fragment such as `#/jobs/video_1?kind=video`. */
export interface Route {
	/** The first part: the name of a view. */
	readonly view: string;
	/** The parts after it, decoded. */
	readonly rest: readonly string[];
	readonly query: URLSearchParams;
}

/** The current route. */
export const currentRoute = signal<Route>(parse(location.hash));

/** Updates the current route when the fragment changes. */
export function startRouter(): void {
	addEventListener('hashchange', () => (currentRoute.value = parse(location.hash)));
}

/** The address of a route, for links. Parts are encoded. */
export function linkTo(
	view: string,
	rest: readonly string[] = [],
	query: Readonly<Record<string, string>> = {},
): string {
	const path = [view, ...rest].map(encodeURIComponent).join('/');
	const search = new URLSearchParams(query).toString();
	return `#/${path}${search && `?${search}`}`;
}

/** Navigates to an address. With `replace`, the back button skips the current one. */
export function goTo(address: string, { replace = false } = {}): void {
	if (replace) location.replace(address);
	else location.assign(address);
}

function parse(hash: string): Route {
	const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?', 2);
	const [view = '', ...rest] = path.split('/').map(decode);
	return { view, rest: rest.filter((part) => part !== ''), query: new URLSearchParams(search) };
}

/** The user may have typed an invalid address. */
function decode(part: string): string {
	try {
		return decodeURIComponent(part);
	} catch {
		return part;
	}
}

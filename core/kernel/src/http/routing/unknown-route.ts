import { nearest } from '../../contract/words.ts';
import type { Target } from '../context.ts';

/** Paths of OpenAI's API, each with the end of the path of this server that serves the same purpose. */
const ofOpenAi: readonly (readonly [paths: RegExp, use?: string])[] = [
	[/^(?:\/v1)?\/(?:responses|conversations|assistants|threads|completions|realtime)(?:\/|$)/, '/completions'],
	[/^(?:\/v1)?\/uploads(?:\/|$)/, '/files'],
	[/^(?:\/v1)?\/(?:embeddings|moderations|batches|fine_tuning|vector_stores)(?:\/|$)/],
	[/^(?:\/v1)?\/[a-z]+\/(?:transcriptions|translations|variations)$/],
];

/**
 * The message for a request without a route. It names the route that the client probably meant, if there is one.
 * `basePath` is put before all paths. `find` returns the template of the route of a path.
 */
export function unknownRoute(
	method: string,
	{ path, basePath }: Pick<Target, 'path' | 'basePath'>,
	templates: readonly string[],
	find: (path: string) => string | undefined,
): string {
	const message = `There is no route ${method.slice(0, 20)} ${shownPath(basePath + path)}`;
	const short = path.slice(0, 100).replace(/\/+$/, '');
	const unsupported = ofOpenAi.find(([paths]) => paths.test(short));
	if (unsupported) {
		const [, end] = unsupported;
		const use = end && templates.find((template) => template.endsWith(end));
		return `${message}: this server does not offer this part of OpenAI's API.${use ? ` Use ${basePath}${use}.` : ''}`;
	}
	const forms = [short, `/v1${short}`, short.replace(/^.+(?=\/v1\/)/, '')];
	const exact = forms.map(find).find(Boolean);
	// The time of a comparison grows with the product of both lengths, and any client can cause it.
	const similar = (form: string) => templates.filter(({ length }) => Math.abs(length - form.length) <= 3);
	const suggestion = exact ?? forms.map((form) => nearest(form, similar(form))).find(Boolean);
	return `${message}.${suggestion ? ` Did you mean ${basePath}${suggestion}?` : ''}`;
}

/** A path in a log line or a message: 200 printable characters at most, others percent-encoded. */
export function shownPath(path: string): string {
	const escaped = (text: string) => `%${text.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
	const shown = path.slice(0, 200).replace(/[^!-~]/g, escaped);
	return path.length > 200 ? `${shown}...` : shown;
}

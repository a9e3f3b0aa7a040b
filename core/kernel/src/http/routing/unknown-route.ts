import { nearest } from '../../contract/nearest.ts';
import type { Target } from '../context.ts';

/** Paths of OpenAI's API, and how the path ends that serves the same purpose. */
const ofOpenAi: readonly (readonly [paths: RegExp, use?: string])[] = [
	[/^(?:\/v1)?\/(?:responses|conversations|assistants|threads|completions|realtime)(?:\/|$)/, '/completions'],
	[/^(?:\/v1)?\/uploads(?:\/|$)/, '/files'],
	[/^(?:\/v1)?\/(?:embeddings|moderations|batches|fine_tuning|vector_stores)(?:\/|$)/],
	[/^(?:\/v1)?\/[a-z]+\/(?:transcriptions|translations|variations)$/],
];

/**
 * Says that a request leads nowhere, and which route the client probably meant. `before` stands before all paths.
 * `find` tells the template of the route that a path leads to.
 */
export function unknownRoute(
	method: string,
	{ path, before }: Pick<Target, 'path' | 'before'>,
	templates: readonly string[],
	find: (path: string) => string | undefined,
): string {
	const message = `There is no route ${method.slice(0, 20)} ${shownPath(before + path)}`;
	const short = path.slice(0, 100).replace(/\/+$/, '');
	const ofOthers = ofOpenAi.find(([paths]) => paths.test(short));
	if (ofOthers) {
		const [, end] = ofOthers;
		const use = end && templates.find((template) => template.endsWith(end));
		return `${message}: this server does not offer this part of OpenAI's API.${use ? ` Use ${before}${use}.` : ''}`;
	}
	const forms = [short, `/v1${short}`, short.replace(/^.+(?=\/v1\/)/, '')];
	const found = forms.map(find).find(Boolean);
	// A comparison takes the product of both lengths, and anybody may ask.
	const near = (form: string) => templates.filter(({ length }) => Math.abs(length - form.length) <= 3);
	const meant = found ?? forms.map((form) => nearest(form, near(form))).find(Boolean);
	return `${message}.${meant ? ` Did you mean ${before}${meant}?` : ''}`;
}

/** A path in a log line or a message: 200 printable characters at most, others percent-encoded. */
export function shownPath(path: string): string {
	const escaped = (text: string) => `%${text.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
	const shown = path.slice(0, 200).replace(/[^!-~]/g, escaped);
	return path.length > 200 ? `${shown}...` : shown;
}

import type { Understood } from './grammar/outcome.ts';
import { scopeName } from './grammar/scope.ts';
import type { Undone } from './jobs.ts';

/** What there is to say about an edit, before the work. */
export interface Report {
	/** What is to be done, in words. The steps of the job are the last ones of it; what stands before is done by decoding. */
	readonly said: readonly string[];
	/** Passages that nobody understood. */
	readonly unknown: readonly string[];
	/** What is known not to be possible: `collage (needs a second picture)`. */
	readonly lacking: readonly string[];
	/** Whether decoding changes the size. */
	readonly resized: boolean;
}

/** An operation in words, with the part of the picture that it changes: `blur 4 px (left half only)`. */
export function sayOperation({ verb, args, scope }: Understood): string {
	const said = verb.say(args as never);
	return scope && scope !== 'mask' ? `${said} (${scopeName(scope)} only)` : said;
}

/** What was not done during the work, and why. */
export function undoneParts({ said }: Report, steps: number, undone: readonly Undone[]): readonly string[] {
	return undone.map(({ step, why }) => `${said[said.length - steps + step]} (${why})`);
}

/** `Applied: blur 4 px; rotate 90°. Not understood: “add a unicorn”. Not done: trim (it changes nothing in this picture).` */
export function revisedPrompt(report: Report, steps: number, undone: readonly Undone[] = []): string {
	const { said, unknown, lacking, resized } = report;
	const first = said.length - steps;
	const done = said.filter((_, index) => !undone.some(({ step }) => step === index - first));
	const nothing = resized ? 'Applied: only the size.' : 'Applied: nothing; the picture is unchanged.';
	const parts = [done.length > 0 ? `Applied: ${done.join('; ')}.` : nothing];
	if (unknown.length > 0) parts.push(`Not understood: ${listed(unknown)}.`);
	const missing = [...new Set([...lacking, ...undoneParts(report, steps, undone)])];
	if (missing.length > 0) parts.push(`Not done: ${missing.slice(0, 12).join('; ')}.`);
	return parts.join(' ');
}

function listed(passages: readonly string[]): string {
	const distinct = [...new Set(passages)];
	const shown = distinct.slice(0, 10).map((passage) => `“${shortened(passage)}”`);
	const rest = distinct.length - shown.length;
	return shown.join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

/** At most 80 characters of a passage. */
export function shortened(passage: string): string {
	const chars = Array.from(passage);
	return chars.length > 80 ? `${chars.slice(0, 79).join('')}…` : passage;
}

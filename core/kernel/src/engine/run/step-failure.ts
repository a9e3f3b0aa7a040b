import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { isPlinthError } from '../../contract/errors/coded-error.ts';

interface FailedStep {
	readonly phase: string;
	readonly path: string;
	readonly variables: ReadonlyMap<string, string>;
}

/** The message and the remedy for a boot report. Without a remedy, that of the error code is used. */
type Explained = { readonly message: string; readonly remedy?: string | undefined };

/** Explains why a step has failed: by its folder or file, or by its chain of causes and the remedy of a cause. */
export function explainFailure(error: unknown, step: FailedStep): Explained {
	const causes = causesOf(error);
	const explained = causes.map((cause) => explainPath(cause, step)).find(Boolean);
	if (explained) return explained;
	return { message: `failed to ${step.phase}: ${joinCauses(causes)}`, remedy: causes.map(remedyOf).find(Boolean) };
}

const reasons: Readonly<Record<string, string>> = {
	EACCES: 'permission denied',
	EPERM: 'permission denied',
	EROFS: 'the file system is read-only',
};

/** Errors of the file system about one path (https://nodejs.org/api/errors.html#class-systemerror). */
function explainPath(error: unknown, step: FailedStep): Explained | undefined {
	const { code = '', syscall, path } = error as NodeJS.ErrnoException;
	if (typeof path !== 'string') return undefined;
	const explain = (message: string, remedy: string) => ({ message, remedy: `${remedy}, or ${otherFolder(step)}.` });
	if (code === 'ENOTDIR') {
		const file = nearestFile(path);
		return explain(`the data folder ${file} cannot be made: a file has that name.`, 'Move the file away');
	}
	const reason = reasons[code];
	if (reason === undefined) return undefined;
	return syscall === 'mkdir'
		? explain(`the data folder ${path} cannot be made: ${reason}.`, 'Make this user the owner of its parent')
		: explain(`${path} cannot be opened: ${reason}.`, 'Make this user the owner of it and its folder');
}

/** How to choose another folder: by the variable that the path came from, if there is one. */
function otherFolder({ path, variables }: FailedStep): string {
	const used = [...variables].filter(([at]) => at.startsWith(`${path}.with.`));
	const [name, ...others] = new Set(used.map(([, variable]) => variable));
	return name !== undefined && others.length === 0
		? `set ${name} to another folder`
		: `name another folder in the options of ${path}`;
}

/** The longest part of a path that exists. */
function nearestFile(path: string): string {
	return existsSync(path) || dirname(path) === path ? path : nearestFile(dirname(path));
}

function causesOf(error: unknown): readonly unknown[] {
	const causes: unknown[] = [];
	for (let each = error; each !== undefined && !causes.includes(each); ) {
		causes.push(each);
		each = each instanceof Error ? each.cause : undefined;
	}
	return causes;
}

/** "cannot open the file: EACCES: permission denied". */
function joinCauses(causes: readonly unknown[]): string {
	const last = causes.length - 1;
	const sentences = causes.map(sentenceOf);
	return sentences.map((text, index) => (index < last ? text.replace(/[.:]$/, '') : text)).join(': ');
}

/** A message without the remedy at its end, because the report has a separate line for the remedy. */
function sentenceOf(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	const remedy = remedyOf(error);
	return remedy === undefined ? error.message : error.message.replace(` ${remedy}`, '');
}

function remedyOf(error: unknown): string | undefined {
	return isPlinthError(error) ? error.spec.remedy : undefined;
}

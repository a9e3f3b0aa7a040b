/** What one check has found. */
export interface Finding {
	/** What was looked at, in a word or two. */
	readonly check: string;
	readonly status: 'ok' | 'warning' | 'problem';
	/** What is so. Never holds a secret. */
	readonly text: string;
	/** What to do about a warning or a problem. */
	readonly remedy?: string;
}

/** A finding that needs nothing done. */
export function ok(check: string, text: string): Finding {
	return { check, status: 'ok', text };
}

/** Something that works and may stop working, or is not as safe as it could be. */
export function warning(check: string, text: string, remedy: string): Finding {
	return { check, status: 'warning', text, remedy };
}

/** Something that keeps the server from starting or from doing its work. */
export function problem(check: string, text: string, remedy: string): Finding {
	return { check, status: 'problem', text, remedy };
}

/** Bytes as people read them: `1.5 GB`, counted in 1,024. */
export function readable(bytes: number): string {
	const units = ['bytes', 'KB', 'MB', 'GB', 'TB'];
	const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1);
	return `${Number((bytes / 1024 ** power).toFixed(1))} ${units[power]}`;
}

/** The result of one check. */
export interface Finding {
	/** The name of the check. */
	readonly check: string;
	readonly status: 'ok' | 'warning' | 'problem';
	/** What was found, without secrets. */
	readonly text: string;
	/** How to fix a warning or a problem. */
	readonly remedy?: string;
}

/** A finding without a problem. */
export function ok(check: string, text: string): Finding {
	return { check, status: 'ok', text };
}

/** Something that works but may stop working, or is less safe than it could be. */
export function warning(check: string, text: string, remedy: string): Finding {
	return { check, status: 'warning', text, remedy };
}

/** Something that prevents the server from starting or working. */
export function problem(check: string, text: string, remedy: string): Finding {
	return { check, status: 'problem', text, remedy };
}

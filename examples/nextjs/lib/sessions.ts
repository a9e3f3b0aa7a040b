/** Somebody whom this server knows. */
export interface User {
	readonly id: string;
	readonly team: string;
}

const users = new Map<string, User>([['Bearer a-session-of-ada', { id: 'ada', team: 'engines' }]]);

/** Stands for your own sign-in, whatever it looks at: a cookie, a token, a table of sessions. Undefined for a stranger. */
export function signedIn(headers: Headers): User | undefined {
	return users.get(headers.get('authorization') ?? '');
}

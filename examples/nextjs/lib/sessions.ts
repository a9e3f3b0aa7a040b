/** A user of this application. */
export interface User {
	readonly id: string;
	readonly team: string;
}

const users = new Map<string, User>([['Bearer a-session-of-ada', { id: 'ada', team: 'engines' }]]);

/** Replace this with your own sign-in: a cookie, a token, a table of sessions. Undefined if there is no user. */
export function signedIn(headers: Headers): User | undefined {
	return users.get(headers.get('authorization') ?? '');
}

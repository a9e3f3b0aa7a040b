import { Injectable } from '@nestjs/common';

/** A user of this application. */
export interface User {
	readonly id: string;
	readonly team: string;
}

/** Replace this with your own sign-in: a cookie, a token, a table of sessions. */
@Injectable()
export class Sessions {
	private readonly users = new Map<string, User>([['Bearer a-session-of-ada', { id: 'ada', team: 'engines' }]]);

	/** The user of a request with this `Authorization` header; undefined if there is none. */
	find(authorization = ''): User | undefined {
		return this.users.get(authorization);
	}
}

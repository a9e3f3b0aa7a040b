import { Injectable } from '@nestjs/common';

/** Somebody whom this server knows. */
export interface User {
	readonly id: string;
	readonly team: string;
}

/** Stands for your own sign-in, whatever it looks at: a cookie, a token, a table of sessions. */
@Injectable()
export class Sessions {
	private readonly users = new Map<string, User>([['Bearer a-session-of-ada', { id: 'ada', team: 'engines' }]]);

	/** Who sent a request with this `Authorization`; undefined for a stranger. */
	find(authorization = ''): User | undefined {
		return this.users.get(authorization);
	}
}

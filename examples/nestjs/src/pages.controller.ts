import { Controller, Get, Headers, UnauthorizedException } from '@nestjs/common';
import { Sessions, type User } from './sessions.js';

/** Pages of the host application. */
@Controller()
export class PagesController {
	constructor(private readonly sessions: Sessions) {}

	@Get()
	home(): string {
		return 'my own page';
	}

	@Get('me')
	me(@Headers('authorization') authorization?: string): User {
		const user = this.sessions.find(authorization);
		if (!user) throw new UnauthorizedException();
		return user;
	}
}

import type { Route } from '../contract/http/route.ts';
import type { ModelInfo } from '../contract/model.ts';
import type { Authenticator } from '../contract/ports/authenticator.ts';
import type { Clock } from '../contract/ports/clock.ts';
import type { Logger } from '../contract/ports/logger.ts';
import type { LoadLimits } from './gate/admission.ts';
import type { AuthFailureLimits } from './gate/auth-failures.ts';
import type { Readiness } from './system.ts';

/** What the server needs from the kernel. */
export interface HttpOptions {
	/** Every route of every plugin; the kernel's own are added. */
	readonly routes: readonly Route[];
	/** Ids of the plugins behind the routes: the default tags in OpenAPI. */
	readonly routeOwners?: ReadonlyMap<Route, string>;
	/** Undefined: everybody is the one principal of `openPrincipal`, whatever key is sent. */
	readonly authenticator: Authenticator | undefined;
	/** Unlimited unless set. */
	readonly authFailures?: AuthFailureLimits;
	readonly clock: Clock;
	readonly log: Logger;
	readonly title: string;
	readonly version: string;
	/** What links begin with. A mount's prefix follows where this has no path. Undefined: the address that a request came to. */
	readonly publicUrl: string | undefined;
	/** Resolves when the app can answer. Probes do not wait for it; a rejection is answered 503. */
	readonly whenReady?: () => Promise<void> | void;
	readonly readiness: Readiness;
	readonly models: () => readonly ModelInfo[];
	/** Origins whose pages may read answers; none unless set. */
	readonly cors?: readonly string[];
	readonly load?: LoadLimits;
	/** Connections that the listener holds at most. */
	readonly connections?: number;
}

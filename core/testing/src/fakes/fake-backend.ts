import { type BackendInstance, defineBackend, type ServiceRef } from '@plinth/core';
import { z } from 'zod';

/** A backend that provides a given value, for the `backends` of a config. */
export function fakeBackend<T>(provides: ServiceRef<T>, value: NoInfer<T>): BackendInstance {
	const config = z.strictObject({});
	return defineBackend({ name: 'fakeBackend', provides, config, create: () => value as never })();
}

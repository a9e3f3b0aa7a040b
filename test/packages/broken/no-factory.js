/** The handler of an extension, as another server would want it. */
export function weather() {
	return { route: '/v1/weather', handle: () => ({ sky: 'blue' }) };
}

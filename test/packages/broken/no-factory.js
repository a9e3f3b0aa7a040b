/** A handler in the style of another framework. */
export function weather() {
	return { route: '/v1/weather', handle: () => ({ sky: 'blue' }) };
}

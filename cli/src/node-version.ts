/** The oldest Node that Plinth runs on, as in `engines` of `package.json`. */
export const oldestNode = '22.19';

/** Whether a version of Node, such as `24.21.0`, is new enough. */
export function isNewEnough(version: string): boolean {
	const [oldestMajor = 0, oldestMinor = 0] = oldestNode.split('.').map(Number);
	const [major = 0, minor = 0] = version.split('.').map(Number);
	return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

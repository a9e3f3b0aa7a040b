/** The camera words of a prompt. */
export interface CameraWords {
	/** -1 to the left, 1 to the right. */
	readonly pan?: -1 | 1;
	/** -1 upwards, 1 downwards. */
	readonly tilt?: -1 | 1;
	readonly zoom?: 'in' | 'out';
	readonly still: boolean;
	readonly fadeIn: boolean;
	readonly fadeOut: boolean;
}

const move = '(?:pan|pans|panning|move|moves|moving|slide|slides|sliding|camera|track|tracking|tilt|tilts|scroll)';

/** Finds `zoom in`, `pan left`, `tilt up`, `fade out`, `still` and their kin in the words of a prompt. */
export function cameraWords(words: readonly string[]): CameraWords {
	const text = words.join(' ');
	const has = (pattern: string): boolean => new RegExp(`\\b${pattern}\\b`).test(text);
	const toward = (side: string): boolean => has(`${move} (?:\\w+ ){0,3}${side}`);
	const pan = toward('left') ? -1 : toward('right') ? 1 : undefined;
	const tilt = toward('(?:up|upwards?)') ? -1 : toward('(?:down|downwards?)') ? 1 : undefined;
	const zoom = has('(?:zoom(?:s|ing)? out|pull(?:s|ing)? back)')
		? 'out'
		: has('(?:zoom|zooms|zooming|close up|closeup)')
			? 'in'
			: undefined;
	return {
		...(pan && { pan }),
		...(tilt && { tilt }),
		...(zoom && { zoom }),
		still: has('(?:still|static|motionless|no motion|no movement|freeze|frozen frame)'),
		fadeIn: has('(?:fade|fades|fading) (?:in|from)'),
		fadeOut: has('(?:(?:fade|fades|fading) (?:out|to|away)|fade in and out)'),
	};
}

/** A rule for numbers of frames: `4n+1` stands for 1, 5, 9, and so on; `n` for every number. */
export const frameRule = /^(\d{0,4})n(?:\+(\d{1,4}))?$/;

/** The smallest number of frames that a rule allows and that is at least as long: 33 for 2 s at 16 fps with `4n+1`. */
export function framesFor(seconds: number, fps: number, rule: string): number {
	const [, factor = '', rest = '0'] = frameRule.exec(rule) ?? [];
	const [step, offset] = [Number(factor || '1'), Number(rest)];
	return Math.max(0, Math.ceil((Math.round(seconds * fps) - offset) / step)) * step + offset;
}

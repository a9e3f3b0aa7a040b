import { landTone } from './land.ts';
import { darkness, mix } from './palette.ts';
import { createNoise } from './random.ts';
import { along, gradient, type Point, pathOf, ramp, repeat, type Stage } from './stage.ts';

/** Draws the subject and the rock that it stands on. A subject's own unit is a hundredth of its height. */
export function drawSubject(stage: Stage): string {
	const { palette, subject, time, isLeft } = stage;
	if (!subject) return '';
	const shadow = mix(palette.ink, palette.sky[1], 0.35);
	const lit = (color: string, more = 0): string => mix(color, shadow, Math.min(1, darkness[time] * 0.85 + more));
	/** A fill that is bright on the side of the light. */
	const round = (id: string, color: string): string => {
		const sides = [mix(lit(color), palette.light, 0.22), lit(color, 0.3)];
		const [left, right] = isLeft ? sides : sides.toReversed();
		return gradient('linear', id, `0 ${left}, .5 ${lit(color)}, 1 ${right}`);
	};
	const [dark, lamp] = [lit('#2a3142', 0.1), time === 'day' ? undefined : '#ffdf8e'];
	const { tall, share, flat, draw } = {
		lighthouse: { tall: 0.5, share: 0.06, flat: 0.17, draw: drawLighthouse },
		castle: { tall: 0.42, share: 0.06, flat: 0.2, draw: drawCastle },
		boat: { tall: 0.27, share: 0.22, flat: 0, draw: drawBoat },
	}[subject];
	const [scale, y] = [(stage.unit * tall) / 100, stage.row(share)];
	return `${round('stone', '#efe8dc')}${round('accent', palette.accent)}${round('wood', '#7a4a38')}
		<g transform="matrix(${isLeft ? scale : -scale} 0 0 ${scale} ${stage.stand} ${y})">${draw(dark, lamp)}</g>
		${flat > 0 ? drawCrag(stage, y, stage.unit * flat) : ''}`;
}

/** The headland below a subject. It is flat around the subject and slopes down on the open side. */
function drawCrag(stage: Stage, y: number, flat: number): string {
	const { palette, width, height, unit, stand, isLeft } = stage;
	const noise = createNoise(stage.random('crag'));
	const way = isLeft ? -1 : 1;
	const foot = stage.isWet ? stage.row(0.5) : height;
	const [closed, open] = [(isLeft ? width - stand : stand) + 60, flat + unit * 0.34];
	const top = along(90, (t): Point => {
		const off = t * (closed + open) - closed;
		const away = Math.max(0, Math.abs(off) - flat);
		const share = away / (open - flat);
		const fall = off > 0 ? (0.55 * share ** 0.75 + 0.45 * share ** 1.6) * (foot - y) : -away * 0.1;
		const bump = Math.min(1, away / (unit * 0.06)) * noise((off / unit) * 16) * unit * 0.018;
		return [stand + way * off, Math.min(y + fall + bump, foot)];
	});
	const coast = along(40, (t): Point => {
		return [stand + way * (open - t * (closed + open)), foot + (t ** 1.5 * 0.12 + noise(t * 20) * t * 0.01) * unit];
	});
	const [tone, dark] = [landTone(stage, 0.6), landTone(stage, 0.95)];
	return `${ramp('crag', y, foot + unit * 0.1, `0 ${mix(tone, palette.light, 0.14)}, .3 ${tone}, 1 ${dark}`)}
		<path d="${pathOf([...top, ...coast])}" fill="url(#crag)"/>`;
}

function drawLighthouse(dark: string, lamp: string | undefined): string {
	const beam = `${gradient('linear', 'beam', '0 #fff3c0 .6, 1 #fff3c0 0')}
		${gradient('radial', 'lamp', '0 #fff6c8 .95, .2 #ffe9a0 .5, 1 #ffe9a0 0')}
		<path d="M0 -85L260 -105V-79Z" fill="url(#beam)"/><circle cy="-85" r="34" fill="url(#lamp)"/>`;
	return `<path d="M6 1V-12H30V1Z" fill="url(#stone)"/><path d="M-10 1H10L6 -78H-6Z" fill="url(#stone)"/>
		<path d="M4 -12L18 -21L33 -12Z" fill="url(#accent)"/><path d="M17 -9h4v5h-4z" fill="${lamp ?? dark}"/>
		<path d="M-9.7 -5H9.7L9.1 -17H-9.1ZM-8.2 -35H8.2L7.6 -47H-7.6ZM-6.8 -65H6.8L6.3 -76H-6.3Z" fill="url(#accent)"/>
		<path d="M-1.4 -26v-4h2.8v4zm0 -27v-4h2.8v4zM-9 -77.5h18v-2.5h-18z" fill="${dark}"/>
		<path d="M-4.5 -80h9v-11h-9z" fill="${lamp ?? '#a8ccd6'}"/>
		<path d="M-1.5 -80v-11M1.5 -80v-11M0 -98v-6" stroke="${dark}" stroke-width=".8"/>
		<path d="M-6.2 -90.5Q0 -105 6.2 -90.5Z" fill="url(#accent)"/>${lamp ? beam : ''}`;
}

function drawCastle(dark: string, lamp: string | undefined): string {
	const window = (x: number, y: number): string =>
		`<path d="M${x - 1.6} ${y}v-4a1.6 1.6 0 0 1 3.2 0v4z" fill="${(x + y) % 3 ? (lamp ?? dark) : dark}"/>`;
	const tower = (x: number, half: number, tall: number): string =>
		`<path d="M${x - half} 2V${-tall}H${x + half}V2Z" fill="url(#stone)"/>
		<path d="M${x - half - 1.3} ${3 - tall}v-4h${half * 2 + 2.6}v4z" fill="url(#stone)"/>
		<path d="M${x - half - 2.6} ${-tall}L${x} ${-tall - half * 3.6}L${x + half + 2.6} ${-tall}Z" fill="url(#accent)"/>
		<path d="M${x} ${2 - tall - half * 3.6}v-9l6 2l-6 2" fill="url(#accent)" stroke="${dark}" stroke-width=".5"/>
		${repeat(tall / 13 - 0.8, (level) => window(x, -11 - level * 13))}`;
	const wall = (from: number, to: number, tall: number): string => {
		const teeth = repeat((to - from) / 5, (i) => `M${from + i * 5} ${1 - tall}v-4h2.8v4z`);
		return `<path d="M${from} 2V${-tall}H${to}V2Z${teeth}" fill="url(#stone)"/>`;
	};
	return `${tower(-7, 6, 66)}${tower(10, 5, 54)}${wall(-18, 22, 41)}${window(-13, -29)}${window(15, -29)}
		${tower(-23, 5.5, 47)}${tower(25, 5, 42)}${wall(-37, 39, 21)}${tower(-38, 4.5, 30)}${tower(39, 4, 28)}
		${tower(1.5, 5, 32)}<path d="M-2.5 2v-10a4 4.5 0 0 1 8 0v10z" fill="${dark}"/>`;
}

function drawBoat(dark: string): string {
	const [main, fore] = ['M-2 -96Q26 -50 30 -19H-2Z', 'M-6 -86Q-12 -40 -28 -20L-6 -19Z'];
	const hull = 'M-34 -14L37 -15Q28 1 20 2H-23Z';
	return `<path d="${main}${fore}${hull}" transform="scale(1 -.6)" fill="${dark}" opacity=".3"/>
		<path d="M-4 -100V-12" stroke="${dark}" stroke-width="2.2"/><path d="${main}" fill="url(#stone)"/>
		<path d="${fore}" fill="url(#accent)"/><path d="${hull}" fill="url(#wood)"/>`;
}

import { mix } from './palette.ts';
import { gradient, repeat, type Stage, veil } from './stage.ts';

/** Draws the sky, the stars, and sun or moon. */
export function drawSky(stage: Stage): string {
	const { palette, time, isCovered, width, height, horizon, light } = stage;
	const { sky, light: tone } = palette;
	const isNight = time === 'night';
	const [glow, edge] = [mix(tone, palette.haze, isNight ? 0.5 : 0.3), mix(tone, sky[3], 0.3)];
	const shine = isCovered ? 0.25 : { dawn: 0.85, day: 0.6, dusk: 0.85, night: 0.35 }[time];
	const craters = `<path transform="translate(${light.x} ${light.y}) scale(${light.r})" fill="${edge}" opacity=".5"
		d="M-.5 -.3a.25 .25 0 1 0 .5 0a.25 .25 0 1 0 -.5 0M.1 .1a.3 .3 0 1 0 .6 0a.3 .3 0 1 0 -.6 0M-.5 .5h.3v.1h-.3z"/>`;
	const disc = `${gradient('radial', 'halo', `0 ${tone} .8, .3 ${tone} .35, 1 ${tone} 0`)}
		${gradient('radial', 'disc', isNight ? `0 #fffef8, .8 ${tone}, 1 ${edge}` : `0 #fffdf4, .8 ${tone}, 1 ${tone} 0`)}
		${circle(light.x, light.y, light.r * 3.3, 'url(#halo)', isNight ? 0.6 : 1)}
		${circle(light.x, light.y, light.r, 'url(#disc)')}${isNight ? craters : ''}`;
	return `${veil(stage, 'sky', 0, height, sky.map((color, i) => `${(i / 4) * (horizon / height)} ${color}`).join(', '))}
		${isNight && !isCovered ? drawStars(stage) : ''}
		${gradient('radial', 'glow', `0 ${glow}, .18 ${glow} .5, .5 ${glow} .14, 1 ${glow} 0`)}
		${circle(light.x, light.y, Math.max(width, height) * (isNight ? 0.5 : 0.8), 'url(#glow)', shine)}
		${isCovered ? '' : disc}`;
}

function circle(x: number, y: number, r: number, fill: string, opacity = 1): string {
	return `<circle cx="${x}" cy="${y}" r="${r}" fill="${fill}" opacity="${opacity}"/>`;
}

/** Draws the stars. If the place is the sky, a galaxy is behind them: a band of light with dark dust. */
function drawStars(stage: Stage): string {
	const { palette, width, height, horizon, isLeft } = stage;
	const random = stage.random('stars');
	const isSubject = stage.setting === 'sky';
	const stars = repeat(isSubject ? 620 : 260, () => {
		const [x, fall] = [random.next() * width, random.next() ** 1.25];
		const y = fall * (isSubject ? height : horizon);
		return circle(x, y, 0.6 + random.next() ** 6 * 2.6, '#f4f6ff', random.range(0.35, 1) * (1 - fall * 0.6));
	});
	const [cool, warm] = [mix(palette.sky[4], '#dfe6ff', 0.35), mix(palette.sky[3], '#e8a0b8', 0.5)];
	const long = Math.hypot(width, height) * 0.62;
	const galaxy = `${gradient('radial', 'milk', `0 ${cool}, .5 ${cool} .45, 1 ${warm} 0`)}
		${patches('dust', '.004 .009', stage.seed, 1.15)}
		<g transform="translate(${width / 2} ${height * 0.42}) rotate(${isLeft ? 38 : -38})" fill="url(#milk)">
		<ellipse rx="${long}" ry="${long * 0.28}" filter="url(#dust)"/></g>`;
	return `${isSubject ? galaxy : ''}${stars}`;
}

/** Defines a filter that shows soft patches of a picture. A larger `cover` shows fewer. */
function patches(id: string, frequency: string, seed: number, cover: number): string {
	return `<filter id="${id}" x="0" y="0" width="1" height="1" color-interpolation-filters="sRGB">
		<feTurbulence type="fractalNoise" baseFrequency="${frequency}" numOctaves="4" seed="${seed % 997}"/>
		<feColorMatrix values="0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 3.3 0 0 0 -${cover}"/>
		<feComposite in="SourceGraphic" operator="in"/></filter>`;
}

/** Draws the clouds twice: the second ones leave a bright edge of the first ones on the side of the light. */
export function drawClouds(stage: Stage): string {
	const { palette, horizon, isLow, weather } = stage;
	if (stage.setting === 'sky' && weather === 'clear') return '';
	// The clouds reach beyond the frame, so that no edge of the shifted ones is visible.
	const shift = 10;
	const draw = (id: string, color: string): string =>
		veil(stage, id, -shift, horizon * 1.04, `0 ${color} .75, .35 ${color}, .8 ${color} .75, 1 ${color} 0`, shift);
	return `${patches('clouds', '.0023 .0074', stage.seed, { clear: 1.9, clouds: 1.42, rain: 0.85, snow: 1 }[weather])}
		<g filter="url(#clouds)" opacity=".75">${draw('rim', palette.cloud)}</g>
		<g filter="url(#clouds)" opacity=".75" transform="translate(${stage.isLeft ? 7 : -7} ${isLow ? -9 : shift})">
		${draw('body', mix(palette.shade, palette.cloud, isLow ? 0.33 : 0.6))}</g>`;
}

/** Draws rain or snow. The picture continues at its opposite borders, so that it can move through the frame. */
export function drawAir(stage: Stage): string {
	const { palette, width, height, unit } = stage;
	if (!stage.isCovered) return '';
	const [random, isRain] = [stage.random('air'), stage.weather === 'rain'];
	const tone = mix(palette.haze, '#ffffff', stage.time === 'night' ? 0.35 : 0.75);
	const drops = repeat(360, () => {
		const [near, x, y] = [random.next() ** (isRain ? 1 : 3), random.next() * width, random.next() * height];
		const long = isRain ? unit * (0.025 + near * 0.06) : 0.1;
		const drop = `l${long * -0.16} ${long}`;
		// Drops at a border appear at the opposite border as well.
		const both = `M${x} ${y}${drop}M${x} ${y - height}${drop}M${x + width} ${y}${drop}M${x + width} ${y - height}${drop}`;
		return `<path d="${both}" stroke-width="${isRain ? 1.5 : 2.4 + near * 9}"/>`;
	});
	return `<g stroke="${tone}" stroke-linecap="round" opacity="${isRain ? 0.4 : 0.8}">${drops}</g>`;
}

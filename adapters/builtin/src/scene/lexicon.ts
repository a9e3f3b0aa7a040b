/** The kinds of place that can be drawn. */
export type Setting =
	| 'sea'
	| 'lake'
	| 'mountains'
	| 'forest'
	| 'meadow'
	| 'city'
	| 'desert'
	| 'winter'
	| 'space'
	| 'underwater'
	| 'sky'
	| 'abstract';
export type Time = 'dawn' | 'day' | 'dusk' | 'night';
export type Weather = 'clear' | 'clouds' | 'rain' | 'storm' | 'snow' | 'fog';
/** Things that move through the air of a scene. */
export type Element =
	| 'sun'
	| 'moon'
	| 'stars'
	| 'birds'
	| 'rainbow'
	| 'aurora'
	| 'fire'
	| 'fireflies'
	| 'petals'
	| 'leaves'
	| 'bubbles'
	| 'fireworks'
	| 'flowers';
/** Things that stand or travel in a scene, one per scene. */
export type Subject =
	| 'boat'
	| 'lighthouse'
	| 'house'
	| 'castle'
	| 'rocket'
	| 'balloon'
	| 'cat'
	| 'dog'
	| 'rabbit'
	| 'bird'
	| 'fish'
	| 'whale'
	| 'robot'
	| 'person'
	| 'tree'
	| 'palm'
	| 'car'
	| 'train'
	| 'plane'
	| 'windmill'
	| 'campfire'
	| 'ufo'
	| 'planet'
	| 'snowman'
	| 'cactus';

/** What one word stands for. */
export interface Meaning {
	/** A place that the word names. */
	readonly setting?: Setting;
	/** Where the thing that the word names is usually found; counts when no word names a place. */
	readonly home?: Setting;
	readonly time?: Time;
	readonly weather?: Weather;
	readonly element?: Element;
	readonly subject?: Subject;
	/** `#rrggbb` */
	readonly color?: string;
}

const meanings = new Map<string, Meaning>();

/** Looks a lower-case English word up; tries the singular when the word itself is not known. */
export function meaningOf(word: string): Meaning | undefined {
	return (
		meanings.get(word) ??
		(word.endsWith('ies') ? meanings.get(`${word.slice(0, -3)}y`) : undefined) ??
		(word.endsWith('es') ? meanings.get(word.slice(0, -2)) : undefined) ??
		(word.endsWith('s') ? meanings.get(word.slice(0, -1)) : undefined)
	);
}

function learn<K extends keyof Meaning>(key: K, table: Record<NonNullable<Meaning[K]>, string>) {
	for (const [value, words] of Object.entries<string>(table)) {
		for (const word of words.split(' ')) {
			meanings.set(word, { ...meanings.get(word), [key]: value });
		}
	}
}

learn('setting', {
	sea: 'sea ocean wave beach coast shore seaside harbor harbour bay surf island port pier cliff tide tropical',
	lake: 'lake river pond water waterfall stream reflection fjord',
	mountains: 'mountain peak alps alpine summit valley canyon volcano ridge himalaya glacier',
	forest: 'forest wood woods woodland jungle trail rainforest',
	meadow: 'meadow field hill grass farm countryside garden park village prairie picnic lawn orchard',
	city: 'city town street skyline skyscraper downtown urban tokyo paris london york berlin cyberpunk metropolis rooftop alley',
	desert: 'desert dune sahara oasis egypt mesa savanna savannah',
	winter: 'winter snow snowy ice icy arctic polar christmas tundra',
	space: 'space galaxy cosmos cosmic universe nebula orbit mars saturn jupiter',
	underwater: 'underwater reef coral aquarium seabed',
	sky: 'sky cloud heaven',
	abstract: 'abstract pattern geometric gradient psychedelic fractal kaleidoscope',
});
learn('home', {
	sea: 'surfing surfer sail sailing sailboat pirate lighthouse dolphin ship boat yacht',
	lake: 'swan canoe duck',
	mountains: 'hiking hiker climber rock dragon eagle',
	forest: 'tree pine deer fox bear owl wolf mushroom fairy elf autumn fall oak campfire tent',
	meadow:
		'spring summer horse cow sheep cat dog rabbit bunny butterfly bee flower tulip rose sunflower castle house cottage windmill puppy kitten lavender wheat knight princess treealone',
	city: 'building neon traffic car taxi bus train tram metro robot office bridge',
	desert: 'sand cactus camel pyramid dry lion elephant giraffe',
	winter: 'ski skiing sled penguin igloo frozen snowman frost santa',
	space: 'star planet rocket astronaut spaceship spacecraft alien ufo comet meteor starship satellite asteroid',
	underwater: 'fish submarine jellyfish diver diving whale shark octopus turtle mermaid',
	sky: 'flying flight airplane aeroplane plane balloon kite glider bird',
	abstract: 'shape dream minimal music sound idea logo liquid texture colour color',
});
learn('time', {
	dawn: 'dawn sunrise morning daybreak early',
	day: 'day noon midday afternoon sunny bright daylight summer spring',
	dusk: 'dusk sunset evening twilight golden sundown autumn',
	night:
		'night midnight moonlit starry nocturnal moonlight moon dark neon cyberpunk firework fireworks aurora firefly halloween spooky star campfire',
});
learn('weather', {
	clear: 'clear cloudless sunny',
	clouds: 'cloud cloudy overcast grey-sky windy wind breeze',
	rain: 'rain rainy raining drizzle shower wet umbrella monsoon',
	storm: 'storm stormy thunder thunderstorm lightning hurricane tempest typhoon',
	snow: 'snow snowy snowing snowfall blizzard flurry snowflake',
	fog: 'fog foggy mist misty haze hazy smoke smoky mysterious',
});
learn('element', {
	sun: 'sun sunny sunrise sunset sunshine sunlit',
	moon: 'moon moonlit moonlight lunar crescent',
	stars: 'star starry constellation stargazing cosmic galaxy',
	birds: 'bird seagull gull flock eagle swallow crow',
	rainbow: 'rainbow',
	aurora: 'aurora borealis polar northern',
	fire: 'fire flame burning campfire bonfire lava volcano ember inferno dragon explosion hell',
	fireflies: 'firefly fairy magic magical enchanted glowing lantern spirit sparkle wizard',
	petals: 'petal blossom cherry sakura confetti wedding love heart valentine',
	leaves: 'leaf leaves autumn fall maple october',
	bubbles: 'bubble underwater soap diver',
	fireworks: 'firework fireworks celebration party festival birthday celebrate carnival',
	flowers: 'flower garden tulip rose sunflower daisy bloom blooming lavender poppy wildflower bee butterfly',
});
learn('subject', {
	boat: 'boat sailboat ship yacht sail sailing pirate canoe harbor harbour',
	lighthouse: 'lighthouse beacon',
	house: 'house home cottage cabin hut village farm barn',
	castle: 'castle palace fortress kingdom knight princess fairytale',
	rocket: 'rocket spaceship spacecraft launch starship shuttle',
	balloon: 'balloon airship',
	cat: 'cat kitten kitty',
	dog: 'dog puppy wolf fox',
	rabbit: 'rabbit bunny hare easter',
	bird: 'bird eagle owl parrot crow duck swan penguin',
	fish: 'fish shark goldfish',
	whale: 'whale dolphin orca',
	robot: 'robot android cyborg',
	person:
		'person man woman girl boy child people hiker walker astronaut surfer dancer king queen wizard someone she he',
	tree: 'oak treealone',
	palm: 'palm tropical island oasis hawaii',
	car: 'car taxi bus truck driving drive jeep',
	train: 'train tram metro railway locomotive',
	plane: 'plane airplane aeroplane jet aircraft flight',
	windmill: 'windmill turbine holland',
	campfire: 'campfire bonfire camping tent',
	ufo: 'ufo alien saucer',
	planet: 'planet saturn jupiter mars',
	snowman: 'snowman christmas',
	cactus: 'cactus',
});

const colors: Record<string, string> = {
	red: '#d8342c',
	crimson: '#b81e3a',
	scarlet: '#e0301e',
	orange: '#f0822a',
	amber: '#f2a93b',
	gold: '#e8b83a',
	golden: '#e8b83a',
	yellow: '#f0d040',
	lime: '#a4d83c',
	green: '#3f9f55',
	emerald: '#1fa774',
	teal: '#1f9a9a',
	turquoise: '#36c5c0',
	cyan: '#38c6e0',
	blue: '#2f6fd8',
	azure: '#3f9cf0',
	navy: '#1f2f6f',
	indigo: '#4a3fb0',
	violet: '#7b4fd0',
	purple: '#8a3fb8',
	lavender: '#b49be8',
	magenta: '#d03fa8',
	pink: '#f08ab0',
	rose: '#e06a8a',
	brown: '#8a5a34',
	sepia: '#9a7a50',
	white: '#e8edf2',
	silver: '#b8c0c8',
	grey: '#8a9098',
	gray: '#8a9098',
	black: '#181a20',
	neon: '#e03fd0',
	pastel: '#f0c0d8',
};
for (const [word, color] of Object.entries(colors)) {
	meanings.set(word, { ...meanings.get(word), color });
}

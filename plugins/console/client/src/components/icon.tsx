/** Paths on a grid of 24, drawn with lines. */
const paths = {
	playground: 'M5 4l14 8-14 8z',
	jobs: 'M4 6h16M4 12h16M4 18h10',
	files: 'M6 3h8l4 4v14H6zM14 3v4h4',
	webhooks: 'M4 12h11M11 7l5 5-5 5M20 5v14',
	models: 'M12 3l8 4.5v9L12 21l-8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9',
	reference: 'M5 4h10a4 4 0 014 4v12H9a4 4 0 01-4-4zM9 9h6M9 13h6',
	sun: 'M12 8a4 4 0 100 8 4 4 0 000-8zM12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M19 5l-2 2M7 17l-2 2',
	moon: 'M20 14A8.5 8.5 0 0110 4a8.5 8.5 0 1010 10z',
	leave: 'M10 4H5v16h5M14 8l4 4-4 4M18 12H9',
	close: 'M6 6l12 12M18 6L6 18',
	copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
	check: 'M5 12l5 5L19 7',
	reload: 'M20 11a8 8 0 10-2 6M20 4v7h-7',
	warning: 'M12 4l9 16H3zM12 10v4M12 17v.5',
	plus: 'M12 5v14M5 12h14',
	trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
	download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
	upload: 'M12 20V9M7 13l5-5 5 5M5 4h14',
	search: 'M11 5a6 6 0 100 12 6 6 0 000-12zM16 16l4 4',
	stop: 'M6 6h12v12H6z',
} as const;

/** The name of an icon. */
export type IconName = keyof typeof paths;

/** An icon beside a text. Screen readers skip it. */
export function Icon({ name }: { readonly name: IconName }) {
	return (
		<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
			<path d={paths[name]} />
		</svg>
	);
}

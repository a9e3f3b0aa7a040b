import { computed, effect, signal } from '@preact/signals';
import { storedIn } from './storage.ts';

const stored = storedIn('localStorage', 'plinth.theme');
const system = matchMedia('(prefers-color-scheme: dark)');

const isSystemDark = signal(system.matches);
/** The theme that the user chose; any other value follows the system. */
const chosen = signal(stored.read());

/** Whether the page is dark now. */
export const isDark = computed(() =>
	chosen.value === 'dark' || chosen.value === 'light' ? chosen.value === 'dark' : isSystemDark.value,
);

/** Applies the theme and follows changes of the system. */
export function startTheme(): void {
	system.addEventListener('change', () => (isSystemDark.value = system.matches));
	effect(() => {
		document.documentElement.style.colorScheme = isDark.value ? 'dark' : 'light';
	});
}

/** Switches to the other theme. A choice that equals the system's theme is not stored. */
export function toggleTheme(): void {
	const next = isDark.value ? 'light' : 'dark';
	chosen.value = (next === 'dark') === system.matches ? undefined : next;
	stored.write(chosen.value);
}

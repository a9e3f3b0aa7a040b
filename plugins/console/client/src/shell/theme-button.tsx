import { Button } from '../components.ts';
import { isDark, toggleTheme } from '../state/theme.ts';

/** Switches between the light and the dark theme. */
export function ThemeButton() {
	return (
		<Button look="quiet" icon={isDark.value ? 'sun' : 'moon'} iconOnly onClick={toggleTheme}>
			{isDark.value ? 'Use the light theme' : 'Use the dark theme'}
		</Button>
	);
}

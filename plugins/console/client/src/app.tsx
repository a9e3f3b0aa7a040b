import { useEffect } from 'preact/hooks';
import { startFeed } from './api/feed.ts';
import { Toasts } from './components/toasts.tsx';
import { KeyScreen } from './shell/key-screen.tsx';
import { Shell } from './shell/shell.tsx';
import { key } from './state/session.ts';

/** The whole page: the key screen, or the views once the user has signed in. */
export function App() {
	const isSignedIn = key.value !== undefined;
	useEffect(() => (isSignedIn ? startFeed() : undefined), [isSignedIn]);
	return (
		<>
			{isSignedIn ? <Shell /> : <KeyScreen />}
			<Toasts />
		</>
	);
}

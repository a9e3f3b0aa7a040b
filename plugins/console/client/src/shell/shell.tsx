import { useErrorBoundary } from 'preact/hooks';
import { toApiError } from '../api.ts';
import { Button, ErrorNote, Icon } from '../components.ts';
import { currentRoute, linkTo } from '../state/router.ts';
import { signOut } from '../state/session.ts';
import { type ViewEntry, views } from '../views.ts';
import { ConnectionBanner } from './connection-banner.tsx';
import { Mark } from './mark.tsx';
import { ThemeButton } from './theme-button.tsx';

/** The navigation and the current view. */
export function Shell() {
	const view = views.find(({ id }) => id === currentRoute.value.view) ?? views[0];
	return (
		<div class="shell">
			<button type="button" class="skip" onClick={skip}>
				Skip to the content
			</button>
			<header class="bar split">
				<Mark />
				<div>
					<ThemeButton />
					<Button look="quiet" icon="leave" iconOnly onClick={() => signOut()}>
						Forget the key
					</Button>
				</div>
			</header>
			<nav class="nav" aria-label="Views">
				<ul>
					{views.map(({ id, title, icon }) => (
						<li key={id}>
							<a href={linkTo(id)} aria-current={id === view.id ? 'page' : undefined}>
								<Icon name={icon} />
								<span>{title}</span>
							</a>
						</li>
					))}
				</ul>
			</nav>
			<main id="main" class="main" tabIndex={-1}>
				<ConnectionBanner />
				<GuardedView key={view.id} view={view} />
			</main>
		</div>
	);
}

/** A view with an error boundary, so that its errors do not affect the navigation. */
function GuardedView({ view: { component: Component } }: { readonly view: ViewEntry }) {
	const [error, reset] = useErrorBoundary();
	if (error) return <ErrorNote error={toApiError(error)} onRetry={reset} />;
	return <Component />;
}

/** Moves the focus without a link to `#main`, because the router uses the fragment of the URL. */
function skip(): void {
	document.getElementById('main')?.focus();
}

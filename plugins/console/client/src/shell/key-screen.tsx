import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ApiError, send, toApiError, useAttempt } from '../api.ts';
import { Button, bound, Form, TextField } from '../components.ts';
import { signIn, signOutReason } from '../state/session.ts';
import { Mark } from './mark.tsx';
import { ThemeButton } from './theme-button.tsx';

/** A form for the API key, which is checked with a request to `/v1/models`. */
export function KeyScreen() {
	const value = useSignal('');
	const { isBusy, error, attempt } = useAttempt();
	useEffect(() => {
		document.title = 'Sign in · Plinth';
	}, []);
	const submit = () =>
		attempt(async () => {
			const key = value.value.trim();
			// A header accepts no other characters.
			if (!/^[!-~]*$/.test(key)) throw wrongKey('A key has only visible ASCII characters.');
			await send('GET', '/v1/models', { key }).catch((failure) => {
				const { status, message } = toApiError(failure);
				throw status === 401 ? wrongKey(message) : failure;
			});
			signIn(key);
		});

	return (
		<main class="key-screen">
			<div class="card key-card stack">
				<div class="split">
					<Mark />
					<ThemeButton />
				</div>
				<h1>Plinth console</h1>
				<p class="lead">Try the models of this server, and watch its jobs, files and webhooks.</p>
				{signOutReason.value && (
					<p class="note bad" role="alert">
						{signOutReason.value}
					</p>
				)}
				<Form onSubmit={submit} error={error.value} label="Sign in">
					<TextField
						label="API key"
						param="key"
						type="password"
						hint="The first start of the server prints one. Leave the field empty if the server needs no key."
						{...bound(value)}
					/>
					<Button type="submit" look="primary" busy={isBusy.value}>
						Open the console
					</Button>
				</Form>
				<p class="hint">The key stays in this browser tab and is forgotten when the tab is closed.</p>
			</div>
		</main>
	);
}

function wrongKey(message: string): ApiError {
	return new ApiError(message, { param: 'key' });
}

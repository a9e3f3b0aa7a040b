import { retryNow } from '../api/feed.ts';
import { connection, isGapless } from '../api.ts';
import { Button, Icon } from '../components.ts';

/** Shows that the connection to the feed is lost, and that it is restored. */
export function ConnectionBanner() {
	const state = connection.value;
	const restoredText = isGapless.value ? 'Nothing was missed.' : 'The lists were loaded again.';
	return (
		<div class="connection" role="status">
			{state === 'lost' && (
				<div class="banner bad row">
					<Icon name="warning" />
					<p>The connection to the server is lost. What you see may be old.</p>
					<Button onClick={retryNow}>Try now</Button>
				</div>
			)}
			{state === 'restored' && (
				<div class="banner good row">
					<Icon name="check" />
					<p>Connected again. {restoredText}</p>
				</div>
			)}
		</div>
	);
}

import { Button, Code, Dialog } from '../../components.ts';
import type { EndpointWithSecret } from './webhook.ts';

/** The secret of an endpoint, which no later response contains. */
export function Secret({
	endpoint: { name, signing_secret: secret },
	onClose,
}: {
	readonly endpoint: EndpointWithSecret;
	readonly onClose: () => void;
}) {
	return (
		<Dialog title="Keep this secret" onClose={onClose}>
			<p>The receiver uses it to check that requests to {name} come from this server. It is shown only once.</p>
			<Code label="Secret" text={secret} />
			<div class="row">
				<Button look="primary" onClick={onClose}>
					I have kept it
				</Button>
			</div>
		</Dialog>
	);
}

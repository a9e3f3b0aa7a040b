import { useEffect } from 'preact/hooks';
import { type ApiDocument, type ApiError, useLoaded } from '../../api.ts';
import { Button, Empty, LoadedContent, Tabs, View } from '../../components.ts';
import { currentRoute, goTo, linkTo } from '../../state/router.ts';
import { benchOf } from './bench.ts';
import { Compose, Conversation } from './chat/chat.tsx';
import { ask, draft, type Exchange, exchangedBefore, exchanges, refusal } from './chat/conversation.ts';
import { messagesOf } from './chat/messages.ts';
import { deskOf } from './desk/desk.ts';
import { CapabilityForm } from './form/capability-form.tsx';
import { loadOffered, type Offered, offered } from './loaded.ts';
import { workers } from './results/results.tsx';
import { RunCard } from './results/run-card.tsx';
import { Snippets } from './snippets/snippets.tsx';
import type { Offer } from './spec/capabilities.ts';

/** One form for each capability of this server. */
export function Playground() {
	const { value = offered.value, error, reload } = useLoaded(loadOffered, []);
	useEffect(ignoreDrops, []);
	return (
		<View title="Playground" lead="Try what this server offers. Each form comes from its own API description.">
			<LoadedContent of={{ value, error, reload }} name="what the server offers">
				{(all) => <Offers offered={all} />}
			</LoadedContent>
		</View>
	);
}

function Offers({ offered: { document, offers } }: { readonly offered: Offered }) {
	const [chosen] = currentRoute.value.rest;
	const offer = offers.find(({ capability }) => capability.id === chosen) ?? offers[0];
	if (!offer) {
		return (
			<Empty icon="playground" title="Nothing to try">
				This server has no models for video, pictures, chat or sound, and does not read documents.
			</Empty>
		);
	}
	const { id } = offer.capability;
	return (
		<Tabs
			label="Capabilities"
			tabs={offers.map(({ capability }) => capability)}
			chosen={id}
			onChoose={(next) => goTo(linkTo('playground', [next]), { replace: true })}
		>
			{id === 'chat' ? (
				<ChatPanel document={document} offer={offer} />
			) : (
				<Panel key={id} document={document} offer={offer} />
			)}
		</Tabs>
	);
}

/** Ignores files that are dropped outside of a field. The browser would open them, and the results would be lost. */
function ignoreDrops(): () => void {
	const types = ['dragover', 'drop'] as const;
	const ignore = (event: Event) => event.preventDefault();
	for (const type of types) addEventListener(type, ignore);
	return () => {
		for (const type of types) removeEventListener(type, ignore);
	};
}

interface PanelProps {
	readonly document: ApiDocument;
	readonly offer: Offer;
}

/** Whether an error belongs to the form: the server has refused its values. */
function isRefusal(error: ApiError | undefined): error is ApiError {
	return error !== undefined && (error.param !== null || (error.status >= 400 && error.status < 500));
}

function Panel({ document, offer }: PanelProps) {
	const { capability } = offer;
	const { id } = capability;
	const desk = deskOf<unknown>(id);
	const { fields, call } = benchOf(document, offer, desk);
	const { work, doing, Result, cancel } = workers[id as keyof typeof workers];
	const runs = desk.runs.value;
	const newest = runs[0]?.error.value;
	return (
		<div class="playground">
			<div class="card">
				<CapabilityForm
					capability={capability}
					fields={fields}
					desk={desk}
					error={isRefusal(newest) ? newest : undefined}
					onSubmit={async () => {
						await desk.made;
						desk.start(benchOf(document, offer, desk).call, work);
					}}
				/>
			</div>
			<div class="stack">
				{runs.length === 0 && (
					<Empty icon="playground" title="Nothing made yet">
						Results appear here, and stay until you forget the key.
					</Empty>
				)}
				{runs.map((run, at) => (
					<RunCard
						key={run.id}
						run={run}
						doing={doing}
						isRefused={at === 0 && isRefusal(run.error.value)}
						onRetry={() => desk.start(run.call, work, run)}
						onRemove={() => desk.remove(run)}
						cancel={cancel}
					>
						<Result run={run} />
					</RunCard>
				))}
				<Snippets id={id} call={call} />
			</div>
		</div>
	);
}

function ChatPanel({ document, offer }: PanelProps) {
	const { capability } = offer;
	const desk = deskOf<unknown>('chat');
	const { fields, facts, call: options } = benchOf(document, offer, desk);
	const callOf = (question = draft.value, end?: Exchange) => ({
		...options,
		fields: { ...options.fields, messages: messagesOf(exchangedBefore(end), question, facts) },
	});
	const running = exchanges.value.find(({ run }) => run.state.value === 'running');
	const submit = () => {
		if (!running) void ask(draft.value, callOf());
	};
	return (
		<div class="playground">
			<div class="card">
				<CapabilityForm
					capability={capability}
					fields={fields}
					desk={desk}
					error={refusal.value}
					onSubmit={submit}
					actions={
						running && (
							<Button icon="stop" onClick={() => running.run.stop()}>
								Stop
							</Button>
						)
					}
				>
					<Compose />
				</CapabilityForm>
			</div>
			<div class="stack">
				<Conversation onRetry={(exchange) => void ask(exchange, callOf(exchange, exchange), exchange)} />
				<Snippets id="chat" call={callOf()} />
			</div>
		</div>
	);
}

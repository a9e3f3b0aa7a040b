import { getJson, useLoaded } from '../../api.ts';
import { Badge, Empty, Facts, Fold, LoadedContent, ReloadButton, View } from '../../components.ts';
import { factsOf, type Model, type ModelList } from './model.ts';

/** How often the models are loaded again, for their health and groups. */
const everyMs = 5_000;

/** The models of the server with their abilities and health. */
export function Models() {
	const models = useLoaded((signal) => getJson<ModelList>('/v1/models', { signal }), [], { everyMs });
	return (
		<View
			title="Models"
			lead="What this server offers, with the health of each model."
			actions={<ReloadButton of={models} />}
		>
			<LoadedContent of={models} name="the models">
				{({ data }) =>
					data.length === 0 ? (
						<Empty icon="models" title="No models">
							The config of this server has no models.
						</Empty>
					) : (
						<div class="columns wide">
							{data.map((model) => (
								<ModelCard key={model.id} model={model} />
							))}
						</div>
					)
				}
			</LoadedContent>
		</View>
	);
}

const healthOf = {
	up: { tone: 'good', text: 'Up' },
	trying: { tone: 'warn', text: 'Trying again' },
	down: { tone: 'bad', text: 'Down' },
} as const;

function ModelCard({ model }: { readonly model: Model }) {
	const { id, kind, description, health, group } = model;
	const { tone, text } = healthOf[health] ?? { tone: 'info', text: health };
	const facts = Object.entries(factsOf(model)).map(([name, values]) => [name, <Values key={name} values={values} />]);
	return (
		<article class="card stack">
			<header class="split">
				<h2>{id}</h2>
				<div class="row">
					{kind && <Badge tone="accent">{kind}</Badge>}
					<Badge tone={tone}>{text}</Badge>
					{group && (
						<Badge tone={group.state === 'busy' ? 'warn' : 'info'}>
							{group.state} in {group.id}
						</Badge>
					)}
					{group && group.waiting > 0 && <Badge>{group.waiting} waiting</Badge>}
				</div>
			</header>
			{description && <p>{description}</p>}
			<Facts facts={Object.fromEntries(facts)} />
		</article>
	);
}

/** Further values of a long list are hidden until the user opens them. */
const shownValues = 8;

function Values({ values }: { readonly values: readonly string[] }) {
	const rest = values.slice(shownValues);
	return (
		<>
			{values.slice(0, shownValues).join(', ')}
			{rest.length > 0 && <Fold summary={`${rest.length} more`}>{rest.join(', ')}</Fold>}
		</>
	);
}

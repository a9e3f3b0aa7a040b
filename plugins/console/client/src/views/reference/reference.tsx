import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { type ApiDocument, getJson, useLoaded } from '../../api.ts';
import { bound, Empty, LoadedContent, ReloadButton, TextField, View } from '../../components.ts';
import { currentRoute, linkTo } from '../../state/router.ts';
import { groupsOf, operationsOf } from './document.ts';
import { OperationItem } from './operation.tsx';
import { Prose } from './parts.tsx';

/** The API of this server from `/openapi.json`. `#/reference/{name}` opens an operation or scrolls to a tag. */
export function Reference() {
	const loaded = useLoaded((signal) => getJson<ApiDocument>('/openapi.json', { signal }), []);
	return (
		<View
			title="API reference"
			lead="Every operation of this server, from its own /openapi.json."
			actions={<ReloadButton of={loaded} />}
		>
			<LoadedContent of={loaded} name="the description">
				{(api) => <Operations api={api} />}
			</LoadedContent>
		</View>
	);
}

function Operations({ api }: { readonly api: ApiDocument }) {
	const search = useSignal('');
	const operations = useMemo(() => operationsOf(api), [api]);
	const groups = useMemo(() => groupsOf(api, operations, search.value), [api, operations, search.value]);
	const schemas = api.components?.schemas ?? {};
	const count = groups.reduce((sum, group) => sum + group.operations.length, 0);
	const [chosen] = currentRoute.value.rest;
	useEffect(() => {
		const part = chosen === undefined ? null : document.getElementById(chosen);
		part?.scrollIntoView({ block: 'start' });
		part?.querySelector('summary')?.focus({ preventScroll: true });
	}, [chosen]);
	return (
		<>
			<Prose text={api.info?.description} />
			<search>
				<TextField
					label="Search"
					type="search"
					placeholder="Words of a path, summary or description"
					{...bound(search)}
				/>
			</search>
			<nav class="row reference-tags" aria-label="Parts of the API">
				{groups.map(({ tag }) => (
					<a key={tag} href={linkTo('reference', [tag])}>
						{tag}
					</a>
				))}
			</nav>
			<p class="hint" role="status">
				{search.value ? `${count} of ${operations.length} operations` : ''}
			</p>
			{count === 0 && <Empty icon="search" title="No operation has all of these words" />}
			{groups.map(({ tag, operations: all }) => (
				<section key={tag} class="stack reference-group">
					<h2 id={tag}>{tag}</h2>
					{all.map((listed) => (
						<OperationItem key={listed.id} listed={listed} schemas={schemas} isChosen={listed.id === chosen} />
					))}
				</section>
			))}
		</>
	);
}

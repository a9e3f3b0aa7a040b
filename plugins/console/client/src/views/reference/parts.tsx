import type { Schemas } from '../../api.ts';
import { Fold } from '../../components.ts';
import { blocksOf, type Piece } from './prose.ts';
import { type Member, membersOf } from './schema.ts';

/** A description as paragraphs and lists. */
export function Prose({ text = '' }: { readonly text: string | undefined }) {
	const line = (pieces: readonly Piece[]) =>
		pieces.map(({ text: piece, isCode }, at) => (isCode ? <code key={at}>{piece}</code> : piece));
	return (
		<>
			{blocksOf(text).map(({ isList, items }, at) =>
				isList ? (
					<ul key={at} class="reference-list">
						{items.map((pieces, item) => (
							<li key={item}>{line(pieces)}</li>
						))}
					</ul>
				) : (
					<p key={at}>{items.map(line)}</p>
				),
			)}
		</>
	);
}

/** Properties with types, bounds and descriptions. Nested ones open by a click: schemas may contain themselves. */
export function Members({
	members,
	schemas,
}: {
	readonly members: readonly (Member & { readonly place?: string })[];
	readonly schemas: Schemas;
}) {
	return (
		<dl class="reference-members">
			{members.map(({ name, type, isRequired, description, facts, parts, place }) => (
				<div key={`${place} ${name}`}>
					<dt class="row">
						<code>{name}</code>
						<span class="hint">
							{[type, place && `in ${place}`].filter(Boolean).join(', ')}
							{isRequired && <strong> required</strong>}
						</span>
					</dt>
					<dd>
						<Prose text={description} />
						{facts.length > 0 && <p class="hint">{facts.join(' · ')}</p>}
						{parts.map(({ title, schema }) => (
							<Fold key={title} class="reference-part" summary={title}>
								<Members members={membersOf(schema, schemas)} schemas={schemas} />
							</Fold>
						))}
					</dd>
				</div>
			))}
		</dl>
	);
}

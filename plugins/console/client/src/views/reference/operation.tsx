import type { Response } from '../../api/openapi.ts';
import { addressOf, type Schemas } from '../../api.ts';
import { Badge, Code, Fold } from '../../components.ts';
import { linkTo } from '../../state/router.ts';
import { curlOf } from './curl.ts';
import { type ApiOperation, type Body, bodiesOf } from './document.ts';
import { Members, Prose } from './parts.tsx';
import { memberOf, membersOf, typeOf } from './schema.ts';

/** One operation. Its content is rendered when it is open. */
export function OperationItem({
	listed,
	schemas,
	isChosen,
}: {
	readonly listed: ApiOperation;
	readonly schemas: Schemas;
	/** The URL of the page names this operation. */
	readonly isChosen: boolean;
}) {
	const { id, method, path, needsKey, operation } = listed;
	const summary = (
		<>
			<span class={`badge ${tones[method] ?? ''}`}>{method}</span>
			<code>{path}</code>
			<span class="lead">{operation.summary}</span>
		</>
	);
	return (
		<Fold id={id} class="card reference-operation" summary={summary} opens={isChosen}>
			<div class="reference-body stack">
				<Prose text={operation.description} />
				<p class="hint">
					{needsKey ? 'It needs an API key. ' : 'It needs no API key. '}
					<a href={linkTo('reference', [id])}>Link to this operation</a>
				</p>
				<Content listed={listed} schemas={schemas} />
			</div>
		</Fold>
	);
}

const tones: Readonly<Record<string, string>> = { GET: 'accent', POST: 'good', DELETE: 'bad' };

function Content({ listed, schemas }: { readonly listed: ApiOperation; readonly schemas: Schemas }) {
	const { parameters = [], requestBody, responses = {} } = listed.operation;
	const members = parameters.map(({ name, in: place, required = false, description, schema }) => ({
		...memberOf(name, { ...schema, ...(description && { description }) }, required, schemas),
		place,
	}));
	return (
		<>
			<h4>Example</h4>
			<Code label="Example with curl" text={curlOf(listed, schemas, addressOf)} />
			{members.length > 0 && (
				<>
					<h4>Parameters</h4>
					<Members members={members} schemas={schemas} />
				</>
			)}
			{requestBody && (
				<>
					<h4>Body</h4>
					<Prose text={requestBody.description} />
					{bodiesOf(requestBody.content).map((body, index) => (
						<BodyItem key={body.mediaType} body={body} schemas={schemas} isOpen={index === 0} />
					))}
				</>
			)}
			<h4>Answers</h4>
			{Object.entries(responses).map(([status, answer]) => (
				<AnswerItem key={status} status={status} answer={answer} schemas={schemas} />
			))}
		</>
	);
}

function BodyItem({
	body: { mediaType, schema },
	schemas,
	isOpen,
}: {
	readonly body: Body;
	readonly schemas: Schemas;
	readonly isOpen: boolean;
}) {
	const members = membersOf(schema, schemas);
	if (members.length === 0) {
		return (
			<p>
				<code>{mediaType}</code> {typeOf(schema, schemas)}
			</p>
		);
	}
	return (
		<Fold class="reference-part" summary={<code>{mediaType}</code>} opens={isOpen}>
			<Members members={members} schemas={schemas} />
		</Fold>
	);
}

function AnswerItem({
	status,
	answer: { description = '', headers = {}, content },
	schemas,
}: {
	readonly status: string;
	readonly answer: Response;
	readonly schemas: Schemas;
}) {
	const isGood = Number(status) < 400;
	const members = Object.entries(headers).map(([name, { description: text, schema }]) =>
		memberOf(name, { ...schema, ...(text && { description: text }) }, false, schemas),
	);
	const summary = (
		<>
			<Badge tone={isGood ? 'good' : 'bad'}>{status}</Badge> {summaryOf(description)}
		</>
	);
	return (
		<Fold class="reference-part" summary={summary}>
			<Prose text={description} />
			{bodiesOf(content).map((body, index) => (
				<BodyItem key={body.mediaType} body={body} schemas={schemas} isOpen={isGood && index === 0} />
			))}
			{members.length > 0 && (
				<>
					<h5>Headers</h5>
					<Members members={members} schemas={schemas} />
				</>
			)}
		</Fold>
	);
}

/** The codes of an error, or the first line of the description of a success. */
function summaryOf(description: string) {
	const codes = [...description.matchAll(/^- `([^`]+)`/gm)].map(([, code]) => code);
	if (codes.length > 0) return <code>{codes.join(' ')}</code>;
	return <span>{description.split('\n')[0]}</span>;
}

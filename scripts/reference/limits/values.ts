import { audioDecoder, audioEncoder } from '@plinth/audio';
import { type App, idempotencyKeyMs, type Route, retryWindowMs } from '@plinth/core';
import { documentReader } from '@plinth/documents';
import { sharpImages } from '@plinth/sharp';
import { sqliteJobs } from '@plinth/sqlite';
import { textCacheLimits } from '../../../adapters/documents/src/cache/text-cache.ts';
import { maxCharacters, maxEntries, maxInflated } from '../../../adapters/documents/src/formats/budget.ts';
import { documentLimits } from '../../../adapters/documents/src/pool/limits.ts';
import { maxPixels, maxSeconds } from '../../../adapters/sharp/src/failures.ts';
import { maxWorkerBytes } from '../../../adapters/sharp/src/worker/messages.ts';
import { jobSettings } from '../../../core/kernel/src/contract/jobs/settings.ts';
import { defaultCircuit } from '../../../core/kernel/src/contract/model-settings.ts';
import { serverSettings } from '../../../core/kernel/src/contract/server-settings.ts';
import { readinessLimits } from '../../../core/kernel/src/engine/run/readiness.ts';
import { wholeBytes } from '../../../core/kernel/src/http/bodies/body.ts';
import { httpLimits } from '../../../core/kernel/src/http/limits.ts';
import { refusalBytes } from '../../../core/kernel/src/http/passthrough/forward.ts';
import { retryAfterSeconds } from '../../../core/kernel/src/models/failures.ts';
import { abandonMs } from '../../../core/kernel/src/models/guarded-model.ts';
import { defaultWaiting } from '../../../core/kernel/src/models/wait-queue.ts';
import { fetchLimits } from '../../../core/toolkit/src/egress/fetched-images.ts';
import { referencedFileLimits } from '../../../core/toolkit/src/files/referenced-files.ts';
import { chatOptions } from '../../../plugins/chat/src/options.ts';
import { chatLimits } from '../../../plugins/chat/src/request/fields.ts';
import { maxFiles as maxChatFiles } from '../../../plugins/chat/src/request/parts.ts';
import { createChatCompletion } from '../../../plugins/chat/src/route.ts';
import { eventsOptions } from '../../../plugins/events/src/options.ts';
import { maxPage } from '../../../plugins/files/src/fields.ts';
import { fileOptions } from '../../../plugins/files/src/options.ts';
import { uploadFile } from '../../../plugins/files/src/routes/upload.ts';
import { sweepMs as fileSweepMs, uploadTimeoutMs } from '../../../plugins/files/src/sweep.ts';
import { sweepMs } from '../../../plugins/image/src/links/sweep.ts';
import { imageOptions } from '../../../plugins/image/src/options.ts';
import { maxImages } from '../../../plugins/image/src/request/inputs.ts';
import { sizeRules } from '../../../plugins/image/src/request/sizes.ts';
import { editImages } from '../../../plugins/image/src/routes/edit.ts';
import { parseOptions } from '../../../plugins/parse/src/options.ts';
import { maxChars, maxFiles } from '../../../plugins/parse/src/request/fields.ts';
import { maxRanges } from '../../../plugins/parse/src/request/pages.ts';
import { parseAttachments } from '../../../plugins/parse/src/route.ts';
import { transcriptionOptions } from '../../../plugins/transcription/src/options.ts';
import { videoOptions } from '../../../plugins/video/src/options.ts';
import { maxPreviewBytes } from '../../../plugins/video/src/previews.ts';
import { createVideo } from '../../../plugins/video/src/routes/create.ts';
import { keptMs, maxAttempts } from '../../../plugins/webhooks/src/deliveries.ts';
import { failingMs, maxEndpoints } from '../../../plugins/webhooks/src/endpoints.ts';
import { maxOldSecrets, oldSecretMs } from '../../../plugins/webhooks/src/secrets.ts';
import { answerMs, longestRetryAfterMs } from '../../../plugins/webhooks/src/sender.ts';

/** Every limit of the sources by its name, with its value formatted for the page. */
export function limitsOfSources(app: App): ReadonlyMap<string, string> {
	const { port: _, ...server } = serverSettings.parse({});
	const jobs = sqliteJobs.definition.config.parse({ file: 'x' });
	const video = createVideo({ jobs: {}, models: {}, images: {} } as never);
	return new Map([
		...named('httpLimits', httpLimits),
		...named('server', server),
		...named('jobs', jobSettings.parse({})),
		...named('plugins.video.with', videoOptions.parse({})),
		...named('plugins.image.with', imageOptions.parse({})),
		...named('plugins.parse.with', parseOptions.parse({})),
		...named('plugins.chat.with', chatOptions.parse({})),
		...named('plugins.transcription.with', transcriptionOptions.parse({})),
		...named('plugins.files.with', fileOptions.parse({})),
		...named('plugins.events.with', eventsOptions.parse({})),
		...named('backends.jobs.with', jobs),
		...named('backends.images.with', sharpImages.definition.config.parse({})),
		...named('backends.documents.with', documentReader.definition.config.parse({})),
		...named('backends.audio.with', audioEncoder.definition.config.parse({})),
		...named('backends.decoder.with', audioDecoder.definition.config.parse({})),
		...named('reader', {
			...documentLimits,
			maxInflatedBytes: maxInflated,
			maxEntries,
			maxCharacters,
		}),
		...named('textCache', textCacheLimits),
		...named('models', {
			waiting: defaultWaiting,
			circuit: defaultCircuit,
			retryAfterSeconds,
			abandonMs,
		}),
		...named('forward', { wholeBytes, refusalBytes }),
		...named('readiness', readinessLimits),
		...named('idempotency', { keyMs: idempotencyKeyMs, retryMs: retryWindowMs }),
		...ofRoute('POST /v1/videos', video),
		...ofRoute('POST /v1/images/edits', editImages({} as never)),
		...ofRoute('POST /api/attachments/parse', parseAttachments({} as never)),
		...ofRoute('POST /v1/chat/completions', createChatCompletion({} as never)),
		...ofRoute('POST /v1/files', uploadFile({} as never)),
		...named('video', { maxPreviewBytes }),
		...named('files', { page: maxPage, sweepMs: fileSweepMs, uploadTimeoutMs }),
		...named('namedFiles', referencedFileLimits),
		...named('fetchedImages', fetchLimits),
		...named('webhooks', {
			endpoints: maxEndpoints,
			oldSecretMs,
			oldSecrets: maxOldSecrets,
			answerMs,
			longestRetryAfterMs,
			failingMs,
			keptMs,
			attempts: maxAttempts,
		}),
		...named('chat', { ...chatLimits, files: maxChatFiles }),
		...named('image', {
			pixels: maxPixels,
			decodeMs: maxSeconds * 1_000,
			workerBytes: maxWorkerBytes,
		}),
		...named('images', { pictures: maxImages, sweepMs }),
		...named('images.size', sizeRules),
		...named('documents', { ranges: maxRanges, maxChars, files: maxFiles }),
		...lengths(app.openapi()),
	]);
}

/** The limits that a route sets itself. */
function ofRoute(name: string, { limits = {} }: Route): [string, string][] {
	const { fieldsEndingIn = {}, ...plain } = limits;
	const numbers = Object.entries(plain).filter(([, value]) => typeof value === 'number');
	return [
		...numbers.map(([key, value]): [string, string] => [`${name} ${key}`, formatted(key, value)]),
		...Object.entries(fieldsEndingIn).map(([ending, value]): [string, string] => [`${name} ${ending}`, bytes(value)]),
	];
}

/** The numbers of an object, including those of nested objects one level deep. */
function named(prefix: string, table: unknown): [string, string][] {
	return Object.entries(table as object).flatMap(([name, value]) => {
		if (typeof value === 'number') return [[`${prefix}.${name}`, formatted(name, value)]];
		const isTable = typeof value === 'object' && value !== null && !Array.isArray(value);
		return isTable ? named(`${prefix}.${name}`, value) : [];
	});
}

const byteNames = /bytes$|^(?:json|multipart|file|field|allFields|drain|drainUnauthenticated)$/i;

function formatted(name: string, value: number): string {
	if (name.endsWith('Ms')) return duration(value);
	if (/seconds$/i.test(name)) return duration(value * 1_000);
	if (name.endsWith('Minutes')) return duration(value * 60_000);
	if (name.endsWith('Hours')) return duration(value * 3_600_000);
	return byteNames.test(name) ? bytes(value) : count(value);
}

function duration(ms: number): string {
	const [size, unit] = (
		[
			[86_400_000, 'days'],
			[3_600_000, 'h'],
			[60_000, 'min'],
			[1_000, 's'],
		] as const
	).find(([size, unit]) => ms > 0 && ms % size === 0 && (unit !== 'days' || ms > size)) ?? [1, 'ms'];
	return `${ms / size}\u00a0${unit}`;
}

const count = (value: number) => value.toLocaleString('en-US');
function bytes(value: number): string {
	const [size, unit] = (
		[
			[2 ** 30, 'GiB'],
			[2 ** 20, 'MiB'],
			[2 ** 10, 'KiB'],
		] as const
	).find(([size]) => value > 0 && value % size === 0) ?? [1, 'bytes'];
	return `${count(value / size)}\u00a0${unit}`;
}

interface Schema {
	readonly maxLength?: number;
	readonly properties?: Readonly<Record<string, Schema>>;
	readonly oneOf?: readonly Schema[];
	readonly anyOf?: readonly Schema[];
}

/** Length limits of the texts in request bodies: `VideoCreate.prompt`. */
function lengths(document: object): [string, string][] {
	const { schemas } = (document as { components: { schemas: Record<string, Schema> } }).components;
	const walk = (name: string, schema: Schema): [string, string][] => [
		...(schema.maxLength === undefined ? [] : [[name, count(schema.maxLength)] as [string, string]]),
		...Object.entries(schema.properties ?? {}).flatMap(([key, inner]) => walk(`${name}.${key}`, inner)),
		...[...(schema.oneOf ?? []), ...(schema.anyOf ?? [])].flatMap((form) => walk(name, form)),
	];
	const bodies = Object.entries(schemas).filter(([name]) =>
		/(?:Create|Remix|Generation|Edit|Parse|Update|Rotate|Test)$/.test(name),
	);
	return bodies.flatMap(([name, schema]) => walk(name, schema));
}

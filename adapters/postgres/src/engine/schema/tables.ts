/**
 * The tables of version 1. Times are in milliseconds since the Unix epoch, by the clock of the database. JSON is kept
 * as text, because `jsonb` refuses `\u0000` and changes lone surrogates. Ids sort by bytes.
 */
export const tables = `
CREATE TABLE plinth.jobs (
	id text COLLATE "C" PRIMARY KEY,
	kind text COLLATE "C" NOT NULL,
	tenant text COLLATE "C" NOT NULL,
	principal text COLLATE "C" NOT NULL,
	model text COLLATE "C" NOT NULL,
	status text COLLATE "C" NOT NULL DEFAULT 'queued',
	input text NOT NULL,
	result text,
	error text,
	-- while a job runs, its lease has the current value
	progress double precision NOT NULL DEFAULT 0,
	checkpoint text,
	attempt integer NOT NULL DEFAULT 0,
	max_attempts integer NOT NULL,
	fence integer NOT NULL DEFAULT 0,
	cancel_requested boolean NOT NULL DEFAULT false,
	created_at bigint NOT NULL,
	started_at bigint,
	completed_at bigint,
	expires_at bigint,
	-- for a queued job, the time from which it is handed out
	due_at bigint,
	content_due_at bigint,
	record_due_at bigint,
	removed boolean NOT NULL DEFAULT false,
	-- the call that ended the attempt with the current fence
	ended_by text,
	-- since when no worker offers the model
	unoffered_since bigint,
	callback text,
	idempotency_key text COLLATE "C",
	fingerprint text COLLATE "C",
	-- the highest retry count that made or received this job
	received_retry integer NOT NULL DEFAULT 0
) WITH (fillfactor = 80);
-- No index has the columns that a take changes, so a take updates no index.
CREATE INDEX jobs_pending ON plinth.jobs (kind, tenant, id) WHERE completed_at IS NULL AND NOT removed;
CREATE INDEX jobs_page ON plinth.jobs (tenant, kind, id) WHERE NOT removed;
CREATE INDEX jobs_cancelled ON plinth.jobs (kind, id)
	WHERE cancel_requested AND completed_at IS NULL AND NOT removed;
CREATE INDEX jobs_content_due ON plinth.jobs (content_due_at) WHERE content_due_at IS NOT NULL;
CREATE INDEX jobs_record_due ON plinth.jobs (record_due_at) WHERE record_due_at IS NOT NULL;
CREATE INDEX jobs_key ON plinth.jobs (tenant, principal, idempotency_key, created_at)
	WHERE idempotency_key IS NOT NULL AND NOT removed;
CREATE INDEX jobs_fingerprint ON plinth.jobs (tenant, principal, fingerprint, created_at)
	WHERE fingerprint IS NOT NULL AND NOT removed;

-- Each running job has one row here; other jobs have none. A heartbeat writes only this row, and no index of it.
CREATE TABLE plinth.leases (
	job_id text COLLATE "C" PRIMARY KEY,
	kind text COLLATE "C" NOT NULL,
	fence integer NOT NULL,
	until bigint NOT NULL,
	lease_ms bigint NOT NULL,
	progress double precision NOT NULL,
	cancel boolean NOT NULL DEFAULT false,
	-- for operators who inspect the table
	worker text NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- A place is a position in the log. Places are assigned under its lock, in the order of commits. They may have gaps.
CREATE TABLE plinth.events (
	place bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	type text COLLATE "C" NOT NULL,
	job_id text COLLATE "C" NOT NULL,
	kind text COLLATE "C" NOT NULL,
	tenant text COLLATE "C" NOT NULL,
	at bigint NOT NULL,
	data text NOT NULL
);
CREATE INDEX events_job ON plinth.events (job_id, place);
CREATE INDEX events_tenant ON plinth.events (tenant, place);

-- One row: the highest place that was trimmed, and the database that the log belongs to.
CREATE TABLE plinth.log (trimmed bigint NOT NULL, origin text NOT NULL);
INSERT INTO plinth.log VALUES (0, '');

CREATE TABLE plinth.turns (kind text COLLATE "C" PRIMARY KEY, tenant text COLLATE "C" NOT NULL);

-- The models of each worker; null stands for every model.
CREATE TABLE plinth.offers (
	kind text COLLATE "C" NOT NULL,
	worker text COLLATE "C" NOT NULL,
	models text[] COLLATE "C",
	seen_at bigint NOT NULL,
	PRIMARY KEY (kind, worker)
);

CREATE TABLE plinth.duties (name text COLLATE "C" PRIMARY KEY, holder text NOT NULL, until bigint NOT NULL);

CREATE TABLE plinth.records (
	tenant text COLLATE "C" NOT NULL,
	collection text COLLATE "C" NOT NULL,
	id text COLLATE "C" NOT NULL,
	value text NOT NULL,
	version bigint NOT NULL,
	updated_at bigint NOT NULL,
	index_value text COLLATE "C",
	PRIMARY KEY (tenant, collection, id)
) WITH (fillfactor = 80);
CREATE INDEX records_index ON plinth.records (tenant, collection, index_value, id) WHERE index_value IS NOT NULL;

-- A job with the columns of JobRow. A running job has the progress of its lease.
CREATE VIEW plinth.shown AS
	SELECT j.id, j.kind, j.tenant, j.principal, j.model, j.status, j.input, j.result, j.error,
		coalesce(l.progress, j.progress) AS progress, j.checkpoint, j.attempt, j.max_attempts, j.fence,
		j.cancel_requested, j.created_at, j.started_at, j.completed_at, j.expires_at, j.removed,
		j.completed_at IS NULL AS pending
	FROM plinth.jobs j LEFT JOIN plinth.leases l ON l.job_id = j.id;
`;

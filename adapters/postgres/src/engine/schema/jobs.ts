/** The functions of single jobs. They run inside `plinth.run`, under the lock of the log. */
export const jobFunctions = `
-- Appends an event of a job. The code is that of its error. In PL/pgSQL, which caches plans between calls.
CREATE FUNCTION plinth.append(event text, job text, code text, at bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO plinth.events (type, job_id, kind, tenant, at, data)
	SELECT event, j.id, j.kind, j.tenant, append.at, '{"attempt":' || j.attempt
		|| CASE WHEN event = 'job.failed' THEN coalesce(',"code":' || to_json(code), '') ELSE '' END
		|| CASE WHEN event IN ('job.completed', 'job.failed') THEN coalesce(',"callback":' || j.callback, '') ELSE '' END
		|| '}'
	FROM plinth.jobs j WHERE j.id = job;
END $$;

CREATE FUNCTION plinth.create_job(c jsonb, at bigint)
RETURNS TABLE (outcome text, job plinth.shown) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
	x record;
	earlier record;
BEGIN
	SELECT * INTO x FROM jsonb_to_record(c) AS r(id text, kind text, tenant text, principal text, model text, input text,
		max_attempts integer, callback text, key text, fingerprint text, retry integer, key_ms bigint, retry_ms bigint,
		max_pending bigint);
	IF x.key IS NOT NULL THEN
		SELECT j.id, j.fingerprint INTO earlier FROM plinth.jobs j
		WHERE j.tenant = x.tenant AND j.principal = x.principal AND j.idempotency_key = x.key AND NOT j.removed
			AND j.created_at >= at - x.key_ms
		ORDER BY j.created_at DESC, j.id DESC LIMIT 1;
		IF FOUND AND earlier.fingerprint IS DISTINCT FROM x.fingerprint THEN
			RETURN QUERY SELECT 'mismatch', NULL::plinth.shown;
			RETURN;
		ELSIF FOUND THEN
			RETURN QUERY SELECT 'replayed', s FROM plinth.shown s WHERE s.id = earlier.id;
			RETURN;
		END IF;
	ELSIF x.fingerprint IS NOT NULL AND x.retry > 0 THEN
		SELECT j.id, j.received_retry INTO earlier FROM plinth.jobs j
		WHERE j.tenant = x.tenant AND j.principal = x.principal AND j.fingerprint = x.fingerprint AND NOT j.removed
			AND j.created_at >= at - x.retry_ms
		ORDER BY j.created_at DESC, j.id DESC LIMIT 1;
		IF FOUND AND earlier.received_retry < x.retry THEN
			UPDATE plinth.jobs SET received_retry = x.retry WHERE id = earlier.id;
			RETURN QUERY SELECT 'replayed', s FROM plinth.shown s WHERE s.id = earlier.id;
			RETURN;
		END IF;
	END IF;
	IF x.max_pending IS NOT NULL AND x.max_pending <= (SELECT count(*) FROM (SELECT FROM plinth.jobs j
			WHERE j.completed_at IS NULL AND NOT j.removed AND j.kind = x.kind AND j.tenant = x.tenant
			LIMIT x.max_pending) p) THEN
		RETURN QUERY SELECT 'queue-full', NULL::plinth.shown;
		RETURN;
	END IF;
	INSERT INTO plinth.jobs (id, kind, tenant, principal, model, input, max_attempts, callback, created_at, due_at,
		idempotency_key, fingerprint, received_retry)
	VALUES (x.id, x.kind, x.tenant, x.principal, x.model, x.input, x.max_attempts, x.callback, at, 0, x.key,
		x.fingerprint, x.retry);
	PERFORM plinth.append('job.queued', x.id, NULL, at);
	RETURN QUERY SELECT 'created', s FROM plinth.shown s WHERE s.id = x.id;
END $$;

-- Only the holder of the lease can end an attempt. The call that has ended it may be repeated.
CREATE FUNCTION plinth.end_attempt(c jsonb, at bigint) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	x record;
	reached double precision;
	is_retry boolean;
BEGIN
	SELECT * INTO x FROM jsonb_to_record(c) AS r(op text, id text, fence integer, result text, retention_ms bigint,
		error text, code text, retry_ms bigint, record_ms bigint);
	DELETE FROM plinth.leases l WHERE l.job_id = x.id AND l.fence = x.fence RETURNING l.progress INTO reached;
	IF NOT FOUND THEN
		RETURN (SELECT 'true' FROM plinth.jobs j
			WHERE j.id = x.id AND j.fence = x.fence AND NOT j.removed AND j.ended_by = x.op);
	END IF;
	IF x.op = 'complete' THEN
		UPDATE plinth.jobs SET status = 'completed', progress = 1, result = x.result, completed_at = at,
			expires_at = at + x.retention_ms, content_due_at = at + x.retention_ms, record_due_at = at + x.record_ms,
			ended_by = x.op
		WHERE id = x.id;
		PERFORM plinth.append('job.completed', x.id, NULL, at);
		RETURN 'true';
	END IF;
	-- A job that is to be cancelled does not wait for its retry.
	UPDATE plinth.jobs SET status = 'queued', progress = reached, ended_by = x.op,
		attempt = attempt - CASE WHEN x.op = 'release' THEN 1 ELSE 0 END,
		due_at = CASE WHEN x.op = 'release' OR cancel_requested THEN 0 ELSE at + x.retry_ms END
	WHERE id = x.id AND (x.op = 'release' OR (x.retry_ms IS NOT NULL AND attempt < max_attempts));
	IF FOUND THEN
		PERFORM plinth.append('job.queued', x.id, NULL, at);
		RETURN 'true';
	END IF;
	UPDATE plinth.jobs SET status = 'failed', progress = reached, error = x.error, completed_at = at,
		content_due_at = at, record_due_at = at + x.record_ms, ended_by = x.op
	WHERE id = x.id;
	PERFORM plinth.append('job.failed', x.id, x.code, at);
	RETURN 'true';
END $$;

-- Ends a due job that may not run, unless a heartbeat has extended its lease meanwhile.
CREATE FUNCTION plinth.end_due(job text, reason text, code text, record_ms bigint, at bigint)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE reached double precision;
BEGIN
	DELETE FROM plinth.leases l WHERE l.job_id = job AND l.until <= at RETURNING l.progress INTO reached;
	IF NOT FOUND AND EXISTS (SELECT FROM plinth.leases l WHERE l.job_id = job) THEN RETURN; END IF;
	UPDATE plinth.jobs SET status = 'failed', error = reason, progress = coalesce(reached, progress), completed_at = at,
		due_at = NULL, content_due_at = at, record_due_at = at + record_ms
	WHERE id = job;
	PERFORM plinth.append('job.failed', job, code, at);
END $$;

-- The heartbeats of one turn of a process. Also extends an expired lease, unless another worker has taken the job.
CREATE FUNCTION plinth.beat(ids text[], fences integer[], fractions double precision[], given_now bigint)
RETURNS TABLE (id text, fence integer, cancel boolean) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE at bigint := coalesce(given_now, plinth.now_ms());
BEGIN
	PERFORM plinth.prepare();
	RETURN QUERY UPDATE plinth.leases l
		SET until = at + l.lease_ms, progress = greatest(l.progress, least(b.progress, 0.99))
		FROM (SELECT u.id, u.fence, max(u.progress) AS progress
			FROM unnest(ids, fences, fractions) AS u(id, fence, progress) GROUP BY u.id, u.fence) b
		WHERE l.job_id = b.id AND l.fence = b.fence
		RETURNING l.job_id, l.fence, l.cancel;
END $$;

-- A heartbeat with a checkpoint.
CREATE FUNCTION plinth.keep_checkpoint(c jsonb, at bigint) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	x record;
	is_cancelled boolean;
BEGIN
	SELECT * INTO x FROM jsonb_to_record(c) AS r(id text, fence integer, progress double precision, checkpoint text);
	UPDATE plinth.leases l SET until = at + l.lease_ms, progress = greatest(l.progress, least(x.progress, 0.99))
	WHERE l.job_id = x.id AND l.fence = x.fence RETURNING l.cancel INTO is_cancelled;
	IF NOT FOUND THEN RETURN 'lost'; END IF;
	UPDATE plinth.jobs SET checkpoint = x.checkpoint WHERE id = x.id;
	RETURN CASE WHEN is_cancelled THEN 'cancel' ELSE 'ok' END;
END $$;

CREATE FUNCTION plinth.cancel_job(c jsonb, at bigint) RETURNS SETOF plinth.shown LANGUAGE plpgsql AS $$
DECLARE x record;
BEGIN
	SELECT * INTO x FROM jsonb_to_record(c) AS r(tenant text, id text, error text, code text, record_ms bigint);
	UPDATE plinth.jobs j SET cancel_requested = true
	WHERE j.id = x.id AND j.tenant = x.tenant AND j.completed_at IS NULL AND NOT j.removed;
	IF FOUND THEN
		UPDATE plinth.leases SET cancel = true WHERE job_id = x.id;
		IF NOT FOUND THEN PERFORM plinth.end_due(x.id, x.error, x.code, x.record_ms, at); END IF;
	END IF;
	RETURN QUERY SELECT * FROM plinth.shown s WHERE s.id = x.id AND s.tenant = x.tenant AND NOT s.removed;
END $$;

-- While a lease is valid, its attempt may still write bytes, so the record is due after the end of the lease. If the
-- disk has no space for the event and the mark, the rows are deleted: the bytes of a running attempt are orphans then.
CREATE FUNCTION plinth.remove_job(c jsonb, at bigint) RETURNS SETOF plinth.shown LANGUAGE plpgsql AS $$
DECLARE
	x record;
	held record;
	seen plinth.shown;
BEGIN
	SELECT * INTO x FROM jsonb_to_record(c) AS r(tenant text, id text);
	SELECT * INTO seen FROM plinth.shown s WHERE s.id = x.id AND s.tenant = x.tenant AND NOT s.removed;
	IF NOT FOUND THEN RETURN; END IF;
	BEGIN
		DELETE FROM plinth.leases l WHERE l.job_id = x.id RETURNING l.until, l.progress INTO held;
		UPDATE plinth.jobs SET removed = true, progress = coalesce(held.progress, progress), due_at = NULL,
			content_due_at = NULL, record_due_at = greatest(at, held.until)
		WHERE id = x.id;
		PERFORM plinth.append('job.deleted', x.id, NULL, at);
	EXCEPTION WHEN disk_full THEN
		DELETE FROM plinth.leases l WHERE l.job_id = x.id;
		DELETE FROM plinth.jobs j WHERE j.id = x.id;
	END;
	RETURN NEXT seen;
END $$;

CREATE FUNCTION plinth.settle(c jsonb) RETURNS void LANGUAGE sql AS $$
	UPDATE plinth.jobs j SET content_due_at = NULL
	FROM jsonb_to_recordset(c->'items') AS i(due text, id text, tenant text)
	WHERE i.due = 'content' AND j.id = i.id AND j.tenant = i.tenant;
	DELETE FROM plinth.jobs j USING jsonb_to_recordset(c->'items') AS i(due text, id text, tenant text)
	WHERE i.due = 'record' AND j.id = i.id AND j.tenant = i.tenant AND j.record_due_at IS NOT NULL;
$$;
`;

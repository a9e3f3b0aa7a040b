/** The functions that hand out jobs and do the housekeeping. They run inside `plinth.run`. */
export const takeFunctions = `
-- Whether a take would write: it has a new offer, or there is a job that it may return or end.
CREATE FUNCTION plinth.has_work(c jsonb, at bigint, lapsed text[]) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	x record;
BEGIN
	SELECT * INTO x FROM jsonb_to_record(c) AS r(kind text, worker text, models text[], seen_ms bigint, "count" integer,
		allowed text[], running text[]);
	RETURN NOT EXISTS (SELECT FROM plinth.offers o WHERE o.kind = x.kind AND o.worker = x.worker
			AND o.seen_at = at - at % x.seen_ms AND o.models IS NOT DISTINCT FROM x.models)
		OR EXISTS (SELECT FROM plinth.jobs j WHERE j.id = ANY (lapsed) AND j.kind = x.kind AND j.id <> ALL (x.running)
			AND (x.count > 0 OR j.cancel_requested OR j.attempt >= j.max_attempts))
		OR EXISTS (SELECT FROM plinth.jobs j WHERE j.cancel_requested AND j.completed_at IS NULL AND NOT j.removed
			AND j.kind = x.kind AND j.status = 'queued' AND j.due_at <= at AND j.id <> ALL (x.running))
		OR (x.count > 0 AND EXISTS (SELECT FROM plinth.jobs j WHERE j.completed_at IS NULL AND NOT j.removed
			AND j.kind = x.kind AND j.status = 'queued' AND j.due_at <= at AND j.id <> ALL (x.running)
			AND (x.allowed IS NULL OR j.model = ANY (x.allowed))));
END $$;

CREATE FUNCTION plinth.take_jobs(c jsonb, at bigint, lapsed text[]) RETURNS SETOF plinth.shown LANGUAGE plpgsql AS $$
DECLARE
	x record;
	j record;
	last text;
	first text;
	served text;
	allowed text[];
	limits jsonb;
	per_tenant jsonb := '{}';
	full_tenants text[] := '{}';
	taken integer := 0;
	left_of integer;
BEGIN
	SELECT * INTO x FROM jsonb_to_record(c) AS r(kind text, worker text, models text[], seen_ms bigint, "count" integer,
		allowed text[], limits jsonb, per_tenant integer, running text[], lease_ms bigint, record_ms bigint,
		cancelled text, cancelled_code text, exhausted text, exhausted_code text);
	PERFORM FROM plinth.offers o WHERE o.kind = x.kind AND o.worker = x.worker AND o.seen_at = at - at % x.seen_ms
		AND o.models IS NOT DISTINCT FROM x.models;
	IF NOT FOUND THEN
		INSERT INTO plinth.offers (kind, worker, models, seen_at)
		VALUES (x.kind, x.worker, x.models, at - at % x.seen_ms)
		ON CONFLICT (kind, worker) DO UPDATE SET models = excluded.models, seen_at = excluded.seen_at;
	END IF;

	FOR j IN
		SELECT s.id, s.cancel_requested FROM plinth.jobs s
		WHERE s.id = ANY (lapsed) AND s.kind = x.kind AND s.id <> ALL (x.running)
			AND s.status = 'in_progress' AND (s.cancel_requested OR s.attempt >= s.max_attempts)
		UNION ALL
		SELECT s.id, true FROM plinth.jobs s
		WHERE s.cancel_requested AND s.completed_at IS NULL AND NOT s.removed AND s.kind = x.kind
			AND s.status = 'queued' AND s.due_at <= at AND s.id <> ALL (x.running)
		ORDER BY id
	LOOP
		IF j.cancel_requested THEN PERFORM plinth.end_due(j.id, x.cancelled, x.cancelled_code, x.record_ms, at);
		ELSE PERFORM plinth.end_due(j.id, x.exhausted, x.exhausted_code, x.record_ms, at);
		END IF;
	END LOOP;
	IF x.count < 1 THEN RETURN; END IF;

	allowed := x.allowed;
	limits := x.limits;
	lapsed := ARRAY(SELECT l FROM unnest(lapsed) l WHERE l <> ALL (x.running));
	IF x.per_tenant IS NOT NULL THEN
		SELECT coalesce(jsonb_object_agg(r.tenant, r.runs), '{}'),
			coalesce(array_agg(r.tenant) FILTER (WHERE r.runs >= x.per_tenant), '{}')
		INTO per_tenant, full_tenants
		FROM (SELECT s.tenant, count(*) AS runs FROM plinth.jobs s WHERE s.id = ANY (x.running) GROUP BY s.tenant) r;
	END IF;
	SELECT t.tenant INTO last FROM plinth.turns t WHERE t.kind = x.kind;
	last := coalesce(last, '');
	first := last;
	WHILE taken < x.count LOOP
		SELECT s.id, s.tenant, s.model, s.status INTO j FROM plinth.jobs s
		WHERE s.completed_at IS NULL AND NOT s.removed AND s.kind = x.kind AND s.tenant > last
			AND ((s.status = 'queued' AND s.due_at <= at AND s.id <> ALL (x.running)) OR s.id = ANY (lapsed))
			AND (allowed IS NULL OR s.model = ANY (allowed)) AND s.tenant <> ALL (full_tenants)
		ORDER BY s.tenant, s.id LIMIT 1;
		IF NOT FOUND AND last <> '' THEN
			last := '';
			CONTINUE;
		END IF;
		EXIT WHEN NOT FOUND;
		IF j.status = 'queued' THEN
			INSERT INTO plinth.leases (job_id, kind, fence, until, lease_ms, progress, worker)
			SELECT s.id, s.kind, s.fence + 1, at + x.lease_ms, x.lease_ms, s.progress, x.worker
			FROM plinth.jobs s WHERE s.id = j.id;
		ELSE
			lapsed := array_remove(lapsed, j.id);
			UPDATE plinth.leases l SET fence = l.fence + 1, until = at + x.lease_ms, lease_ms = x.lease_ms,
				worker = x.worker
			WHERE l.job_id = j.id AND l.until <= at;
			-- A heartbeat has extended the lease meanwhile.
			CONTINUE WHEN NOT FOUND;
		END IF;
		UPDATE plinth.jobs s SET status = 'in_progress', attempt = s.attempt + 1, fence = s.fence + 1, due_at = NULL,
			started_at = coalesce(s.started_at, at), ended_by = NULL, unoffered_since = NULL
		WHERE s.id = j.id;
		PERFORM plinth.append('job.started', j.id, NULL, at);
		RETURN QUERY SELECT * FROM plinth.shown s WHERE s.id = j.id;
		taken := taken + 1;
		last := j.tenant;
		served := j.tenant;
		IF limits ? j.model THEN
			left_of := (limits->>j.model)::integer - 1;
			limits := jsonb_set(limits, ARRAY[j.model], to_jsonb(left_of));
			IF left_of < 1 THEN allowed := array_remove(allowed, j.model); END IF;
		END IF;
		IF x.per_tenant IS NOT NULL THEN
			left_of := coalesce((per_tenant->>j.tenant)::integer, 0) + 1;
			per_tenant := per_tenant || jsonb_build_object(j.tenant, left_of);
			IF left_of >= x.per_tenant THEN full_tenants := full_tenants || j.tenant; END IF;
		END IF;
	END LOOP;
	IF served <> first THEN
		INSERT INTO plinth.turns (kind, tenant) VALUES (x.kind, served)
		ON CONFLICT (kind) DO UPDATE SET tenant = excluded.tenant;
	END IF;
END $$;

-- Trims a bounded part of the log, so that a long backlog never holds its lock for long. Shortens leases and offers
-- after the clock was set back. Ends jobs whose model no worker has offered for too long.
CREATE FUNCTION plinth.tidy(c jsonb, at bigint, lapsed text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	x record;
	j record;
	edge bigint;
BEGIN
	SELECT * INTO x FROM jsonb_to_record(c) AS r(record_ms bigint, offer_ms bigint, seen_ms bigint, wait_ms bigint,
		no_worker text, no_worker_code text);
	PERFORM plinth.adopt();
	WITH bite AS (
		SELECT e.place, e.at AS happened FROM plinth.events e
		WHERE e.place > (SELECT l.trimmed FROM plinth.log l) ORDER BY e.place LIMIT 5000
	)
	SELECT max(b.place) INTO edge FROM bite b
	WHERE b.place < coalesce((SELECT min(y.place) FROM bite y WHERE y.happened >= at - x.record_ms), 9223372036854775807);
	IF edge IS NOT NULL THEN
		DELETE FROM plinth.events e WHERE e.place <= edge;
		UPDATE plinth.log SET trimmed = edge;
	END IF;

	UPDATE plinth.leases l SET until = at + l.lease_ms WHERE l.until > at + l.lease_ms;
	DELETE FROM plinth.offers o WHERE o.seen_at <= at - x.offer_ms;
	UPDATE plinth.offers o SET seen_at = at - at % x.seen_ms WHERE o.seen_at > at;

	UPDATE plinth.jobs s SET unoffered_since = NULL
	WHERE s.unoffered_since IS NOT NULL AND plinth.is_due(s, at, lapsed) AND plinth.is_offered(s);
	UPDATE plinth.jobs s SET unoffered_since = at
	WHERE s.completed_at IS NULL AND NOT s.removed AND s.unoffered_since IS NULL AND plinth.is_due(s, at, lapsed)
		AND NOT plinth.is_offered(s);
	FOR j IN SELECT s.id FROM plinth.jobs s
		WHERE s.completed_at IS NULL AND NOT s.removed AND s.unoffered_since <= at - x.wait_ms
			AND plinth.is_due(s, at, lapsed)
		ORDER BY s.id
	LOOP
		PERFORM plinth.end_due(j.id, x.no_worker, x.no_worker_code, x.record_ms, at);
	END LOOP;
END $$;

CREATE FUNCTION plinth.is_due(j plinth.jobs, at bigint, lapsed text[]) RETURNS boolean LANGUAGE sql STABLE AS $$
	SELECT j.completed_at IS NULL AND NOT j.removed
		AND ((j.status = 'queued' AND j.due_at <= at) OR j.id = ANY (lapsed))
$$;

CREATE FUNCTION plinth.is_offered(j plinth.jobs) RETURNS boolean LANGUAGE sql STABLE AS $$
	SELECT EXISTS (SELECT FROM plinth.offers o
		WHERE o.kind = j.kind AND (o.models IS NULL OR j.model = ANY (o.models)))
$$;

-- After a restore from a backup, the log continues at places that no reader has seen, so that cursors from before the
-- restore skip no event from after it.
CREATE FUNCTION plinth.adopt() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	here text;
	place regclass := pg_get_serial_sequence('plinth.events', 'place');
BEGIN
	SELECT d.oid::text INTO here FROM pg_database d WHERE d.datname = current_database();
	BEGIN
		SELECT here || ' of ' || s.system_identifier INTO here FROM pg_control_system() s;
	EXCEPTION WHEN insufficient_privilege THEN NULL;
	END;
	IF here = (SELECT l.origin FROM plinth.log l) THEN RETURN; END IF;
	IF (SELECT l.origin FROM plinth.log l) <> '' THEN PERFORM setval(place, nextval(place) + 1000000); END IF;
	UPDATE plinth.log SET origin = here;
END $$;
`;

/**
 * `run` executes the writes of one turn of a process as one transaction, in one round trip. Writes that append to
 * the log hold its lock from before their first read until they have committed. So the order of the log is the order
 * of commits, and concurrent writes of two processes have the same result as writes one after the other.
 */
export const runFunctions = `
CREATE FUNCTION plinth.now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS $$
	SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
$$;

-- Settings of one transaction. A wait for a lock ends before the timeout of the caller. Cached plans must suit tables
-- of any size, so none reads a whole table that has an index.
CREATE FUNCTION plinth.prepare() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('lock_timeout', '1500ms', true), set_config('enable_seqscan', 'off', true),
		set_config('jit', 'off', true);
END $$;

-- The advisory lock of the log.
CREATE FUNCTION plinth.lock_log() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_advisory_xact_lock(hashtextextended('plinth.log', 0));
END $$;

CREATE FUNCTION plinth.run(commands jsonb, given_now bigint)
RETURNS TABLE (n integer, outcome text, job plinth.shown) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
	c jsonb;
	i integer := 0;
	at bigint := coalesce(given_now, plinth.now_ms());
	lapsed text[];
	locked boolean := false;
BEGIN
	PERFORM plinth.prepare();
	FOR c IN SELECT value FROM jsonb_array_elements(commands) LOOP
		IF c->>'op' = 'take' THEN
			IF lapsed IS NULL THEN
				lapsed := ARRAY(SELECT l.job_id FROM plinth.leases l WHERE l.until <= at ORDER BY l.job_id);
			END IF;
			IF NOT locked AND NOT plinth.has_work(c, at, lapsed) THEN
				i := i + 1;
				CONTINUE;
			END IF;
		END IF;
		IF NOT locked THEN
			PERFORM plinth.lock_log();
			locked := true;
			at := coalesce(given_now, plinth.now_ms());
			lapsed := ARRAY(SELECT l.job_id FROM plinth.leases l WHERE l.until <= at ORDER BY l.job_id);
		END IF;
		CASE c->>'op'
			WHEN 'create' THEN RETURN QUERY SELECT i, d.* FROM plinth.create_job(c, at) d;
			WHEN 'take' THEN RETURN QUERY SELECT i, 'job', d FROM plinth.take_jobs(c, at, lapsed) d;
			WHEN 'complete', 'fail', 'release' THEN
				RETURN QUERY SELECT i, plinth.end_attempt(c, at), NULL::plinth.shown;
			WHEN 'heartbeat' THEN RETURN QUERY SELECT i, plinth.keep_checkpoint(c, at), NULL::plinth.shown;
			WHEN 'cancel' THEN RETURN QUERY SELECT i, 'job', d FROM plinth.cancel_job(c, at) d;
			WHEN 'remove' THEN RETURN QUERY SELECT i, 'job', d FROM plinth.remove_job(c, at) d;
			WHEN 'swept' THEN PERFORM plinth.settle(c);
			WHEN 'tidy' THEN PERFORM plinth.tidy(c, at, lapsed);
		END CASE;
		i := i + 1;
	END LOOP;
END $$;
`;

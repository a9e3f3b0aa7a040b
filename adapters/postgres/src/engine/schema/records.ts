/** The writes of the record store. Those of one turn of a process form one transaction. */
export const recordFunctions = `
-- In the order of ids, not of calls, so that two processes do not deadlock.
CREATE FUNCTION plinth.run_records(commands jsonb, given_now bigint)
RETURNS TABLE (n integer, written bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
	x record;
	at bigint := coalesce(given_now, plinth.now_ms());
	kept bigint;
BEGIN
	PERFORM plinth.prepare();
	FOR x IN
		SELECT r.*, e.place - 1 AS place FROM jsonb_array_elements(commands) WITH ORDINALITY AS e(c, place),
			jsonb_to_record(e.c) AS r(op text, tenant text, collection text, id text, value text, index_value text,
				if_version bigint)
		ORDER BY r.tenant, r.collection, r.id, e.place
	LOOP
		kept := NULL;
		IF x.op = 'delete' THEN
			DELETE FROM plinth.records r WHERE r.tenant = x.tenant AND r.collection = x.collection AND r.id = x.id
			RETURNING r.version INTO kept;
		ELSIF x.if_version > 0 THEN
			UPDATE plinth.records r SET value = x.value, version = r.version + 1, updated_at = at, index_value = x.index_value
			WHERE r.tenant = x.tenant AND r.collection = x.collection AND r.id = x.id AND r.version = x.if_version
			RETURNING r.version INTO kept;
		ELSE
			INSERT INTO plinth.records AS r (tenant, collection, id, value, version, updated_at, index_value)
			VALUES (x.tenant, x.collection, x.id, x.value, 1, at, x.index_value)
			ON CONFLICT (tenant, collection, id) DO UPDATE SET value = excluded.value, version = r.version + 1,
				updated_at = at, index_value = excluded.index_value
			WHERE x.if_version IS NULL
			RETURNING r.version INTO kept;
		END IF;
		n := x.place;
		written := kept;
		RETURN NEXT;
	END LOOP;
END $$;
`;

export const sql = `
-- The host to which bounces of the email come back; NULL: they go to its sender.
ALTER TABLE emails ADD COLUMN return_path_host {text};
-- The return-path host whose records were right when DNS was asked last; NULL: none.
ALTER TABLE domains ADD COLUMN return_path_host {text};
-- Unix milliseconds since which DNS has lacked required records that it once had; NULL: it has them, or never had.
ALTER TABLE domains ADD COLUMN lost_since {big};
-- A domain that has lost its records is checked until DNS has them again, though it may no longer send.
DROP INDEX domains_to_check;
CREATE INDEX domains_to_check ON domains (check_due_at) WHERE sending <> 'inactive' OR lost_since IS NOT NULL;
`

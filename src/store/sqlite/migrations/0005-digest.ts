/**
 * What is made of the log by those who follow it (src/store/digest.ts): lists of places for each term and segment,
 * times of segments, and counts.
 */
export const sql = `
CREATE TABLE search_lists (
  company INTEGER NOT NULL,
  kind    INTEGER NOT NULL,
  major   INTEGER NOT NULL,
  minor   INTEGER NOT NULL,
  places  BLOB NOT NULL,
  PRIMARY KEY (company, kind, major, minor)
) STRICT, WITHOUT ROWID;

CREATE TABLE search_spans (
  company INTEGER NOT NULL,
  segment INTEGER NOT NULL,
  min_at  INTEGER NOT NULL,
  max_at  INTEGER NOT NULL,
  PRIMARY KEY (company, segment)
) STRICT, WITHOUT ROWID;

CREATE TABLE event_counts (
  company   INTEGER NOT NULL,
  -- Of the bucket, in ms.
  size      INTEGER NOT NULL,
  dimension TEXT NOT NULL,
  start     INTEGER NOT NULL,
  domain_id TEXT NOT NULL,
  value     TEXT NOT NULL,
  type      TEXT NOT NULL,
  n         INTEGER NOT NULL,
  PRIMARY KEY (company, size, dimension, start, domain_id, value, type)
) STRICT, WITHOUT ROWID;
`

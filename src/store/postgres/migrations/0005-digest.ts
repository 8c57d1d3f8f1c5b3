/**
 * What is made of the log by those who follow it (src/store/digest.ts): lists of places for each term and segment,
 * times of segments, and counts.
 */
export const sql = `
CREATE TABLE search_lists (
  company integer NOT NULL,
  kind    integer NOT NULL,
  major   bigint NOT NULL,
  minor   bigint NOT NULL,
  places  bytea NOT NULL,
  PRIMARY KEY (company, kind, major, minor)
);
ALTER TABLE search_lists ALTER COLUMN places SET STORAGE EXTERNAL;

CREATE TABLE search_spans (
  company integer NOT NULL,
  segment bigint NOT NULL,
  min_at  bigint NOT NULL,
  max_at  bigint NOT NULL,
  PRIMARY KEY (company, segment)
);

CREATE TABLE event_counts (
  company   integer NOT NULL,
  -- Of the bucket, in ms.
  size      bigint NOT NULL,
  dimension text COLLATE "C" NOT NULL,
  start     bigint NOT NULL,
  domain_id text COLLATE "C" NOT NULL,
  value     text COLLATE "C" NOT NULL,
  type      text COLLATE "C" NOT NULL,
  n         bigint NOT NULL,
  PRIMARY KEY (company, size, dimension, start, domain_id, value, type)
);
`

/** Pauses of sites. */
export const sql = `
CREATE TABLE site_pauses (
  -- 0: of all companies.
  company integer NOT NULL,
  -- Key of the site.
  site    text COLLATE "C" NOT NULL,
  name    text COLLATE "C" NOT NULL,
  since   bigint NOT NULL,
  PRIMARY KEY (company, site)
);
`

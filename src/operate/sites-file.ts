import { openSiteTable, type SitesSettings } from '../delivery/sites/sites-file.ts'

/** Throws SitesError when the operator's file of sites would keep a node from starting. */
export function checkSitesFile(settings: SitesSettings): void {
  if (settings.sites !== null) openSiteTable(settings)
}

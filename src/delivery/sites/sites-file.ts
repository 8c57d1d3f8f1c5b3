/** The sites file of the operator over the one that is shipped, read again when it changes. */
import { readFileSync } from 'node:fs'
import { FileWatch } from '../../common/file-watch.ts'
import type { Log } from '../../common/logging.ts'
import { readSites, SitesError } from './read-sites.ts'
import type { SiteBlocks } from './site-block.ts'
import { SiteTable } from './site-table.ts'

const SHIPPED = new URL('./sites.toml', import.meta.url)

export interface SitesSettings {
  /** POSTROAD_SITES. */
  sites: string | null
  /** POSTROAD_SITE_CONCURRENCY. */
  siteConcurrency: number
}

/** Throws SitesError when the operator's file cannot be used. */
export function openSiteTable({ sites, siteConcurrency }: SitesSettings): SiteTable {
  const shipped = readSites(readFileSync(SHIPPED, 'utf8'), 'sites.toml')
  const own = sites === null ? null : ownBlocks(sites, shipped)
  return new SiteTable(shipped, own, siteConcurrency)
}

function ownBlocks(path: string, shipped: SiteBlocks): SiteBlocks {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    throw new SitesError(
      `POSTROAD_SITES names ${path}, which cannot be read: ${(cause as Error).message}. Correct the path, or unset it`,
      { cause },
    )
  }
  const known = shipped.sites.map(({ name }) => name)
  return readSites(text, path, known)
}

/** The table for a command, and the fault of the operator's file: nodes keep the limits from before it. */
export function openUsableSites(settings: SitesSettings): { table: SiteTable; fault: string | null } {
  try {
    return { table: openSiteTable(settings), fault: null }
  } catch (error) {
    if (!(error instanceof SitesError)) throw error
    return { table: openSiteTable({ ...settings, sites: null }), fault: error.message }
  }
}

/** The table that holds now. A changed file with a fault changes nothing, and is reported until it is mended. */
export class SitesFile {
  table: SiteTable
  /** The fault of the file as it is now; null: it is in force. */
  fault: string | null = null
  readonly #settings: SitesSettings
  readonly #watch: FileWatch | null
  readonly #log: Log
  readonly #listeners: (() => void)[] = []

  constructor(settings: SitesSettings, log: Log) {
    this.#settings = settings
    this.#log = log
    this.table = openSiteTable(settings)
    this.#watch = settings.sites === null ? null : new FileWatch([settings.sites], () => this.#reload())
  }

  /** `changed` is called after each change of the table. */
  listen(changed: () => void): void {
    this.#listeners.push(changed)
  }

  close(): void {
    this.#watch?.close()
  }

  #reload(): void {
    try {
      this.table = openSiteTable(this.#settings)
    } catch (error) {
      if (!(error instanceof SitesError)) throw error
      this.fault = error.message
      this.#log.error(
        {},
        `The changed sites file cannot be used, so the limits from before stay in force: ${error.message}`,
      )
      return
    }
    this.fault = null
    this.#log.info({ file: this.#settings.sites }, 'The changed sites file is in force')
    for (const changed of this.#listeners) changed()
  }
}

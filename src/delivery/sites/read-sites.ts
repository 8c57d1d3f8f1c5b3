/** Reads and checks the text of a sites file. */
import { parse, TomlError } from 'smol-toml'
import { nearestName } from '../../common/nearest-name.ts'
import { durationWithin, sizeWithin } from '../../config/parse/quantity.ts'
import { SettingValueError } from '../../config/parse/value-error.ts'
import {
  REPLY_FINDINGS,
  type ReplyRule,
  type SiteBlock,
  type SiteBlocks,
  type SiteLimits,
  type SiteTerms,
} from './site-block.ts'
import { lineOf, type SitesTable } from './toml-lines.ts'

/** The message names file, line, value, and what is allowed. */
export class SitesError extends Error {
  override name = 'SitesError'
}

type BlockKey = keyof SiteLimits | 'name' | 'mx' | 'domains' | 'replies' | 'source'

/** The keys of a file, and the field of each. */
const KEYS: Readonly<Record<string, BlockKey>> = {
  name: 'name',
  mx: 'mx',
  domains: 'domains',
  sessions: 'sessions',
  messages_per_session: 'messagesPerSession',
  messages_per_minute: 'messagesPerMinute',
  messages_per_hour: 'messagesPerHour',
  recipients_per_transaction: 'recipientsPerTransaction',
  tls: 'tls',
  envelope_behind_dot: 'envelopeBehindDot',
  size: 'size',
  back_off: 'backOff',
  replies: 'replies',
  source: 'source',
}
const DEFAULT_KEYS = Object.keys(KEYS).filter((key) => !['name', 'mx', 'domains'].includes(key))

const TLS = ['opportunistic', 'required', 'verified'] as const
/** RFC 1035 2.3.4; names are compared as A-labels. */
const HOST = /^(?:\*\.)?(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
/** Yahoo wants senders to stay away for hours. */
const backOffWithin = durationWithin('1s', '6h')
const MAX_NAME = 60
const MAX_PATTERN = 200
const MAX_REPLIES = 50
const MAX_SITES = 1_000
const MAX_NAMES = 1_000
/** Letters in which a name may differ from the one that is meant. */
const MAX_MISTAKES = 3

/**
 * `file`: its name in messages; `known`: names of blocks that lie under those of the file, which need no servers of
 * their own. Throws SitesError.
 */
export function readSites(text: string, file: string, known: readonly string[] = []): SiteBlocks {
  return new SitesReader(text, file, known).read()
}

class SitesReader {
  readonly #text: string
  readonly #file: string
  readonly #known: readonly string[]
  #table: SitesTable | null = null

  constructor(text: string, file: string, known: readonly string[]) {
    this.#text = text
    this.#file = file
    this.#known = known
  }

  read(): SiteBlocks {
    const { default: general = {}, site = [], ...others } = this.#parsed()
    const [unknown] = Object.keys(others)
    if (unknown !== undefined) {
      throw this.#fault(
        unknown,
        `"${unknown}" is not known here: the file holds one [default] and any number of [[site]]`,
      )
    }
    if (!isTable(general)) throw this.#fault('default', 'default must be one table: [default]')
    if (!Array.isArray(site) || !site.every(isTable)) {
      throw this.#fault('site', 'site must be a list of tables, each under [[site]]')
    }
    if (site.length > MAX_SITES)
      throw this.#fault('site', `there are ${site.length} sites, and at most ${MAX_SITES} are allowed`)
    this.#table = 'default'
    const terms = this.#terms(general, DEFAULT_KEYS)
    const names = new Map<string, number>()
    const sites = site.map((table, index) => {
      this.#table = index
      const block = this.#block(table)
      const first = names.get(block.name.toLowerCase())
      if (first !== undefined) {
        const line = lineOf(this.#text, first, 'name')
        throw this.#fault('name', `the site "${block.name}" is named twice, first in line ${line}`)
      }
      names.set(block.name.toLowerCase(), index)
      this.#assertEffect(block)
      return block
    })
    this.#assertDistinct(sites)
    return { general: terms, sites }
  }

  /** Throws when two blocks name the same servers: only one of the blocks could hold. */
  #assertDistinct(sites: readonly SiteBlock[]): void {
    for (const key of ['mx', 'domains'] as const) {
      const owners = new Map<string, number>()
      for (const [index, block] of sites.entries()) {
        for (const name of block[key]) {
          const owner = owners.get(name) ?? index
          owners.set(name, owner)
          if (owner === index) continue
          this.#table = index
          const { name: site } = sites[owner]!
          const line = lineOf(this.#text, owner, key)
          throw this.#fault(key, `${key} has "${name}", which the site "${site}" in line ${line} has as well`)
        }
      }
    }
  }

  #parsed(): Record<string, unknown> {
    try {
      return parse(this.#text)
    } catch (cause) {
      if (!(cause instanceof TomlError)) throw cause
      const [reason = cause.message] = cause.message.split('\n')
      throw new SitesError(
        `${this.#file}, line ${cause.line}: ${reason.replace(/^Invalid TOML document: /, 'not valid TOML: ')}`,
        {
          cause,
        },
      )
    }
  }

  #block(table: Record<string, unknown>): SiteBlock {
    const terms = this.#terms(table, Object.keys(KEYS))
    const { name } = table
    if (typeof name !== 'string' || name.trim() === '' || name.length > MAX_NAME) {
      throw this.#fault('name', `name ${valueText(name)}: a text of 1 to ${MAX_NAME} characters is needed`)
    }
    return {
      name: name.trim(),
      mx: this.#hosts(table, 'mx'),
      domains: this.#hosts(table, 'domains'),
      ...terms,
    }
  }

  /** A misspelt name would leave the limits of the site as they are. */
  #assertEffect({ name, mx, domains }: SiteBlock): void {
    const isKnown = this.#known.some((known) => known.toLowerCase() === name.toLowerCase())
    if (isKnown || mx.length > 0 || domains.length > 0) return
    const meant = nearestName(name, this.#known, MAX_MISTAKES)
    const advice = meant === null ? '' : ` (did you mean "${meant}"?)`
    throw this.#fault(
      'name',
      `the site "${name}" is not a known provider, so it needs mx or domains${advice}`,
    )
  }

  #terms(table: Record<string, unknown>, keys: readonly string[]): SiteTerms {
    for (const key of Object.keys(table)) {
      if (!keys.includes(key))
        throw this.#fault(key, `"${key}" is not known here. Allowed: ${keys.join(', ')}`)
    }
    const limits: Partial<SiteLimits> = {}
    const set = <K extends keyof SiteLimits>(field: K, value: SiteLimits[K] | undefined) => {
      if (value !== undefined) limits[field] = value
    }
    set('sessions', this.#count(table, 'sessions', 10_000))
    set('messagesPerSession', this.#count(table, 'messages_per_session', 100_000))
    set('messagesPerMinute', this.#rate(table, 'messages_per_minute', 1_000_000))
    set('messagesPerHour', this.#rate(table, 'messages_per_hour', 50_000_000))
    set('recipientsPerTransaction', this.#count(table, 'recipients_per_transaction', 100))
    set('tls', this.#word(table.tls, 'tls', TLS))
    set('envelopeBehindDot', this.#switch(table, 'envelope_behind_dot'))
    set('size', this.#quantity(table, 'size', sizeWithin('1KB', '1GB')))
    set('backOff', this.#quantity(table, 'back_off', backOffWithin))
    const { source = null } = table
    if (source !== null && typeof source !== 'string')
      throw this.#fault('source', `source ${valueText(source)}: a text is needed`)
    return { limits, replies: this.#replies(table), source }
  }

  #count(table: Record<string, unknown>, key: string, most: number): number | undefined {
    const value = table[key]
    if (value === undefined || (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most)) {
      return value as number | undefined
    }
    throw this.#fault(key, `${key} ${valueText(value)}: a whole number from 1 to ${most} is needed`)
  }

  #rate(table: Record<string, unknown>, key: string, most: number): number | null | undefined {
    const value = table[key]
    if (value === 'unlimited') return null
    if (typeof value === 'string') {
      throw this.#fault(
        key,
        `${key} ${valueText(value)}: a whole number from 1 to ${most}, or "unlimited", is needed`,
      )
    }
    return this.#count(table, key, most)
  }

  #switch(table: Record<string, unknown>, key: string): boolean | undefined {
    const value = table[key]
    if (value === undefined || typeof value === 'boolean') return value
    throw this.#fault(key, `${key} ${valueText(value)}: true or false is needed`)
  }

  #quantity(
    table: Record<string, unknown>,
    key: string,
    read: (text: string) => number,
    shownKey = key,
  ): number | null | undefined {
    const value = table[key]
    if (value === undefined) return undefined
    if (value === 'unlimited' && key === 'size') return null
    if (typeof value !== 'string')
      throw this.#fault(shownKey, `${shownKey} ${valueText(value)}: a text is needed`)
    try {
      return read(value)
    } catch (error) {
      if (!(error instanceof SettingValueError)) throw error
      throw this.#fault(shownKey, `${shownKey} ${valueText(value)}: ${error.message}`)
    }
  }

  #word<Word extends string>(value: unknown, key: string, allowed: readonly Word[]): Word | undefined {
    if (value === undefined || allowed.includes(value as Word)) return value as Word | undefined
    throw this.#fault(
      key,
      `${key} ${valueText(value)}: allowed are ${allowed.map((word) => `"${word}"`).join(', ')}`,
    )
  }

  #hosts(table: Record<string, unknown>, key: 'mx' | 'domains'): string[] {
    const value = table[key]
    if (value === undefined) return []
    if (!Array.isArray(value) || value.length > MAX_NAMES) {
      throw this.#fault(key, `${key} ${valueText(value)}: a list of at most ${MAX_NAMES} names is needed`)
    }
    return value.map((name) => {
      const host = typeof name === 'string' ? name.toLowerCase().replace(/\.$/, '') : ''
      if (
        HOST.test(host) &&
        host.length <= 253 &&
        (key === 'mx' ? !/^\*\.[^.]+$/.test(host) : !host.startsWith('*'))
      ) {
        return host
      }
      const allowed = key === 'mx' ? 'mx1.example.com or *.example.com' : 'example.com'
      throw this.#fault(
        key,
        `${key} has ${valueText(name)}: names like ${allowed} are allowed, with letters of other scripts as xn--`,
      )
    })
  }

  #replies({ replies = [] }: Record<string, unknown>): ReplyRule[] {
    if (!Array.isArray(replies) || replies.length > MAX_REPLIES) {
      throw this.#fault(
        'replies',
        `replies ${valueText(replies)}: a list of at most ${MAX_REPLIES} is needed`,
      )
    }
    return replies.map((rule: unknown) => {
      const table = isTable(rule) ? rule : {}
      const { pattern, finding, back_off: _, ...others } = table
      if (
        typeof pattern !== 'string' ||
        pattern === '' ||
        pattern.length > MAX_PATTERN ||
        Object.keys(others).length > 0
      ) {
        throw this.#fault(
          'replies',
          `replies has ${valueText(rule)}: { pattern = '...', finding = "busy" } is needed, the pattern with at most ${MAX_PATTERN} characters`,
        )
      }
      const means = this.#word(finding, 'replies: finding', REPLY_FINDINGS)
      if (means === undefined)
        throw this.#fault(
          'replies',
          `replies has a pattern without finding: allowed are ${REPLY_FINDINGS.join(', ')}`,
        )
      try {
        new RegExp(pattern)
      } catch (cause) {
        throw this.#fault(
          'replies',
          `replies has a pattern that is no regular expression: ${(cause as Error).message}`,
        )
      }
      const backOff = this.#quantity(table, 'back_off', backOffWithin, 'replies: back_off')
      return { pattern, finding: means, ...(backOff != null && { backOff }) }
    })
  }

  #fault(key: string, message: string): SitesError {
    const line = lineOf(this.#text, this.#table, key.replace(/:.*/, ''))
    return new SitesError(`${this.#file}, line ${line}: ${message}`)
  }
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

function valueText(value: unknown): string {
  if (value === undefined) return 'is missing'
  const text = JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part))
  return text.length > 80 ? `${text.slice(0, 77)}...` : text
}

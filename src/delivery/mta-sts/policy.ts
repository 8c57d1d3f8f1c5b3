/** The text of an MTA-STS policy (RFC 8461). */
import { recordsOfVersion } from '../../mail/dns-tags.ts'
import type { MtaStsMode, MtaStsPolicy } from '../../store/store.ts'

/** The content of a policy file. */
export interface PolicyFile extends Pick<MtaStsPolicy, 'mode' | 'mx'> {
  /** Seconds. */
  maxAge: number
}

const MODES: readonly MtaStsMode[] = ['enforce', 'testing', 'none']
/** RFC 8461 3.2: about a year. */
const LONGEST_AGE = 31_557_600
/** Hosts that a policy may name. A policy with more of them is not valid. */
const MAX_HOSTS = 100
const HOST = /^(?:\*\.)?(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9-]{1,63}$/

/**
 * The ID in the TXT records of `_mta-sts.<domain>`; null when the domain has no policy, or more than one such record
 * (RFC 8461 3.1).
 */
export function policyId(records: readonly string[]): string | null {
  const candidates = recordsOfVersion('STSv1', records)
  const [record] = candidates
  if (record === undefined || candidates.length > 1) return null
  const id = record
    .split(';')
    .map((field) => /^[ \t]*id=([a-z0-9]{1,32})[ \t]*$/i.exec(field)?.[1])
    .find((value) => value !== undefined)
  return id ?? null
}

/**
 * Null for a file that is not valid (RFC 8461 3.2). Unknown fields are ignored, and the first of repeated fields
 * counts.
 */
export function readPolicy(text: string): PolicyFile | null {
  const fields = new Map<string, string>()
  const mx = new Set<string>()
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === '') continue
    const colon = line.indexOf(':')
    if (colon === -1) return null
    const name = line.slice(0, colon).trim()
    const value = line.slice(colon + 1).trim()
    if (name === 'mx') mx.add(value.toLowerCase())
    else if (!fields.has(name)) fields.set(name, value)
  }
  const mode = MODES.find((each) => each === fields.get('mode'))
  const age = fields.get('max_age') ?? ''
  if (fields.get('version') !== 'STSv1' || mode === undefined || !/^\d{1,10}$/.test(age)) return null
  const hosts = [...mx]
  if (hosts.length > MAX_HOSTS || !hosts.every((host) => host.length <= 255 && HOST.test(host))) return null
  if (hosts.length === 0 && mode !== 'none') return null
  return { mode, mx: hosts, maxAge: Math.min(Number(age), LONGEST_AGE) }
}

/** RFC 8461 4.1: an asterisk stands for exactly one label. */
export function permitsHost({ mx }: Pick<MtaStsPolicy, 'mx'>, host: string): boolean {
  const dot = host.indexOf('.')
  return mx.some((pattern) =>
    pattern.startsWith('*.') ? dot > 0 && host.slice(dot) === pattern.slice(1) : pattern === host,
  )
}

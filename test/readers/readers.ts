/** Programs that are not ours, and the people that they find in an address field of a message. */
import { execFileSync, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import addressparser from 'nodemailer/lib/addressparser'
import PostalMime, { addressParser, decodeWords } from 'postal-mime'

/** Addresses that each reader found, by its name. */
export type Found = Map<string, string[]>

export interface ReadTask {
  raw: Buffer
  /** As in the header, e.g. `From`. */
  field: string
}

/** Why Python's parsers cannot be asked; null when they can. In CI (the variable CI is set) that is a failure. */
export function whyNoPython(): string | null {
  const { error, status } = spawnSync('python3', ['-c', 'import email.policy'])
  if (error === undefined && status === 0) return null
  const why = 'python3 is not installed: its two parsers were NOT asked'
  if (process.env.CI) throw new Error(why)
  return why
}

/** One answer for each task, of Python's parsers. */
export function readWithPython(tasks: readonly ReadTask[]): Found[] {
  const program = fileURLToPath(new URL('readers.py', import.meta.url))
  const input = tasks
    .map(({ raw, field }) => JSON.stringify({ raw: raw.toString('base64'), field }))
    .join('\n')
  const output = execFileSync('python3', [program], { input, maxBuffer: 1 << 30, encoding: 'utf8' })
  return output
    .trimEnd()
    .split('\n')
    .map((line) => new Map(Object.entries(JSON.parse(line) as Record<string, string[]>)))
}

/** The parsers that run in this process. */
export async function readHere({ raw, field }: ReadTask): Promise<Found> {
  const values = fieldsOf(raw, field)
  const found: Found = new Map()
  const flat = (text: string) => addressparser(text, { flatten: true }).map(({ address }) => address)
  found.set('nodemailer addressparser', values.flatMap(flat))
  found.set(
    'nodemailer addressparser, decoded before it is parsed',
    values.flatMap((value) => flat(decodeWords(value))),
  )
  found.set(
    'postal-mime addressParser',
    values.flatMap((value) => addressParser(value, { flatten: true }).map(({ address }) => address ?? '')),
  )
  const email = await PostalMime.parse(raw)
  const parsed = field === 'From' ? email.from : field === 'Sender' ? email.sender : undefined
  if (parsed !== undefined) {
    const mailboxes = parsed.group ?? [parsed]
    found.set(
      'postal-mime',
      mailboxes.map(({ address }) => address ?? ''),
    )
  }
  if (field === 'From') {
    const resolver = async () => Promise.reject(Object.assign(new Error('no DNS'), { code: 'ENOTFOUND' }))
    const { headerFrom } = (await dkimVerify(raw, { resolver })) as { headerFrom: string[] }
    found.set('mailauth', headerFrom)
  }
  return found
}

/** Values of a field, unfolded, as a reader with no idea of RFC 5322 beyond lines finds them. */
function fieldsOf(raw: Buffer, field: string): string[] {
  const header = raw.toString('utf8').split(/\r?\n\r?\n/, 1)[0]!
  const fields = header.replace(/\r?\n[ \t]/g, ' ').split(/\r?\n/)
  const prefix = new RegExp(`^${field}[ \\t]*:`, 'i')
  return fields.filter((line) => prefix.test(line)).map((line) => line.replace(prefix, '').trim())
}

/** Characters that no domain contains (RFC 5322 3.2.3 specials): a domain ends where one of them begins. */
const BEHIND_DOMAIN = /[\s<>()",;:\\].*$/su

/**
 * A reader that decodes first finds odd things, such as a display name with an address and half of a comment. A domain
 * that it finds must be `ours`, or none: a domain has a dot, with space around it as obsolete syntax allows (RFC 5322
 * 4.4).
 */
export function isOutside(reader: string, address: string, ours: string): boolean {
  if (!address.includes('@')) return false
  const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase()
  if (!reader.includes('decoded before')) return domain !== ours
  const named = domain
    .trimStart()
    .replace(/\s*\.\s*/g, '.')
    .replace(BEHIND_DOMAIN, '')
  return domain.includes('.') && named !== ours
}

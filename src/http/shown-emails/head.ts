/** Sender, recipients, subject and date of an email, read from its header. */
import { clip } from '../../common/clip.ts'
import { decodeText } from '../../mail/raw/decode.ts'
import { fieldValue } from '../../mail/raw/header.ts'
import { withCrlfLines } from '../../mail/raw/lines.ts'
import { readStructure } from '../../mail/raw/structure.ts'

/** Limits: octets of the header that are read, and characters of a field that are shown. */
const MAX_READ = 256 * 1024
const LONGEST = 1_000

export const HEAD_FIELDS = ['From', 'To', 'Cc', 'Date', 'Subject'] as const
/** A missing field is empty. */
export type Head = Readonly<Record<(typeof HEAD_FIELDS)[number], string>>

/** Throws RawError when the octets do not have the structure of a message. */
export function headOf(octets: Buffer): Head {
  const end = octets.indexOf('\r\n\r\n')
  const header = octets.subarray(0, Math.min(end < 0 ? octets.length : end + 4, MAX_READ))
  const { fields } = readStructure(withCrlfLines(header))
  const shown = HEAD_FIELDS.map((name) => {
    const value = fieldValue(fields, name.toLowerCase())
    return [name, clip(decodeText(value.slice(0, 4 * LONGEST)).trim(), LONGEST)]
  })
  return Object.fromEntries(shown) as Head
}

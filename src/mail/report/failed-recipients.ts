/** X-Failed-Recipients, which Exim and Gmail write. It has the address even where the text names a pipe or a file. */
import { decodeText } from '../raw/decode.ts'
import type { RawField } from '../raw/header.ts'
import { cleanAddress } from './address-text.ts'

export function failedRecipients(fields: readonly RawField[]): string[] {
  const values = fields
    .filter(({ lower }) => lower === 'x-failed-recipients')
    .map(({ value }) => decodeText(value.slice(0, 100_000)))
  const pieces = values.join(',').slice(0, 100_000).split(',')
  const found = pieces.map((piece) => cleanAddress(piece.trim().replace(/^<|>$/g, '')))
  return [...new Set(found.filter((each) => each !== null))].slice(0, 1_000)
}

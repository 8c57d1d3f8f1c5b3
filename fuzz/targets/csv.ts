import { LONGEST_RECORD } from '../../src/operate/csv-record.ts'
import { type CsvPiece, type CsvPieceResult, readCsvPiece, START } from '../../src/operate/suppression-csv.ts'
import { assert, assertSame, type FuzzTarget, words } from '../target.ts'

/** Files of addresses: what is read does not depend on the pieces they come in, and lines keep their numbers. */
export const csv: FuzzTarget = {
  name: 'csv',
  about: 'lists of addresses as CSV',
  seeds: [
    'a@x.test\nb@x.test\n',
    'Email;Reason;Type\r\na@x.test;"one\r\ntwo";spam\r\n',
    'email,tags,created_at\na@x.test,"[""a"",""b""]",1700000000\n',
    'address\tdomain\treason\n\tx.test\tours\n',
    '"x@example.com" y\n"x\nz@x.test,"a"\n',
  ],
  tokens: [
    ...words('" "" , ; \t \0 \ufeff @ a@x.test email address domain tags ["*"] [[ 550 5.1.1 spam'),
    ...['\n', '\r', '\r\n', ' ', '",', ',"', '"\n', '\n"'],
  ],
  run(input) {
    const text = input.toString('utf8')
    for (const list of ['unsubscribe', 'allowed'] as const) {
      const whole = read(text, text.length + 1, list)
      assert(whole.place.rest === '', 'all of it was read')
      assert(whole.place.lines <= text.split(/\r\n?|\n/).length, 'there are not so many lines')
      // A record that goes on is begun again with each piece: pieces are large.
      const { place, ...inPieces } = read(text, Math.max(7, Math.ceil(text.length / 20)), list)
      const { place: end, ...atOnce } = whole
      // What parts the fields is known from the first line, which a piece may not hold.
      if (text.length > 7 && place.delimiter !== end.delimiter) continue
      assertSame('it matters how the file comes', inPieces, atOnce)
      assert(place.lines === end.lines, 'the lines differ')
    }
  },
}

function read(text: string, size: number, list: CsvPiece['list']): CsvPieceResult {
  const all: CsvPieceResult = { suppressions: [], allowed: [], bad: 0, badLines: [], place: START }
  for (let at = 0; at === 0 || at < text.length; at += size) {
    const isLast = at + size >= text.length
    const found = readCsvPiece({ text: text.slice(at, at + size), isLast, place: all.place, list, tell: 20 })
    assert(found.place.rest.length <= LONGEST_RECORD + 1, 'more is kept than a record')
    all.suppressions.push(...found.suppressions)
    all.allowed.push(...found.allowed)
    all.bad += found.bad
    all.badLines.push(...found.badLines.slice(0, 20 - all.badLines.length))
    all.place = found.place
  }
  return all
}

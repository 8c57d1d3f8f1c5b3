import { clip } from '../common/clip.ts'
import type { InboundKind, InboundOutcome } from '../email/inbound-mail.ts'
import {
  applyReturnedMail,
  listReturnedMails,
  readReturnedMail,
  showReturnedMail,
} from '../operate/returned-mail.ts'
import { outcomeSentence } from '../operate/returned-mail-words.ts'
import { receivedMailJson, returnedMailJson } from '../operate/shapes/returned-mail.ts'
import type { JsonOption } from './command.ts'
import { findingSummary } from './finding-summary.ts'
import { listing } from './listing.ts'
import { withOperation } from './open.ts'
import {
  formatTime,
  printFields,
  printJson,
  printJsonLine,
  printLine,
  printMessage,
  printNote,
} from './print.ts'

/** Characters of a stranger's words that are printed. */
const LONGEST_MESSAGE = 300

interface ListOptions extends JsonOption {
  company?: string
  email?: string
  kind?: InboundKind
  outcome?: InboundOutcome
  limit: number
}

export function list({ email: emailId, ...wanted }: ListOptions): Promise<void> {
  return listAll({ ...wanted, ...(emailId !== undefined && { emailId }) })
}

const listAll = listing({
  verb: listReturnedMails,
  json: returnedMailJson,
  titles: ['TIME', 'ID', 'KIND', 'OUTCOME', 'FROM', 'ABOUT', 'EMAIL'],
  row: ({ at, id, kind, outcome, from, findings, emailId }) => [
    formatTime(at),
    id,
    kind,
    outcome,
    clip(from, 40),
    clip(findings.map(({ address }) => address).join(', '), 60),
    emailId ?? '-',
  ],
  nothing: 'No returned mail matches.',
})

export async function show(id: string, { json, raw }: JsonOption & { raw?: boolean }): Promise<void> {
  await withOperation(async (op) => {
    if (raw) return printMessage(Buffer.from(await readReturnedMail(op, { id })))
    const mail = await showReturnedMail(op, { id })
    if (json) return printJson(returnedMailJson(mail))
    const { at, times, source, peer, recipient, from, subject, kind, outcome, emailId, size } = mail
    printFields([
      ['ID', mail.id],
      ['Time', formatTime(at)],
      [
        'Came in',
        [source, peer].filter((text) => text !== '').join(' from ') + (times > 1 ? `, ${times} times` : ''),
      ],
      ['To', recipient ?? '-'],
      ['From', clip(from, LONGEST_MESSAGE)],
      ['Subject', clip(subject, LONGEST_MESSAGE)],
      ['Size', `${size} bytes`],
      ['Kind', kind],
      ['Email', emailId ?? '-'],
      ['Outcome', `${outcome}: ${outcomeSentence(mail)}`],
    ])
    for (const { address, message, ...finding } of mail.findings) {
      printLine()
      printLine(address)
      printLine(`  ${findingSummary(finding)}`)
      if (message !== '') printLine(`  ${clip(message, LONGEST_MESSAGE)}`)
    }
  })
}

/** Each result is printed at once: reading the next file may fail. */
export async function apply(
  files: readonly string[],
  read: (file: string) => Promise<Buffer>,
  json: JsonOption['json'],
): Promise<void> {
  await withOperation(async (op) => {
    for (const file of files) {
      const received = await applyReturnedMail(op, { raw: await read(file) })
      const { id, kind, outcome, note } = received
      if (received.putOff)
        printNote(`${file}: DNS did not answer about its signature; try again in some minutes`)
      if (json) printJsonLine({ file, ...receivedMailJson(received) })
      else printLine(`${file}: ${kind}. ${outcomeSentence({ outcome, note })} (${id})`)
    }
  })
}

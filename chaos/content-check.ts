/** Whether a message that arrived is the one that was handed in, to the last attachment, and shows nobody what is not theirs. */
import PostalMime from 'postal-mime'
import { type Mail, mailOf, readAddress, recipientsOf, SENDING_DOMAIN } from './mail.ts'

export interface Envelope {
  sender: string
  recipients: readonly string[]
}

export interface Checked {
  messageId: string
  /** Sentences; empty when everything is right. */
  wrong: string[]
}

const RETURN_PATH = new RegExp(`^b[a-z2-7]{48}@bounces\\.${SENDING_DOMAIN.replace('.', '\\.')}$`)

const EMPTY: Checked = { messageId: '', wrong: [] }

export async function checkContent(seed: number, envelope: Envelope, raw: Buffer): Promise<Checked> {
  const places = envelope.recipients.map(readAddress)
  const first = places[0]
  if (!first || places.some((place) => place?.number !== first.number || place.domain !== first.domain)) {
    return { ...EMPTY, wrong: [`an envelope of strangers: ${envelope.recipients.join(' ')}`] }
  }
  const mail = mailOf(seed, first.number)
  const wrong: string[] = []
  const known = recipientsOf(mail)
  for (const [index, place] of places.entries()) {
    if (known[place!.slot] !== envelope.recipients[index])
      wrong.push(`${envelope.recipients[index]} was not asked for`)
  }
  if (new Set(envelope.recipients).size !== envelope.recipients.length)
    wrong.push('an address twice in one envelope')
  if (!RETURN_PATH.test(envelope.sender)) wrong.push(`MAIL FROM is ${envelope.sender}`)
  if (mail.variables !== null && envelope.recipients.length !== 1)
    wrong.push('copies of a batch went out together')
  if (wrong.length > 0) return { ...EMPTY, wrong }
  return await checkMessage(mail, envelope.recipients[0]!, raw)
}

async function checkMessage(mail: Mail, recipient: string, raw: Buffer): Promise<Checked> {
  const wrong: string[] = []
  const differs = (what: string, found: unknown, wanted: unknown) => {
    if (found === wanted) return
    wrong.push(`${what} is ${clip(found)}, not ${clip(wanted)}`)
  }
  const parsed = await PostalMime.parse(raw, { attachmentEncoding: 'arraybuffer' })
  differs('subject', parsed.subject, mail.subject)
  differs('from', parsed.from?.address, `orders@${SENDING_DOMAIN}`)
  const to = mail.variables === null ? mail.to : [recipient]
  differs('to', addressesIn(parsed.to), to.join(' '))
  differs('cc', addressesIn(parsed.cc), mail.cc.join(' '))
  const values = mail.variables?.[recipient] ?? null
  differs('text', lines(parsed.text), lines(filled(mail.text, values)))
  if (mail.html !== null) differs('html', lines(parsed.html), lines(filled(mail.html, values)))
  differs('number of files', parsed.attachments.length, mail.files.length)
  for (const [index, file] of mail.files.entries()) {
    const found = parsed.attachments[index]
    if (!found) continue
    differs(`name of file ${index}`, found.filename, file.name)
    const content = Buffer.from(found.content as Uint8Array)
    if (!content.equals(file.content))
      wrong.push(`file ${index} has other octets (${content.length}, not ${file.content.length})`)
  }
  if (parsed.bcc !== undefined || /^bcc:/im.test(headOf(raw))) wrong.push('there is a Bcc field')
  const hidden = mail.variables === null ? mail.bcc : mail.to.filter((address) => address !== recipient)
  for (const address of hidden) if (raw.includes(`${address}`)) wrong.push(`${address} is shown to others`)
  return { messageId: parsed.messageId ?? '', wrong }
}

function headOf(raw: Buffer): string {
  const end = raw.indexOf('\r\n\r\n')
  return raw.toString('latin1', 0, end < 0 ? raw.length : end)
}

function addressesIn(list: { address?: string | undefined }[] | undefined): string {
  return (list ?? []).map(({ address }) => address).join(' ')
}

function filled(text: string, values: Record<string, string> | null): string {
  if (values === null) return text
  return text.replaceAll(/%recipient\.(\w+)%/g, (_, name: string) => values[name]!)
}

/** A MIME part may gain or lose its last line breaks; nothing else. */
function lines(text: string | undefined): string {
  return (text ?? '').replaceAll('\r\n', '\n').replace(/\n+$/, '')
}

function clip(value: unknown): string {
  const text = JSON.stringify(value) ?? 'missing'
  return text.length > 120 ? `${text.slice(0, 120)}...` : text
}

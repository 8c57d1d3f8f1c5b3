/**
 * An email as the request that would send it, for bash. The key is never in it. What is long or binary is no argument, of
 * which a system takes 128 KiB at most: it goes through files and standard input.
 */
import type { EmailContent, EmailDetail } from '../../api/email.ts'

export type Dialect = 'json' | 'form'

type Sent = Pick<
  EmailDetail,
  | 'id'
  | 'from'
  | 'to'
  | 'cc'
  | 'bcc'
  | 'replyTo'
  | 'subject'
  | 'tags'
  | 'variables'
  | 'domain'
  | 'testMode'
  | 'recipients'
>
type Content = Pick<
  EmailContent,
  'html' | 'text' | 'amp' | 'headers' | 'files' | 'ready' | 'individual' | 'recipientVariables'
>
/** Base64 by position; of what is not there the command reads a file of that name. */
export type Contents = ReadonlyMap<number, string>

const NEXT = ' \\\n  '
/** Characters of an argument. */
const LONGEST_ARGUMENT = 32_000

/** APIs that can say what this email is: a ready message, or values for each recipient, are the form's alone. */
export function dialectsOf({ domain }: Pick<Sent, 'domain'>, { ready, individual }: Content): Dialect[] {
  const form: Dialect[] = domain.name === null ? [] : ['form']
  return ready || individual ? form : ['json', ...form]
}

export function curlOf(
  dialect: Dialect,
  url: string,
  email: Sent,
  content: Content,
  contents: Contents,
): string {
  if (dialect === 'json') return jsonCurl(url, email, content, contents)
  return content.ready ? readyCurl(url, email) : formCurl(url, email, content, contents)
}

/** What a file has to be called where the command runs: a path in the name of one must not lead elsewhere. */
export function localName(filename: string): string {
  const name = filename.replace(/[^\p{L}\p{N}._ -]+/gu, '_').replace(/^[.\s-]+/, '')
  return name === '' ? 'file' : name.slice(0, 100)
}

/** Of a ready message: as its source is downloaded. */
export const sourceName = ({ id }: Pick<Sent, 'id'>) => `${id}.eml`

function jsonCurl(
  url: string,
  email: Sent,
  { html, text, headers, files }: Content,
  contents: Contents,
): string {
  const missing = files.filter(({ position }) => !contents.has(position))
  const standIn = (position: number) => `\u0000${position}\u0000`
  const body = {
    from: email.from,
    to: email.to,
    ...(email.cc.length > 0 && { cc: email.cc }),
    ...(email.bcc.length > 0 && { bcc: email.bcc }),
    ...(email.replyTo.length > 0 && { reply_to: email.replyTo }),
    subject: email.subject,
    ...(html !== null && { html }),
    ...(text !== null && { text }),
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    ...(email.tags.length > 0 && { tags: email.tags }),
    ...(files.length > 0 && {
      attachments: files.map(({ position, filename, contentType, contentId }) => ({
        filename,
        content: contents.get(position) ?? standIn(position),
        content_type: contentType,
        ...(contentId !== null && { content_id: contentId }),
      })),
    }),
  }
  let json = escapedJson(body)
  if (missing.length > 0) {
    // The shell is to read the files, and nothing else in the text.
    json = json.replace(/[\\$`]/g, '\\$&')
    for (const { position, filename } of missing) {
      const read = `$(base64 < ${quoted(`./${localName(filename)}`)} | tr -d '\\n')`
      json = json.replace(`\\\\u0000${position}\\\\u0000`, () => read)
    }
  }
  const lines = [
    `curl -X POST ${quoted(`${url}/emails`)}`,
    '-H "Authorization: Bearer $POSTROAD_KEY"',
    "-H 'Content-Type: application/json'",
    `--data-binary @- <<${missing.length > 0 ? 'JSON' : "'JSON'"}`,
  ]
  return `${lines.join(NEXT)}\n${json}\nJSON`
}

function formCurl(
  url: string,
  email: Sent,
  { html, text, amp, headers, files, individual, recipientVariables }: Content,
  contents: Contents,
): string {
  const fields: [name: string, value: string][] = [
    ['from', email.from],
    ...[...email.to].map((to): [string, string] => ['to', to]),
    ...email.cc.map((cc): [string, string] => ['cc', cc]),
    ...email.bcc.map((bcc): [string, string] => ['bcc', bcc]),
    ...(email.replyTo.length > 0 ? [['h:Reply-To', email.replyTo.join(', ')] as [string, string]] : []),
    ['subject', email.subject],
    ...(html === null ? [] : [['html', html] as [string, string]]),
    ...(text === null ? [] : [['text', text] as [string, string]]),
    ...(amp === null ? [] : [['amp-html', amp] as [string, string]]),
    ...headers.map(([name = '', value = '']): [string, string] => [`h:${name}`, value]),
    ...email.tags.filter(({ name }) => name === 'tag').map(({ value }): [string, string] => ['o:tag', value]),
    ...Object.entries(email.variables).map(([name, value]): [string, string] => [`v:${name}`, value]),
    ...(individual
      ? [['recipient-variables', JSON.stringify(recipientVariables ?? {})] as [string, string]]
      : []),
    ...(email.testMode ? [['o:testmode', 'yes'] as [string, string]] : []),
  ]
  const folder: string[] = []
  /** A file of the temporary folder: its name there. */
  const put = (base64: string): string => {
    const name = String(folder.length / 3 + 1)
    folder.push(`base64 -d > "$dir/${name}" <<'FILE'`, base64.replace(/.{76}/g, '$&\n').trimEnd(), 'FILE')
    return name
  }
  // Else curl writes a quotation mark as %22, as browsers do, and it stays that.
  const escapes = files.some(({ filename, contentId }) => /["\\]/.test(contentId ?? filename))
  const argumentsOf = [
    '--user "api:$POSTROAD_KEY"',
    ...(escapes ? ['--form-escape'] : []),
    ...fields.map(([name, value]) => {
      // Of a value of -F a first @ or < would mean a file.
      if (value.length <= LONGEST_ARGUMENT) return `--form-string ${quoted(`${name}=${value}`)}`
      return `-F ${quoted(`${name}=<`)}"$dir/${put(base64Of(value))}"`
    }),
    ...files.map(({ position, filename, contentType, contentId }) => {
      const field = contentId === null ? 'attachment' : 'inline'
      const content = contents.get(position)
      const from =
        content === undefined
          ? quoted(`${field}=@"./${localName(filename)}"`)
          : `${quoted(`${field}=@`)}"$dir/${put(content)}"`
      // What is inline is known by its name there.
      const name = `;filename="${inQuotes(contentId ?? filename)}"`
      return `-F ${from}${quoted(`${name};type=${contentType.split(';', 1)[0]!.trim()}`)}`
    }),
  ]
  const command = [`curl -X POST ${quoted(formUrl(url, email, 'messages'))}`, ...argumentsOf].join(NEXT)
  return folder.length === 0 ? command : ['dir=$(mktemp -d)', ...folder, command, 'rm -r "$dir"'].join('\n')
}

/** Its envelope is asked for anew; the message is the file that the page gives. */
function readyCurl(url: string, email: Sent): string {
  return [
    `curl -X POST ${quoted(formUrl(url, email, 'messages.mime'))}`,
    '--user "api:$POSTROAD_KEY"',
    ...email.recipients.map(({ address }) => `--form-string ${quoted(`to=${address}`)}`),
    ...email.tags
      .filter(({ name }) => name === 'tag')
      .map(({ value }) => `--form-string ${quoted(`o:tag=${value}`)}`),
    `-F ${quoted(`message=@"./${sourceName(email)}"`)}`,
  ].join(NEXT)
}

function formUrl(url: string, { domain }: Sent, rest: string): string {
  return `${url}/v3/${encodeURIComponent(domain.name ?? '')}/${rest}`
}

/** Within double quotes of -F. */
function inQuotes(name: string): string {
  return name.replace(/["\\]/g, '\\$&')
}

function base64Of(text: string): string {
  const octets = new TextEncoder().encode(text)
  let binary = ''
  for (const octet of octets) binary += String.fromCharCode(octet)
  return btoa(binary)
}

/** Characters that a terminal would act on, or that turn text around, as JSON escapes. */
function escapedJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(UNSAFE, (character) => escaped(character))
}

const UNSAFE = /[\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g
const UNSAFE_IN_SHELL =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** One word of bash: what stands between single quotes is nothing but itself. */
export function quoted(text: string): string {
  // A test by replacing: of a global expression `test` would remember where it was.
  if (text.replace(UNSAFE_IN_SHELL, '') === text) return `'${text.replaceAll("'", "'\\''")}'`
  const inner = text.replace(/[\\']/g, '\\$&').replace(UNSAFE_IN_SHELL, escaped)
  return `$'${inner}'`
}

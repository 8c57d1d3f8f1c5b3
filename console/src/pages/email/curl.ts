/**
 * The curl command, for bash, that sends an email once more. It never contains the API key. A system takes at
 * most 128 KiB in one argument, so long and binary values go through files and standard input.
 */
import type { EmailContent, EmailDetail } from '../../api/email.ts'

export type CurlDialect = 'json' | 'form'

type CurlEmail = Pick<
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
type CurlContent = Pick<
  EmailContent,
  'html' | 'text' | 'amp' | 'headers' | 'files' | 'ready' | 'individual' | 'recipientVariables'
>
/** Attachments in base64, by position. The command reads a missing one from a file of the same name. */
export type AttachmentContents = ReadonlyMap<number, string>

const NEXT = ' \\\n  '
/** The longest argument, in characters. */
const LONGEST_ARGUMENT = 32_000

/** The APIs that can express this email. Only the form API takes ready messages and recipient variables. */
export function dialectsOf(
  { domain }: Pick<CurlEmail, 'domain'>,
  { ready, individual }: CurlContent,
): CurlDialect[] {
  const form: CurlDialect[] = domain.name === null ? [] : ['form']
  return ready || individual ? form : ['json', ...form]
}

export function curlOf(
  dialect: CurlDialect,
  url: string,
  email: CurlEmail,
  content: CurlContent,
  contents: AttachmentContents,
): string {
  if (dialect === 'json') return jsonCurl(url, email, content, contents)
  return content.ready ? readyCurl(url, email) : formCurl(url, email, content, contents)
}

/**
 * A safe name for an attachment in the directory of the command: a path in the name must not lead elsewhere.
 */
export function localName(filename: string): string {
  const name = filename.replace(/[^\p{L}\p{N}._ -]+/gu, '_').replace(/^[.\s-]+/, '')
  return name === '' ? 'file' : name.slice(0, 100)
}

/** The name of a ready message's file, under which the page offers its source. */
export const sourceName = ({ id }: Pick<CurlEmail, 'id'>) => `${id}.eml`

function jsonCurl(
  url: string,
  email: CurlEmail,
  { html, text, headers, files }: CurlContent,
  contents: AttachmentContents,
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
    // The here-document is unquoted so that the shell reads the files; everything else in the text is escaped.
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
  email: CurlEmail,
  { html, text, amp, headers, files, individual, recipientVariables }: CurlContent,
  contents: AttachmentContents,
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
  /** Writes a file to the temporary directory, and returns its name. */
  const put = (base64: string): string => {
    const name = String(folder.length / 3 + 1)
    folder.push(`base64 -d > "$dir/${name}" <<'FILE'`, base64.replace(/.{76}/g, '$&\n').trimEnd(), 'FILE')
    return name
  }
  // Without this option curl writes a quotation mark as %22, as browsers do, and the server would keep it so.
  const escapes = files.some(({ filename, contentId }) => /["\\]/.test(contentId ?? filename))
  const argumentsOf = [
    '--user "api:$POSTROAD_KEY"',
    ...(escapes ? ['--form-escape'] : []),
    ...fields.map(([name, value]) => {
      // A value of -F that begins with @ or < would be read from a file.
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
      // The HTML refers to an inline file by this name.
      const name = `;filename="${inQuotes(contentId ?? filename)}"`
      return `-F ${from}${quoted(`${name};type=${contentType.split(';', 1)[0]!.trim()}`)}`
    }),
  ]
  const command = [`curl -X POST ${quoted(formUrl(url, email, 'messages'))}`, ...argumentsOf].join(NEXT)
  return folder.length === 0 ? command : ['dir=$(mktemp -d)', ...folder, command, 'rm -r "$dir"'].join('\n')
}

/** A ready message: the page offers the message as a file, and the request repeats the recipients. */
function readyCurl(url: string, email: CurlEmail): string {
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

function formUrl(url: string, { domain }: CurlEmail, rest: string): string {
  return `${url}/v3/${encodeURIComponent(domain.name ?? '')}/${rest}`
}

/** Escapes a name within double quotes of -F. */
function inQuotes(name: string): string {
  return name.replace(/["\\]/g, '\\$&')
}

function base64Of(text: string): string {
  const octets = new TextEncoder().encode(text)
  let binary = ''
  for (const octet of octets) binary += String.fromCharCode(octet)
  return btoa(binary)
}

/** Writes characters that a terminal would act on, or that reorder text, as JSON escapes. */
function escapedJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(UNSAFE, (character) => escaped(character))
}

const UNSAFE = /[\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g
const UNSAFE_IN_SHELL =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Quotes a text as one word of bash. Bash expands nothing within single quotes. */
export function quoted(text: string): string {
  // Uses `replace`, since `test` on a global expression keeps its position between calls.
  if (text.replace(UNSAFE_IN_SHELL, '') === text) return `'${text.replaceAll("'", "'\\''")}'`
  const inner = text.replace(/[\\']/g, '\\$&').replace(UNSAFE_IN_SHELL, escaped)
  return `$'${inner}'`
}

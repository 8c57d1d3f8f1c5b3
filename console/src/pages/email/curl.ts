/** An email as the request that would send it, for a shell. The key is never in it. */
import type { EmailContent, EmailDetail } from '../../api/email.ts'

export type Dialect = 'json' | 'form'

type Sent = Pick<
  EmailDetail,
  'from' | 'to' | 'cc' | 'bcc' | 'replyTo' | 'subject' | 'tags' | 'variables' | 'domain' | 'testMode'
>
type Content = Pick<EmailContent, 'html' | 'text' | 'headers' | 'files'>

const NEXT = ' \\\n  '

export function curlOf(dialect: Dialect, url: string, email: Sent, content: Content): string {
  return dialect === 'json' ? jsonCurl(url, email, content) : formCurl(url, email, content)
}

/** Files are named: what is in them would fill pages. */
function jsonCurl(url: string, email: Sent, { html, text, headers, files }: Content): string {
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
      attachments: files.map(({ filename, contentType, contentId }) => ({
        filename,
        content: `(base64 of ${filename})`,
        content_type: contentType,
        ...(contentId !== null && { content_id: contentId }),
      })),
    }),
  }
  return [
    `curl -X POST ${quoted(`${url}/emails`)}`,
    '-H "Authorization: Bearer $POSTROAD_KEY"',
    "-H 'Content-Type: application/json'",
    `-d ${quoted(escapedJson(body))}`,
  ].join(NEXT)
}

function formCurl(url: string, email: Sent, { html, text, headers, files }: Content): string {
  const domain = email.domain.name ?? ''
  const fields: [name: string, value: string][] = [
    ['from', email.from],
    ...[...email.to].map((to): [string, string] => ['to', to]),
    ...email.cc.map((cc): [string, string] => ['cc', cc]),
    ...email.bcc.map((bcc): [string, string] => ['bcc', bcc]),
    ...(email.replyTo.length > 0 ? [['h:Reply-To', email.replyTo.join(', ')] as [string, string]] : []),
    ['subject', email.subject],
    ...(html === null ? [] : [['html', html] as [string, string]]),
    ...(text === null ? [] : [['text', text] as [string, string]]),
    ...headers.map(([name = '', value = '']): [string, string] => [`h:${name}`, value]),
    ...email.tags.filter(({ name }) => name === 'tag').map(({ value }): [string, string] => ['o:tag', value]),
    ...Object.entries(email.variables).map(([name, value]): [string, string] => [`v:${name}`, value]),
    ...(email.testMode ? [['o:testmode', 'yes'] as [string, string]] : []),
  ]
  return [
    `curl -X POST ${quoted(`${url}/v3/${encodeURIComponent(domain)}/messages`)}`,
    '--user "api:$POSTROAD_KEY"',
    // Of a value of -F a first @ or < would mean a file.
    ...fields.map(([name, value]) => `--form-string ${quoted(`${name}=${value}`)}`),
    ...files.map(({ filename, contentId }) => {
      return `-F ${quoted(`${contentId === null ? 'attachment' : 'inline'}=@"${fileName(filename)}"`)}`
    }),
  ].join(NEXT)
}

/** Within double quotes of -F. */
function fileName(name: string): string {
  return name.replace(/["\\]/g, '\\$&')
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

/** One word of a shell: what stands between single quotes is nothing but itself. */
export function quoted(text: string): string {
  // A test by replacing: of a global expression `test` would remember where it was.
  if (text.replace(UNSAFE_IN_SHELL, '') === text) return `'${text.replaceAll("'", "'\\''")}'`
  const inner = text.replace(/[\\']/g, '\\$&').replace(UNSAFE_IN_SHELL, escaped)
  return `$'${inner}'`
}

/** The parts of a snippet, and the values that go into it. */

/** The address of this installation, the credentials, and the message to send. */
export interface SnippetValues {
  /** Without a trailing slash. */
  url: string
  token: string
  /** The sending domain. */
  domain: string
  to: string
  smtp: SmtpHost
}

export interface SmtpHost {
  host: string
  port: number
  security: 'tls' | 'starttls' | 'none'
  /** `false` if mail is accepted without user and password. */
  login: boolean
}

interface SnippetFile {
  /** The name of the file in the project; `null` if it has no fixed place. */
  name: string | null
  text: string
}

export interface Snippet {
  id: string
  label: string
  group: 'HTTP' | 'Resend SDKs' | 'Mailgun clients' | 'Frameworks' | 'SMTP'
  /** The command that installs the client. */
  install: string | null
  /** It sends over SMTP, and not over HTTP. */
  overSmtp?: true
  files: readonly SnippetFile[]
  note?: string
}

/** A snippet whose code is one file. */
export function oneFile({ name, text, ...snippet }: Omit<Snippet, 'files'> & SnippetFile): Snippet {
  return { ...snippet, files: [{ name, text }] }
}

export const SUBJECT = 'Hello from Postroad'
export const BODY = 'It works.'

/** The address if it is safe to embed in the code of every language; an example otherwise. */
export function plainAddress(address: string | null): string {
  return address !== null && /^[\w.+-]+@[\w.-]+$/.test(address) ? address : 'you@example.com'
}

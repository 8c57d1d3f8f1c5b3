/** What a program that sends is made of, and what goes into it. */

/** Where programs reach this installation, and what they send. */
export interface Ways {
  /** Without a slash at its end. */
  url: string
  token: string
  /** That mail is sent from. */
  domain: string
  to: string
  /** Null: it takes no mail over SMTP. */
  smtp: { host: string; port: number; security: 'tls' | 'starttls' | 'none' } | null
}

export interface SnippetFile {
  /** As the project calls it; null: it has no place of its own. */
  name: string | null
  text: string
}

export interface Snippet {
  id: string
  label: string
  group: 'HTTP' | 'Resend SDKs' | 'Mailgun clients' | 'Frameworks' | 'SMTP'
  /** What puts the client there. */
  install: string | null
  files: readonly SnippetFile[]
  note?: string
}

export const SUBJECT = 'Hello from Postroad'
export const BODY = 'It works.'

/** Into the texts of all these languages goes only what means nothing in any of them. */
export function plainAddress(address: string | null): string {
  return address !== null && /^[\w.+-]+@[\w.-]+$/.test(address) ? address : 'you@example.com'
}

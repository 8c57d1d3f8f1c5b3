/** The credentials that a client sends with AUTH (RFC 4954): mechanisms PLAIN (RFC 4616) and LOGIN. */
import type { SmtpLogin } from '../ingress/smtp-logins.ts'
import { CommandRefusal, reply } from './reply.ts'

export const MECHANISMS = ['PLAIN', 'LOGIN'] as const

/** Sends a prompt, and returns the line that answers it. */
type Prompt = (prompt: string) => Promise<Buffer>

/**
 * The credentials that follow `AUTH`; null if they cannot be valid. Rejects with CommandRefusal if they cannot be read,
 * or if the client cancels.
 */
export function credentialsOf(argument: string, ask: Prompt): Promise<SmtpLogin | null> {
  const [mechanism = '', initial, more] = argument.split(/[ \t]+/)
  const known = MECHANISMS.find((name) => name === mechanism.toUpperCase())
  if (known === undefined || more !== undefined) {
    throw new CommandRefusal(
      reply(
        504,
        '5.5.4',
        `The mechanisms are ${MECHANISMS.join(' and ')}; choose one of them in the application`,
      ),
    )
  }
  return known === 'PLAIN' ? plain(initial, ask) : login(initial, ask)
}

async function plain(initial: string | undefined, ask: Prompt): Promise<SmtpLogin | null> {
  const message = await response(initial, '', ask)
  const [authorization, user, password, ...more] = message.split('\0')
  if (user === undefined || password === undefined || more.length > 0) return null
  // No user may act for another.
  return authorization === '' || authorization === user ? { user, password } : null
}

async function login(initial: string | undefined, ask: Prompt): Promise<SmtpLogin> {
  const user = await response(initial, 'Username:', ask)
  return { user, password: await response(undefined, 'Password:', ask) }
}

async function response(initial: string | undefined, prompt: string, ask: Prompt): Promise<string> {
  const text = initial ?? (await ask(prompt)).toString('latin1')
  if (text === '*') throw new CommandRefusal(reply(501, '5.7.0', 'The login was canceled'))
  // RFC 4954 4: an empty initial response.
  if (text === '=' && initial !== undefined) return ''
  // Strict base64 (RFC 4648 4).
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) {
    throw new CommandRefusal(reply(501, '5.5.2', 'The parameter of AUTH must be base64'))
  }
  return Buffer.from(text, 'base64').toString()
}

/** The domain of a user name like `postmaster@mg.example.com`; null: there is none. */
export function domainOf(user: string): string | null {
  const at = user.lastIndexOf('@')
  return at < 0 ? null : user.slice(at + 1)
}

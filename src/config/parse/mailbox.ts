import { isIP } from 'node:net'
import { isLoopback } from '../../network/private-address.ts'
import type { ImapMailbox } from '../values.ts'
import { isHostName, portNumber } from './network.ts'
import { decoded, parseUrl } from './url.ts'
import { SettingFormError, SettingValueError } from './value-error.ts'

/** `imaps://user:password@host[:port]/FOLDER`; on loopback also `imap://`. No error message quotes it. */
export function parseMailbox(text: string): ImapMailbox {
  if (/^pop3s?:/i.test(text)) {
    throw new SettingValueError(
      'mailboxes are read over IMAP, not over POP3: use imaps://user:password@host/INBOX, or let the server forward bounces to POST /inbound/mail',
    )
  }
  if (!/^imaps?:\/\//i.test(text))
    throw new SettingFormError('it must be a mailbox like imaps://user:password@host/INBOX')
  const url = parseUrl(text)
  const implicitTls = url.protocol === 'imaps:'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) === 0 && !isHostName(host))
    throw new SettingValueError('the host of the mailbox is missing or invalid')
  if (!implicitTls && !isLoopback(host))
    throw new SettingValueError('imap:// is not encrypted, and allowed on this machine only: use imaps://')
  if (url.search !== '' || url.hash !== '')
    throw new SettingValueError(
      'it must end with the folder; in user and password write ? as %3F and # as %23',
    )
  const [user, password] = [decoded(url.username), decoded(url.password)]
  if (user === '' || password === '') throw new SettingValueError('it needs user:password@ before the host')
  return {
    host,
    port: url.port === '' ? (implicitTls ? 993 : 143) : portNumber(url.port, 1),
    implicitTls,
    user,
    password,
    folder: decoded(url.pathname.slice(1)) || 'INBOX',
  }
}

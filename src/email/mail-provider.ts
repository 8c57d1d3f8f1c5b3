/** The large mailbox providers, known by the names of their servers. Pure: the page of the console uses it, too. */
import { isOfOthers, troubleIn } from './not-attempted.ts'

interface MailProvider {
  /** As its users know it. */
  name: string
  /** Where the provider explains the replies of its servers. */
  about: string
}

const PROVIDERS: readonly (MailProvider & { hosts: readonly string[] })[] = [
  {
    name: 'Gmail',
    hosts: ['google.com', 'googlemail.com'],
    about: 'https://support.google.com/a/answer/3726730',
  },
  { name: 'Yahoo', hosts: ['yahoodns.net'], about: 'https://senders.yahooinc.com/smtp-error-codes/' },
  {
    name: 'Outlook.com',
    hosts: ['olc.protection.outlook.com'],
    about: 'https://sendersupport.olc.protection.outlook.com/pm/troubleshooting',
  },
  {
    name: 'Microsoft 365',
    hosts: ['mail.protection.outlook.com', 'mx.microsoft'],
    about:
      'https://learn.microsoft.com/exchange/mail-flow-best-practices/non-delivery-reports-in-exchange-online/non-delivery-reports-in-exchange-online',
  },
  { name: 'iCloud Mail', hosts: ['mail.icloud.com'], about: 'https://support.apple.com/102322' },
  {
    name: 'GMX',
    hosts: ['gmx.net'],
    about: 'https://postmaster.gmx.net/en/error-messages',
  },
]

/** Postroad writes the name of the server at the beginning of a reply that ended a session. */
const HOST = /^[a-z0-9.-]+/i

/**
 * Null: the server belongs to none of them. `message`: the last reply, which names the server if `server` is null. Mail
 * that waits because other mail was refused has asked no server; its message names the server of that refusal.
 */
export function providerOf({
  server,
  message,
}: {
  server: string | null
  message: string | null
}): MailProvider | null {
  const named = isOfOthers(message) ? null : server
  const host = HOST.exec(named || troubleIn(message ?? ''))?.[0].toLowerCase() ?? ''
  return (
    PROVIDERS.find(({ hosts }) => hosts.some((name) => host === name || host.endsWith(`.${name}`))) ?? null
  )
}

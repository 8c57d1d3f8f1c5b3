import { mkdtempSync, rmSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NO_LIMITS } from '../../src/accounts/account.ts'
import { parseDatabase } from '../../src/config/parse/database.ts'
import { sessionToken } from '../../src/http/console/session/cookie.ts'
import { deviceTicket } from '../../src/http/console/session/device-cookies.ts'
import { PublicUrl } from '../../src/http/public-url.ts'
import { ClientAddress } from '../../src/ingress/client-address.ts'
import { OperateError } from '../../src/operate/error.ts'
import { readLink } from '../../src/operate/invitations.ts'
import { newPerson } from '../../src/people/person.ts'
import { hashSecret } from '../../src/people/secret.ts'
import { type TicketKind, Tickets } from '../../src/people/tickets.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { assert, type FuzzTarget, words } from '../target.ts'

const NOW = Date.UTC(2026, 10, 22)
const LASTS = 60_000
const INVITED = 'i'.repeat(43)
const LINK = 'l'.repeat(43)
const KINDS: readonly TicketKind[] = ['second-factor', 'totp', 'passkey', 'oidc', 'import', 'device']

const tickets = new Tickets(() => Buffer.alloc(32, 7))
const TICKET = tickets.issue('device', { id: 'laptop', people: ['ada'] }, LASTS, NOW)

const [plain, encrypted] = ['http', 'https'].map((scheme) => ({
  publicUrl: new PublicUrl(`${scheme}://mail.example.com`, new ClientAddress([])),
})) as [{ publicUrl: PublicUrl }, { publicUrl: PublicUrl }]

let opened: Promise<{ store: Store; folder: string }> | null = null

async function open(): Promise<{ store: Store; folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'postroad-fuzz-'))
  const store = await openStore(parseDatabase(`sqlite:${join(folder, 'x.db')}`), { exclusive: false })
  const person = newPerson(NOW, { address: 'ada@people.test' })
  const company = { id: person.id, name: 'Acme', createdAt: NOW, limits: NO_LIMITS }
  const times = { createdAt: NOW, expiresAt: NOW + LASTS }
  await store.addCompany(company)
  await store.addPerson(person)
  await store.addLink({ personId: person.id, ...times }, hashSecret(LINK))
  const invitation = {
    id: person.id,
    companyId: company.id,
    address: 'bob@people.test',
    role: 'owner',
  } as const
  await store.addInvitation(
    { ...invitation, ...times, inviterId: null, inviterName: null },
    hashSecret(INVITED),
  )
  return { store, folder }
}

/** What is no token of ours opens nothing, what is no ticket of ours says nothing, and a cookie counts as it was set. */
export const signInProof: FuzzTarget = {
  name: 'sign-in-proof',
  about: 'tokens of links and invitations, tickets and cookies of the console',
  seeds: [
    INVITED,
    LINK,
    TICKET,
    `postroad_session=${INVITED}; postroad_device=${TICKET}`,
    `__Host-postroad_session=${INVITED}; postroad_session=${LINK}; __Host-postroad_device="${TICKET}"`,
  ],
  tokens: [
    ...words(
      'postroad_session= __Host-postroad_session= __Host- postroad_device= ; = " , %3D %00 \0 \r\n - _ A',
    ),
    ' ',
    INVITED,
    LINK,
    TICKET,
    TICKET.slice(0, 40),
  ],
  async run(input) {
    const text = input.toString('utf8')
    checkTickets(text)
    checkCookies(text)
    opened ??= open()
    const { store } = await opened
    try {
      const { kind } = await readLink(store, text, NOW)
      assert(text === (kind === 'invitation' ? INVITED : LINK), `"${text}" opens an ${kind}`)
    } catch (error) {
      if (!(error instanceof OperateError) || error.code !== 'not_found') throw error
      assert(text !== INVITED && text !== LINK, 'a link does not open')
    }
  },
  async close() {
    if (opened === null) return
    const { store, folder } = await opened
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  },
}

function checkTickets(text: string): void {
  const isIssued = Buffer.from(text, 'base64url').equals(Buffer.from(TICKET, 'base64url'))
  for (const kind of KINDS) {
    const held = tickets.readTicket(kind, text, NOW)
    assert(
      (held !== null) === (isIssued && kind === 'device'),
      `a ticket of the kind ${kind} is read wrongly`,
    )
    assert(tickets.readTicket(kind, text, NOW + LASTS) === null, 'a ticket does not end')
  }
}

function checkCookies(text: string): void {
  const request = { headers: { cookie: text } } as IncomingMessage
  for (const core of [plain, encrypted]) {
    const prefix = core === encrypted ? '__Host-' : ''
    const token = sessionToken(core, request)
    const isNamed = token !== null && /^[\w-]{43}$/.test(token) && text.includes(`${prefix}postroad_session`)
    assert(token === null || isNamed, 'a session is read from what is no cookie of it')
    const ticket = deviceTicket(core, request)
    assert(ticket === null || text.includes(`${prefix}postroad_device`), 'a device without its cookie')
  }
}

/** Ghost's requests to its mail service, each as it was recorded. */
import { setTimeout as pause } from 'node:timers/promises'

export const EMAIL_ID = '6741f0'
const SITE = 'https://blog.acme.test'
/** Longest wait for events that have to come, in ms. */
const PATIENCE = 60_000

type Fields = [name: string, value: string][]

export interface Reader {
  address: string
  uuid: string
  name: string
  /** Of the Message-ID of the copy, without brackets. */
  messageId: string
  unsubscribe: string
}

export function reader(address: string, n: number): Reader {
  const uuid = `u-${n}`
  return {
    address,
    uuid,
    name: `Reader ${n}`,
    messageId: `20261122.${n}.ghost@mg.acme.test`,
    unsubscribe: `${SITE}/unsubscribe/?uuid=${uuid}&key=k${n}&newsletter=n1`,
  }
}

/** A newsletter to up to a thousand readers. */
export function newsletter(readers: readonly Reader[], due: Date): Fields {
  const variables = Object.fromEntries(
    readers.map(({ address, uuid, name, messageId, unsubscribe }) => [
      address,
      {
        uuid,
        key: `k${uuid}`,
        name,
        first_name: name.split(' ')[0],
        email: address,
        created_at: '22 November 2026',
        status: 'free',
        message_id: messageId,
        unsubscribe_url: unsubscribe,
        list_unsubscribe: unsubscribe,
      },
    ]),
  )
  return [
    ...readers.map(({ address }): [string, string] => ['to', address]),
    ['from', '"Acme Blog" <noreply@acme.test>'],
    ['h:Reply-To', 'noreply@acme.test'],
    ['subject', 'An issue for %recipient.name%'],
    ['html', '<p>Hello %recipient.first_name%</p><a href="%recipient.unsubscribe_url%">Unsubscribe</a>'],
    ['text', 'Hello %recipient.first_name%\n%recipient.unsubscribe_url%'],
    ['recipient-variables', JSON.stringify(variables)],
    ['h:Sender', '"Acme Blog" <noreply@acme.test>'],
    ['h:Auto-Submitted', 'auto-generated'],
    ['h:List-Unsubscribe', '<%recipient.list_unsubscribe%>, <%tag_unsubscribe_email%>'],
    ['h:List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'],
    ['h:Message-Id', '<%recipient.message_id%>'],
    ['v:email-id', EMAIL_ID],
    ['o:tag', 'bulk-email'],
    ['o:tag', 'ghost-email'],
    ['o:tracking-opens', 'yes'],
    ['o:deliverytime', due.toUTCString()],
  ]
}

/** Mail to one: a link to sign in, an invitation. */
export function transactional(to: string): Fields {
  return [
    ['to', to],
    ['from', '"Acme Blog" <noreply@acme.test>'],
    ['h:Reply-To', 'noreply@acme.test'],
    ['h:Sender', '"Acme Blog" <noreply@acme.test>'],
    ['subject', 'Secure sign in link for Acme Blog'],
    ['html', '<p>Sign in</p>'],
    ['text', 'Sign in'],
    ['o:tag', 'transactional-email'],
    ['o:tag', 'ghost-email'],
    ['o:tracking-opens', 'yes'],
  ]
}

/** What is read of an event. */
export interface GhostEvent {
  id: string
  event: string
  severity?: string
  recipient: string
  timestamp: number
  'user-variables': Record<string, string>
  message: { headers: Record<string, string> }
  'delivery-status'?: {
    code: number
    message: string
    description: string
    'enhanced-code': string
    'session-seconds': number
  }
}

const OPENED = 'opened'
const FAST = 'delivered OR failed OR unsubscribed OR complained'
const ALL = 'delivered OR opened OR failed OR unsubscribed OR complained'

export class Ghost {
  readonly #url: string
  readonly #authorization: string
  /** By id: an event that is read again is not new. */
  readonly events = new Map<string, GhostEvent>()

  constructor(url: string, token: string, domain: string) {
    this.#url = `${url}/v3/${domain}`
    this.#authorization = `Basic ${Buffer.from(`api:${token}`).toString('base64')}`
  }

  /** The job of every five minutes, until it has read the expected events. */
  async analytics(begin: number, isThere: (events: GhostEvent[]) => boolean): Promise<GhostEvent[]> {
    for (const deadline = Date.now() + PATIENCE; ; await pause(50)) {
      const end = Date.now() + 10_000
      await this.#sweep(OPENED, begin, end)
      await this.#sweep(FAST, begin, end)
      // An older window, once more.
      await this.#sweep(ALL, begin - 3_600_000, end)
      const all = [...this.events.values()]
      if (isThere(all)) return all
      if (Date.now() > deadline) throw new Error(`what was waited for is not among ${all.length} events`)
    }
  }

  /** Page after page, the same query with each, until one is empty. Ms. */
  async #sweep(event: string, begin: number, end: number): Promise<void> {
    const query = new URLSearchParams({
      limit: '300',
      event,
      tags: 'bulk-email',
      begin: (begin / 1_000).toFixed(3),
      end: (end / 1_000).toFixed(3),
      ascending: 'yes',
    })
    for (let page = 'events'; ; ) {
      const { status, body } = await this.#ask('GET', `${page}?${query}`)
      const { items, paging } = body as { items: GhostEvent[]; paging: { next: string } }
      if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`)
      if (items.length === 0) return
      for (const each of items) this.events.set(each.id, each)
      // Its client takes the last part of the path to its own base.
      page = `events/${new URL(paging.next).pathname.split('/').at(-1)}`
    }
  }

  /** A member is let back in: off each list, whichever it is on. The three statuses. */
  async unsuppress(address: string): Promise<number[]> {
    const statuses: number[] = []
    for (const list of ['bounces', 'complaints', 'unsubscribes']) {
      const { status } = await this.#ask('DELETE', `${list}/${encodeURIComponent(address)}`)
      statuses.push(status)
    }
    return statuses
  }

  /** By hand at the mail service, as its administrator would. */
  async suppress(list: string, address: string): Promise<void> {
    const { status, body } = await this.#ask('POST', list, new URLSearchParams({ address }))
    if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`)
  }

  async #ask(
    method: string,
    path: string,
    body?: URLSearchParams,
  ): Promise<{ status: number; body: unknown }> {
    const answer = await fetch(`${this.#url}/${path}`, {
      method,
      headers: { authorization: this.#authorization },
      ...(body && { body }),
    })
    return { status: answer.status, body: await answer.json() }
  }
}

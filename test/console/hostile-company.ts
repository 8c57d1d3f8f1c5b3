/** A company whose people, keys, webhooks, lists and mail all contain the words of hostile strangers. */
import { randomUUIDv7 } from 'node:crypto'
import { addAllowed } from '../../src/operate/allow-list.ts'
import { type Caller, OPERATOR } from '../../src/operate/authority.ts'
import { createKey, revokeKey } from '../../src/operate/keys.ts'
import { operationOn } from '../../src/operate/open.ts'
import { setRoute } from '../../src/operate/routes.ts'
import { beginSession, SESSION_MS } from '../../src/operate/sessions.ts'
import { addSuppressions } from '../../src/operate/suppressions.ts'
import { addWebhook, updateWebhook } from '../../src/operate/webhooks.ts'
import { NO_CREDENTIALS, type Person } from '../../src/people/person.ts'
import { newSecret } from '../../src/people/secret.ts'
import type { Receiver } from '../webhooks/receiver.ts'
import type { Stage } from './stage.ts'

export interface HostileCompany {
  /** Whose own account bears them, too; an operator. */
  person: Person
  /** One that has answered with them. */
  webhook: string
  domain: string
}

/** Allowed names of domains that look like others: the only hostile ones that a domain can have. */
const DOMAINS = ['аррӏе.test', 'ⅿail.test', 'faß.test', 'a--b.test', '例え.test']

/**
 * @param lines no character of control in any: where these are refused is tried elsewhere
 * @param receiver is told of mail, and answers with them
 */
export async function hostileCompany(
  stage: Stage,
  lines: readonly string[],
  receiver: Receiver,
): Promise<HostileCompany> {
  const { service, company } = stage
  const { settings, store, app } = service
  const names = lines.map((line) => line.slice(0, 150))
  const as = async (caller: Caller) =>
    operationOn(settings, store, caller, await store.accounts(), { seal: app.seal })

  // Each is changed by another person with such a name: that stands in the audit list.
  for (const [index, name] of names.entries()) {
    const person = { id: randomUUIDv7(), name: names.at(index - 1)! }
    const { key } = await createKey(await as({ kind: 'operator', person }), {
      ...{ company: company.id, name: readable(name), scopes: ['sending'] },
    })
    if (index % 2 === 1) await revokeKey(await as({ kind: 'operator', person }), { id: key.id })
  }
  for (const name of names.slice(0, 20)) await service.company(readable(name))

  for (const name of DOMAINS) await service.domain(company.id, new URL(`http://${name}`).hostname)
  const { id: domain } = await service.domain(company.id, 'relayed.test')

  const op = await as(OPERATOR)
  const entries = names.map((name, index) => ({
    ...{ address: `suppressed${index}@x.test`, reason: name },
    ...(index % 2 === 0
      ? { type: 'manual' as const }
      : { type: 'unsubscribe' as const, tags: [name.slice(0, 60)] }),
  }))
  await addSuppressions(op, { company: company.id, entries })
  const allowed = names.map((reason, index) => ({ value: `allowed${index}.test`, reason }))
  await addAllowed(op, { company: company.id, entries: allowed })

  const user = encodeURIComponent('"><img src=x onerror=alert(1)>')
  await setRoute(op, { domain, url: `smtp://${user}@relay.test`, password: 'x' })

  for (const name of names.slice(0, 20)) {
    const { webhook } = await addWebhook(op, {
      company: company.id,
      url: `https://hooks.example/${name.replace(/[\s\p{Cc}]/gu, '')}?q='"><script>alert(1)</script>`,
    })
    await updateWebhook(op, { id: webhook.id, enabled: false })
  }
  let answered = 0
  receiver.answer = () => ({ status: 500, body: lines[answered++ % lines.length]! })
  const { webhook } = await addWebhook(op, { company: company.id, url: receiver.url })

  for (const [index, name] of names.entries()) {
    await store.addPerson(member({ address: `"${index}${name}"@x.test`, name: names.at(index - 1)! }))
    const { hash } = newSecret()
    const expiresAt = Date.now() + 3_600_000
    await store.addInvitation(
      {
        ...{ id: randomUUIDv7(), companyId: company.id, address: `${index}${name}`, role: 'viewer' },
        ...{ inviterId: null, inviterName: null, createdAt: Date.now(), expiresAt },
      },
      hash,
    )
  }
  const passkeys = names.slice(0, 20).map((name, index) => ({
    ...{ id: `id${index}`, publicKey: 'a2V5', counter: 0, transports: [], name: name.slice(0, 60) },
    ...{ createdAt: Date.now(), usedAt: null },
  }))
  const person = {
    ...member({ address: null, name: names[0]! }),
    ...{ operator: true, credentials: { ...NO_CREDENTIALS, passkeys } },
  }
  await store.addPerson(person)
  for (const userAgent of names) {
    await beginSession(store, person, 'link', {
      address: '192.0.2.1',
      userAgent,
      now: Date.now(),
      lifetime: SESSION_MS,
    })
  }
  await app.refreshAccounts()
  return { person, webhook: webhook.id, domain }

  function member(change: Pick<Person, 'address' | 'name'>): Person {
    return {
      ...{ id: randomUUIDv7(), operator: false, createdAt: Date.now(), version: 0 },
      ...{
        credentials: NO_CREDENTIALS,
        alerts: [],
        memberships: [{ companyId: company.id, role: 'viewer' }],
      },
      ...change,
    }
  }
}

/** The name without the characters that names of companies and keys may not have. */
function readable(name: string): string {
  return name.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, '') || 'empty'
}

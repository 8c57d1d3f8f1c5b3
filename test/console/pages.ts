/** Where every page is: a row for each folder of console/src/pages. */
import assert from 'node:assert/strict'
import type { Stage } from './stage.ts'

/** What is shown on them, made on a stage. */
export interface Shown {
  company: string
  domain: string
  email: string
  webhook: string
}

/** By folder, the path behind `/console`. */
export const PAGES: Readonly<Record<string, (shown: Shown) => string>> = {
  'sign-in': () => '/sign-in',
  account: () => '/account',
  audit: ({ company }) => `/c/${company}/audit`,
  company: ({ company }) => `/c/${company}/settings`,
  domain: ({ company, domain }) => `/c/${company}/domains/${domain}`,
  domains: ({ company }) => `/c/${company}/domains`,
  email: ({ company, email }) => `/c/${company}/emails/${email}`,
  emails: ({ company }) => `/c/${company}/emails`,
  installation: () => '/installation',
  keys: ({ company }) => `/c/${company}/keys`,
  'new-password': () => '/new-password',
  overview: ({ company }) => `/c/${company}/overview`,
  requests: ({ company }) => `/c/${company}/requests`,
  returned: ({ company }) => `/c/${company}/returned`,
  start: ({ company }) => `/c/${company}/start`,
  suppressions: ({ company }) => `/c/${company}/suppressions`,
  team: ({ company }) => `/c/${company}/team`,
  webhook: ({ company, webhook }) => `/c/${company}/webhooks/${webhook}`,
  webhooks: ({ company }) => `/c/${company}/webhooks`,
}

/** Pages for people who have not signed in. */
export const SIGNED_OUT = ['sign-in', 'new-password']

/** Something on every page. */
export async function shownOn(stage: Stage): Promise<Shown> {
  const { company, service, key } = stage
  const { domains } = await service.store.accounts()
  const answer = await fetch(`${service.url}/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ endpoint: 'https://hooks.example.com/postroad', events: ['email.delivered'] }),
  })
  assert.equal(answer.status, 201, await answer.clone().text())
  const { id: webhook } = (await answer.json()) as { id: string }
  const domain = domains.find(({ companyId }) => companyId === company.id)!.id
  return { company: company.id, domain, webhook, email: await stage.send() }
}

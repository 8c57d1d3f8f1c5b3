/** The first steps: a test message, and the remaining tasks before mail arrives elsewhere. */
import { acceptsMail } from '../../accounts/sending.ts'
import { listDomains } from '../../operate/domains.ts'
import { checkCompanyStep, checkInstallationStep } from '../../operate/go-live/go-live.ts'
import { showSetup } from '../../operate/go-live/setup.ts'
import { MAX_LISTED } from './contract/shapes.ts'
import type { START_ROUTES } from './contract/start.ts'
import type { Handlers } from './handlers.ts'
import { oneCompany } from './one-company.ts'
import { senderOf } from './sender.ts'

export const startHandlers: Handlers<typeof START_ROUTES> = {
  'GET /companies/:company/setup': async ({ op, company }) => {
    const { next, domain } = await showSetup(op, { company: oneCompany(company) })
    return { next, domain: domain && { id: domain.id, name: domain.name } }
  },

  'GET /companies/:company/senders': async ({ op, company }) => {
    const domains = await listDomains(op, { company: company ?? undefined })
    const active = domains.filter(acceptsMail).map(({ name }) => name)
    return { domains: active.slice(0, MAX_LISTED) }
  },

  'POST /companies/:company/messages': async (call, core) => {
    const { from, to, subject, html, text } = call.body
    const { id } = await core.deps.intake.submit(senderOf(core, call.request.raw, call), {
      from,
      subject,
      to: [to],
      cc: [],
      bcc: [],
      replyTo: [],
      headers: [],
      attachments: [],
      tags: [],
      variables: {},
      testMode: false,
      ...(html !== undefined && { html }),
      ...(text !== undefined && { text }),
    })
    return { id }
  },

  'GET /companies/:company/steps/:step': async ({ op, params }) => await checkCompanyStep(op, params),

  'GET /installation/steps/:step': async ({ op, params }) => await checkInstallationStep(op, params),
}

/** How mail to an address would leave now. */
import { explain, rehearseDelivery } from '../../operate/explain.ts'
import { type ExplanationJson, explanationJson, headlineOf } from '../../operate/explanation-json.ts'
import type { EXPLAIN_ROUTES, ShownExplanation } from './contract/explain.ts'
import type { Works } from './work.ts'

function shownOf(explanation: ExplanationJson): ShownExplanation {
  const { problem, route, site, hosts, source, last, tried } = explanation
  return {
    headline: headlineOf(explanation),
    problem,
    route,
    site: { name: site.name, sessions: site.limits.sessions },
    hosts: hosts.map(({ tls, ...host }) => ({ ...host, tls: tls.demand })),
    helo: source.helo,
    last: last.map(({ email_id, accepted_at, recipient, state, reply }) => ({
      emailId: email_id,
      acceptedAt: accepted_at,
      recipient,
      state,
      reply,
    })),
    tried: tried && {
      accepted: tried.accepted,
      server: tried.server,
      message: tried.message,
      dialogue: tried.dialogue,
    },
  }
}

export const explainWorks: Works<typeof EXPLAIN_ROUTES> = {
  'GET /companies/:company/explanation': async ({ op, company, query }) =>
    shownOf(explanationJson(await explain(op, { ...query, company: company ?? undefined }))),

  'POST /installation/rehearsal': async ({ op, body: { address, from } }) => {
    const { explanation, tried } = await rehearseDelivery(op, { address, from })
    return shownOf(explanationJson(explanation, tried))
  },
}

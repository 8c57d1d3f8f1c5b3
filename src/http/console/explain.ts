/** How mail to an address would leave now. */
import { type Explanation, explain, type RehearsedDelivery, rehearseDelivery } from '../../operate/explain.ts'
import { explanationJson, headlineOf } from '../../operate/shapes/explanation.ts'
import type { Operation } from '../../operate/verb.ts'
import type { EXPLAIN_ROUTES, ShownExplanation } from './contract/explain.ts'
import type { Handlers } from './handlers.ts'

function shownOf(
  { caller }: Operation,
  explanation: Explanation,
  tried: RehearsedDelivery['tried'] | null = null,
): ShownExplanation {
  const shown = explanationJson(explanation, tried)
  const { source } = shown
  // The name of a proxy is its address in the operator's network, so only operators see it.
  const proxy = caller.kind === 'operator' ? source.proxy : null
  return { headline: headlineOf(explanation), ...shown, source: { ...source, proxy } }
}

export const explainHandlers: Handlers<typeof EXPLAIN_ROUTES> = {
  'GET /companies/:company/explanation': async ({ op, company, query }) =>
    shownOf(op, await explain(op, { ...query, company: company ?? undefined })),

  'POST /installation/rehearsal': async ({ op, body: { address, from } }) => {
    const { explanation, tried } = await rehearseDelivery(op, { address, from })
    return shownOf(op, explanation, tried)
  },
}

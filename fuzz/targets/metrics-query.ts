import type { Static } from 'typebox'
import { checkOf } from '../../src/http/compiled-schemas.ts'
import { METRICS_REQUEST, readMetrics } from '../../src/http/form/analytics/metrics.ts'
import { formContent } from '../../src/http/form/content.ts'
import { METRICS } from '../../src/http/form/stats/figures.ts'
import { Fault } from '../../src/ingress/fault.ts'
import { mailDate } from '../../src/ingress/message-form/date.ts'
import { Refusal } from '../../src/intake/refusal.ts'
import { assert, type FuzzTarget, unlessRefused, words } from '../target.ts'

const NOW = Date.UTC(2026, 10, 22, 13, 55, 12, 345)
const MAX_STEPS = 2_000
const check = checkOf({ isText: formContent.isText, passesOver: false, cutsLimit: true })({
  ...{ schema: METRICS_REQUEST, method: 'POST', url: '/', httpPart: 'body' },
})

/** Bodies of POST /v1/analytics/metrics, as they come and as they are checked: what is asked of the database is bounded. */
export const metricsQuery: FuzzTarget = {
  name: 'metrics-query',
  about: 'bodies of POST /v1/analytics/metrics',
  seeds: [
    '{"duration":"1d","dimensions":["tag"],"metrics":["accepted_count","delivered_rate"],"include_aggregates":true}',
    '{"start":"Mon, 23 Nov 2026 00:00:00 GMT","end":"1795435200","resolution":"hour","dimensions":["time","recipient_domain"]}',
    '{"resolution":"month","duration":"12m","filter":{"AND":[{"attribute":"tag","comparator":"=","values":[{"label":"a","value":"b"}]}]},"dimensions":["tag"]}',
    '{"pagination":{"skip":10,"limit":1500,"sort":"a:asc"},"metrics":["__proto__"],"start":"2026-01-01T00:00:00Z"}',
  ],
  tokens: words(
    '{ } [ ] " : , null true false 0 -1 1e5 1e400 1500 2147483648 "start": "end": "duration": "resolution":',
    '"dimensions": "metrics": "filter": "AND": "attribute": "comparator": "values": "value": "pagination": "skip":',
    '"limit": "time" "tag" "recipient_domain" "hour" "day" "month" "99999h" "99999m" "0d" "opened_count" "bounce_rate"',
    '"=" "!=" "-271821-04-20T00:00:00Z" "+275760-09-13" "8640000000000" "-1" "2026-01-01T00:00:00Z" [[[[ "__proto__"',
  ),
  run(input) {
    const headers = { 'content-type': 'application/json' }
    const body = unlessRefused(() => formContent.readBody(Buffer.from(input), headers), Fault, Refusal)
    if (body === undefined || check(body) !== true) return
    const asked = body as Static<typeof METRICS_REQUEST>
    const conditions = asked.filter?.AND.filter(({ attribute }) => attribute !== 'domain') ?? []
    const read = unlessRefused(() => readMetrics(asked, conditions, NOW), Refusal)
    if (read === undefined) return
    const { names, dimensions, period, groups } = read
    assert(new Set(names).size === names.length, 'a metric is worked out twice')
    for (const name of names) assert(Object.hasOwn(METRICS, name), 'a metric that there is not')
    assert(dimensions.length <= 2, 'too many dimensions')
    assert(period.steps.length >= 1 && period.steps.length <= MAX_STEPS, 'more steps than an answer has')
    assert(groups.since < groups.until, 'the time ends before it begins')
    for (const at of [groups.since, groups.until]) assert(!mailDate(at).includes('NaN'), 'it is no time')
    assert(Number.isSafeInteger(groups.skip) && groups.limit <= 1_500, 'more than a page')
  },
}

/** The limit on simultaneous searches of a company, in both dialects. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from '../support/service.ts'
import { Api, assertFormError, assertJsonError, basic, call } from './requests.ts'

/** Of one company, beside two under way. */
const MAY_WAIT = 100

test('searches beyond the limit are refused, and those of another company are not delayed', async (t) => {
  const service = await startService()
  t.after(() => service.close())
  const { domain, key } = await service.tenant('many.example')
  const api = new Api(service.url, key.token)
  const other = new Api(service.url, (await service.tenant('other.example')).key.token)
  const gate = Promise.withResolvers<void>()
  const { store } = service
  const { walkEmails } = store
  const reached = Promise.withResolvers<void>()
  let begun = 0
  const held: typeof walkEmails = async (filter, walk) => {
    if (++begun === 2) reached.resolve()
    if (begun <= 2) await gate.promise
    return await walkEmails.call(store, filter, walk)
  }
  Object.assign(store, { walkEmails: held })
  const both = [api.get('/emails'), api.get('/emails')]
  await reached.promise
  assert.deepEqual((await other.get('/emails')).body.data, [])

  const asked = Array.from({ length: MAY_WAIT + 3 }, () => api.get('/emails'))
  const first = await Promise.race(asked)
  assertJsonError(first, 429, 'rate_limit_exceeded', /Too many requests are in progress/)
  assert.equal(first.headers.get('retry-after'), '2')
  const events = `${service.url}/v3/${domain.name}/events`
  const byForm = await call(events, { headers: { authorization: basic(key.token) } })
  assertFormError(byForm, 429, /Too many requests are in progress/)

  gate.resolve()
  const answered = (await Promise.all([...both, ...asked])).map(({ status }) => status)
  assert.equal(answered.filter((status) => status === 200).length, 2 + MAY_WAIT)
  assert.equal(answered.filter((status) => status === 429).length, 3)
})

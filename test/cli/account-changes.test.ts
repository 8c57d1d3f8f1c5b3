/** Changes of existing accounts on the command line: limits, names, settings, removal. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { NO_LIMITS } from '../../src/accounts/account.ts'
import { newWorkplace, type Workplace } from './postroad.ts'

interface Shown {
  id: string
  name: string
  open_tracking: boolean
  content_retention_seconds: number | null
  click_tracking: boolean
  unsubscribe_tracking: boolean
  sending_disabled: boolean
  revoked_at: string | null
}

let place: Workplace
let key: Shown
before(async () => {
  place = newWorkplace()
  await place.json('company', 'create', 'Acme')
  await place.json('domain', 'add', 'first.test', '--company', 'Acme')
  key = await place.json<Shown>(
    'key',
    'create',
    '--company',
    'Acme',
    '--name',
    'shop',
    '--domain',
    'first.test',
  )
})
after(() => place.remove())

test('company limit sets each limit by itself, shows it, and takes it away', async () => {
  const { stdout } = await place.run('company', 'limit', 'Acme', '--rate', '20', '--daily', '1000')
  assert.match(stdout, /^Rate: +20 requests per second$/m)
  assert.match(stdout, /^Daily quota: +1000 recipients$/m)
  assert.match(stdout, /^Monthly quota: +none$/m)
  const { limits } = await place.json<{ limits: object }>(
    ...['company', 'limit', 'Acme', '--monthly', '30000', '--daily', 'none'],
  )
  assert.deepEqual(limits, { ...NO_LIMITS, rate: 20, monthly: 30_000 })
  const shown = await place.run('company', 'show', 'Acme')
  assert.match(shown.stdout, /^Monthly quota: +30000 recipients \(0 so far\)$/m)
  assert.match(shown.stdout, /^May have: +1000 domains, 1000 keys, 100 webhooks$/m)
  const unknown = await place.run('company', 'limit', 'Nobody', '--rate', '1')
  assert.equal(unknown.code, 1)
  assert.match(unknown.stderr, /postroad company list/)
})

test('company limit says how much a company may set up', async () => {
  const { stdout } = await place.run('company', 'limit', 'Acme', '--domains', '1', '--keys', '2000')
  assert.match(stdout, /^May have: +1 domains, 2000 keys, 100 webhooks$/m)
  const full = await place.run('domain', 'add', 'beyond.test', '--company', 'Acme')
  assert.equal(full.code, 1)
  assert.match(full.stderr, /as many domains as it may have \(1\)\. .*higher limit/)
  await place.run('company', 'limit', 'Acme', '--domains', 'none')
  assert.equal((await place.run('domain', 'add', 'beyond.test', '--company', 'Acme')).code, 0)
  await place.run('domain', 'remove', 'beyond.test')
})

test('company update renames a company, unless another has the name', async () => {
  const { id } = await place.json<Shown>('company', 'create', 'Before')
  const { stdout } = await place.run(
    'company',
    'update',
    'Before',
    '--name',
    'After',
    '--content-retention',
    '7d',
  )
  assert.equal(
    stdout,
    'The company Before is now called After.\nContent of After’s finished emails is kept: 7 days.\n',
  )
  assert.equal((await place.json<Shown>('company', 'show', 'After')).id, id)
  const gone = await place.run('company', 'show', 'Before')
  assert.match(gone.stderr, /there is no company/)
  const taken = await place.run('company', 'update', 'After', '--name', 'Acme')
  assert.equal(taken.code, 1)
  assert.match(taken.stderr, /there is already a company called Acme/)
  const same = await place.run('company', 'update', 'After', '--name', 'After')
  assert.match(same.stderr, /already called "After"/)
  const none = await place.run('company', 'update', 'After')
  assert.match(none.stderr, /name a change: --name, --content-retention/)
})

test('key rename changes the name alone', async () => {
  const { stdout } = await place.run('key', 'rename', key.id, 'shop 3')
  assert.equal(stdout, `Renamed the key ${key.id} to shop 3.\n`)
  const [listed] = await place.json<Shown[]>('key', 'list')
  assert.deepEqual([listed!.id, listed!.name], [key.id, 'shop 3'])
  const unknown = await place.run('key', 'rename', 'nothing', 'x')
  assert.equal(unknown.code, 1)
  assert.match(unknown.stderr, /no API key with the id "nothing"/)
})

test('domain update changes settings, and leaves the others', async () => {
  const update = (...options: string[]) => place.json<Shown>('domain', 'update', 'first.test', ...options)
  const tracking = ({ open_tracking, click_tracking }: Shown) => [open_tracking, click_tracking]
  assert.deepEqual(tracking(await update('--open-tracking', 'on', '--click-tracking', 'on')), [true, true])
  assert.deepEqual(tracking(await update('--open-tracking', 'off')), [false, true])
  const { stdout } = await place.run('domain', 'show', 'first.test')
  assert.match(
    stdout,
    /^Tracking: +opens off, clicks on, unsubscriptions off \(stored .*; nothing is tracked yet\)$/m,
  )
  const besidePool = await update('--unsubscribe-tracking', 'on', '--pool', 'none')
  assert.equal(besidePool.unsubscribe_tracking, true)
  assert.match(
    (await place.run('domain', 'show', 'first.test')).stdout,
    /^Tracking: +opens off, clicks on, unsubscriptions on \(stored .*; nothing is tracked yet\)$/m,
  )
  const changed = await place.run('domain', 'update', 'first.test', '--click-tracking', 'on')
  assert.match(changed.stdout, /^Tracking of first\.test: .*nothing is tracked yet/m)
  const { stdout: help } = await place.run('domain', 'update', '--help')
  for (const what of ['open', 'click', 'unsubscribe'])
    assert.match(help, new RegExp(`--${what}-tracking[^-]*nothing\\s+is\\s+tracked\\s+yet`))
  assert.equal((await update('--sending', 'off')).sending_disabled, true)
  const on = await place.run('domain', 'update', 'first.test', '--sending', 'on')
  assert.match(on.stdout, /^Sending from first\.test: /)
  assert.equal((await update('--open-tracking', 'on')).sending_disabled, false)
  const nothing = await place.run('domain', 'update', 'first.test')
  assert.equal(nothing.code, 2)
  assert.match(nothing.stderr, /--from DOMAIN.*--sending.*--open-tracking/)
})

test('company update and domain update say how long content is kept', async () => {
  const kept = ['--content-retention', '7d']
  assert.match((await place.run('company', 'update', 'Acme', ...kept)).stdout, /is kept: 7 days\.\n$/)
  assert.match((await place.run('company', 'show', 'Acme')).stdout, /^Content is kept: +7 days$/m)
  const none = await place.json<Shown>('company', 'update', 'Acme', '--content-retention', 'none')
  assert.equal(none.content_retention_seconds, null)
  const domain = (value: string) =>
    place.json<Shown>('domain', 'update', 'first.test', '--content-retention', value)
  const { content_retention_seconds, click_tracking } = await domain('90m')
  assert.deepEqual([content_retention_seconds, click_tracking], [5_400, true])
  const { stdout } = await place.run('domain', 'show', 'first.test')
  assert.match(stdout, /^Content is kept: +90 minutes$/m)
  assert.equal((await domain('none')).content_retention_seconds, null)
  assert.equal((await place.run('company', 'update', 'Acme')).code, 2)
  assert.equal((await place.run('company', 'update', 'Acme', '--content-retention', '7')).code, 2)
  assert.equal((await place.run('company', 'update', 'Acme', '--content-retention', '1s')).code, 2)
})

test('domain remove takes the domain and the keys for it alone, and a webhook for it alone is not one for all', async () => {
  const url = 'https://app.example.com/hook'
  await place.json('webhook', 'add', '--company', 'Acme', '--domain', 'first.test', '--url', url)
  const [{ id }] = await place.json<[{ id: string }]>('domain', 'list')
  const { stdout } = await place.run('domain', 'remove', 'FIRST.test')
  assert.match(stdout, /^Removed first\.test\./)
  assert.deepEqual(await place.json('domain', 'list'), [])
  const [revoked] = await place.json<Shown[]>('key', 'list')
  assert.ok(revoked!.revoked_at)
  const [told] = await place.json<{ domain: string }[]>('webhook', 'list')
  assert.equal(told!.domain, id)
  assert.match((await place.run('webhook', 'list')).stdout, / Acme +removed +json /)
  const again = await place.run('domain', 'remove', 'first.test')
  assert.equal(again.code, 1)
  assert.match(again.stderr, /no sending domain "first\.test"; see: postroad domain list/)
})

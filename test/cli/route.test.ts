/** Routes of their own, by the command line: how a password gets in, and that it never comes out. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { openCredentials } from '../../src/accounts/routes.ts'
import { loadSettings } from '../../src/config/load.ts'
import { openOperation } from '../../src/operate/open.ts'
import { bin, newWorkplace, type Workplace } from './postroad.ts'

let place: Workplace
before(async () => {
  place = newWorkplace({ RELAY_PASSWORD: 'from the environment' })
  await place.json('company', 'create', 'Acme')
  await place.json('domain', 'add', 'acme.test', '--company', 'Acme')
})
after(() => place.remove())

/** What is kept of the only route. */
async function kept() {
  const env = { ...place.env, POSTROAD_DATABASE_URL: `sqlite:${place.folder}/data/postroad.db` }
  await using op = await openOperation(loadSettings(env))
  const [route] = op.accounts.routes
  return { url: route!.url, credentials: openCredentials(await op.seal(), route!) }
}

test('the password comes from standard input, from the environment, or stands in the URL', async () => {
  const args = [
    'route',
    'set',
    'smtp://me@relay.test:587?tls=required',
    '--domain',
    'acme.test',
    '--password-stdin',
  ]
  const child = spawn(bin, args, { cwd: place.folder, env: place.env, stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end('from stdin\n')
  const printed = await text(child.stdout)
  assert.match(printed, /Mail of acme\.test goes through smtp:\/\/relay\.test:587\?tls=required\./)
  // The operator should see where the mail of a first trial is.
  assert.match(printed, /POSTROAD_DELIVERY is "capture": .* none is delivered/)
  assert.match(
    printed,
    /^Waiting mail .* at its next attempt; to try it now: postroad queue retry --company \S+$/m,
  )
  const url = 'smtp://relay.test:587?tls=required'
  assert.deepEqual(await kept(), { url, credentials: { user: 'me', password: 'from stdin' } })

  await place.json(
    'route',
    'set',
    'smtps://me@relay.test',
    '--domain',
    'acme.test',
    '--password-env',
    'RELAY_PASSWORD',
  )
  assert.deepEqual((await kept()).credentials, { user: 'me', password: 'from the environment' })

  await place.json('route', 'set', 'smtp://me:p%40ss@relay.test', '--domain', 'acme.test')
  assert.deepEqual((await kept()).credentials, { user: 'me', password: 'p@ss' })
  const listed = await place.run('route', 'list')
  assert.match(listed.stdout, /Acme +acme\.test +smtp:\/\/relay\.test:25\?tls=opportunistic +yes/)
  assert.doesNotMatch(listed.stdout, /p@ss|p%40ss|\bme\b/)
})

test('invalid routes are refused, and no refusal quotes the password', async () => {
  for (const [args, code, words] of [
    [['set', 'smtp://u:s3cret@relay.test'], 2, /either --domain or --company/],
    [['set', 'smtp://u:s3cret@relay.test/x', '--company', 'Acme'], 2, /a relay has no path/],
    [['set', 'capture', '--company', 'Acme'], 2, /it must be a relay/],
    [['set', 'relay.test', '--company', 'Acme'], 2, /: it must be a relay like smtp:/],
    [['set', 'smtp:[relay.test]:587', '--company', 'Acme'], 2, /: it must be a relay like smtp:/],
    [['set', 'smtp://u:s3cret@[relay.test]:587', '--company', 'Acme'], 2, /host name without brackets/],
    [['set', 'smtp://u@relay.test', '--company', 'Acme'], 2, /a user needs a password/],
    [
      ['set', 'smtp://u@relay.test', '--company', 'Acme', '--password-env', 'NOWHERE'],
      2,
      /environment variable NOWHERE is not set/,
    ],
    [['remove', '--company', 'Acme'], 1, /Acme has no route of its own; see: postroad route list/],
  ] as const) {
    const ran = await place.run('route', ...args)
    assert.equal(ran.code, code, ran.stderr)
    assert.match(ran.stderr, words)
    assert.doesNotMatch(ran.stderr, /s3cret/)
  }
  assert.deepEqual(
    await place.json('route', 'remove', '--domain', 'acme.test').then(() => place.json('route', 'list')),
    [],
  )
})

/** First starts that fail. The words of the launcher about dependencies and Node.js are in ../launcher.test.ts. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { after, before, describe } from 'node:test'
import { PostgresCluster } from '../../../harness/postgres-cluster.ts'
import { withoutPostgres } from '../../support/postgres.ts'
import { bin, newWorkplace, serve, type Workplace } from '../postroad.ts'
import { refused, refusedStart, testEach } from './slips.ts'

describe('a start that comes to nothing names the next step when', { concurrency: 3 }, () => {
  const holder = createServer()
  let taken = ''
  before(async () => {
    await once(holder.listen(0, '127.0.0.1'), 'listening')
    taken = `127.0.0.1:${(holder.address() as AddressInfo).port}`
  })
  after(() => holder.close())

  const withEnvFile = async (content: string) => {
    const place = newWorkplace()
    writeFileSync(join(place.folder, '.env'), content)
    const told = await refused(place, 'serve')
    place.remove()
    return told
  }

  testEach([
    {
      slip: 'the port is in use',
      tried: () => refusedStart({ POSTROAD_LISTEN: taken }),
      names: /is in use: stop the program that listens there, or set POSTROAD_LISTEN to another one/,
    },
    {
      slip: 'the SMTP port is in use',
      tried: () => refusedStart({ POSTROAD_SUBMISSION_LISTEN: `smtp://${taken}` }),
      names: /is in use: .* set POSTROAD_SUBMISSION_LISTEN to another one/,
    },
    {
      slip: 'a port alone is given to listen on',
      tried: () => refusedStart({ POSTROAD_LISTEN: '8587' }),
      names: /it must be host:port, like 127\.0\.0\.1:8587/,
    },
    {
      slip: 'the address is not one of this machine',
      tried: () => refusedStart({ POSTROAD_LISTEN: '192.0.2.1:8587' }),
      names: /does not belong to this machine: set POSTROAD_LISTEN to one that does/,
    },
    {
      slip: 'the name of a setting is mistyped',
      tried: () => refusedStart({ POSTROAD_DELIVERYY: 'direct' }),
      names: /POSTROAD_DELIVERYY in the environment is not a setting\. Did you mean POSTROAD_DELIVERY\?/,
    },
    {
      slip: 'a line of .env has no equals sign',
      tried: () => withEnvFile('# how mail leaves\nPOSTROAD_DELIVERY: direct\n'),
      names: /Line 2 of \.env names POSTROAD_DELIVERY .*: write POSTROAD_DELIVERY=VALUE/,
    },
    {
      slip: 'a setting of .env has a value it cannot have',
      tried: () => withEnvFile('POSTROAD_DELIVERY=smtp.example.com\n'),
      names: /\(from \.env\).* a relay like smtp:\/\/user:password@host:587/,
    },
    {
      slip: 'mail is to go out under a name that nobody knows',
      tried: () => refusedStart({ POSTROAD_DELIVERY: 'direct', POSTROAD_HOSTNAME: 'box' }),
      names: /set POSTROAD_HOSTNAME to its name in DNS, like mail\.example\.com/,
    },
    {
      slip: 'a certificate has no key',
      tried: () => refusedStart({ POSTROAD_TLS_CERT: 'cert.pem' }),
      names: /POSTROAD_TLS_KEY is not, and HTTPS needs both: set it/,
    },
    {
      slip: 'the certificate is not there',
      tried: () => refusedStart({ POSTROAD_TLS_CERT: 'cert.pem', POSTROAD_TLS_KEY: 'key.pem' }),
      names:
        /POSTROAD_TLS_CERT \(.*cert\.pem\).* must be readable PEM files.* Correct the paths, or unset both/,
    },
    {
      slip: 'SMTP listens to all without a certificate',
      tried: () => refusedStart({ POSTROAD_SUBMISSION_LISTEN: 'smtp://0.0.0.0:0' }),
      names: /set POSTROAD_TLS_CERT and POSTROAD_TLS_KEY, listen on 127\.0\.0\.1, or/,
    },
    {
      slip: 'the address of SMTP lacks its scheme',
      tried: () => refusedStart({ POSTROAD_SUBMISSION_LISTEN: '127.0.0.1:587' }),
      names: /must be smtps:\/\/host:port .* or smtp:\/\/host:port/,
    },
    {
      slip: 'the database is not where a directory is',
      tried: () => refusedStart({ POSTROAD_DATABASE_URL: 'sqlite:/dev/null/postroad.db' }),
      names: /Choose another path \(POSTROAD_DATABASE_URL\)/,
    },
    {
      slip: 'the data directory is not writable',
      tried: startWithoutRight,
      names:
        /this user may not write there\. Give it the directory \(chown\), or choose another path \(POSTROAD_DATABASE_URL\)/,
    },
    {
      slip: 'the name of the machine is not one, which is said once',
      tried: () => refusedStart({ POSTROAD_HOSTNAME: 'not a name' }),
      names: /it must be a host name, like mail\.example\.com\.$/m,
    },
    {
      slip: 'the database is a URL of another program',
      tried: () => refusedStart({ POSTROAD_DATABASE_URL: 'mysql://u:p@db.test/x' }),
      names: /Allowed: sqlite:<path> .* or postgres:\/\/\.\.\./,
    },
    {
      slip: 'nothing answers where PostgreSQL should be',
      tried: () => refusedStart({ POSTROAD_DATABASE_URL: 'postgres://u:p@127.0.0.1:1/x' }),
      names: /Is PostgreSQL running\? Start it, or correct host and port in the database URL/,
    },
    {
      slip: 'the schema is one of before the first release',
      tried: startOnOldSchema,
      names: /run the version that wrote it, or name a new database in POSTROAD_DATABASE_URL/,
    },
  ])
})

describe('beside a running service the next step is named when', () => {
  let place: Workplace
  before(async () => {
    place = newWorkplace({ POSTROAD_LISTEN: '127.0.0.1:0' })
    await serve(place)
  })
  after(() => place.remove())

  testEach([
    {
      slip: 'a second one is started on the same directory',
      tried: () => refused(place, 'serve'),
      names:
        /in use by another Postroad service\. Stop that one first, or give this one a database of its own/,
    },
  ])
})

describe('on a PostgreSQL server the next step is named when', { skip: withoutPostgres() }, () => {
  let cluster: PostgresCluster
  before(async () => {
    cluster = await PostgresCluster.start()
  })
  after(() => cluster.remove())

  const on = (change: Partial<URL>) =>
    refusedStart({ POSTROAD_DATABASE_URL: Object.assign(new URL(cluster.url), change).href })
  testEach([
    {
      slip: 'the password is wrong',
      tried: () => on({ password: 'wrong' }),
      names: /user name or password is wrong\. Correct it in the database URL, or in PGPASSWORD/,
    },
    {
      slip: 'there is no such database',
      tried: () => on({ pathname: '/nowhere' }),
      names: /there is no database with that name\. Create it \(createdb\)/,
    },
  ])
})

/** As another user where this one may write anywhere. */
async function startWithoutRight(): Promise<string> {
  const place = newWorkplace({ POSTROAD_LISTEN: '127.0.0.1:0' })
  try {
    chmodSync(place.folder, 0o755)
    mkdirSync(join(place.folder, 'data'), { mode: 0o555 })
    const isRoot = process.getuid?.() === 0
    const env = { ...place.env, HOME: place.folder, NODE_DISABLE_COMPILE_CACHE: '1' }
    const child = spawn(bin, ['serve'], {
      cwd: place.folder,
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
      ...(isRoot && { uid: 65_534, gid: 65_534 }),
    })
    place.serving.add(child)
    const [said] = await Promise.all([text(child.stderr), once(child, 'close')])
    assert.equal(child.exitCode, 1)
    return said
  } finally {
    place.remove()
  }
}

async function startOnOldSchema(): Promise<string> {
  const place = newWorkplace({ POSTROAD_LISTEN: '127.0.0.1:0' })
  try {
    await place.json('company', 'create', 'Acme')
    const db = new DatabaseSync(join(place.folder, 'data', 'postroad.db'))
    db.exec(`UPDATE schema_migrations SET name = 'first-0123456789ab' WHERE version = 1`)
    db.close()
    return await refused(place, 'serve')
  } finally {
    place.remove()
  }
}

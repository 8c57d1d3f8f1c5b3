/**
 * The snippets that the console shows, run as they stand there, against the service over HTTPS and over SMTP with TLS.
 *
 * Not run here, for want of the client: `resend-python`, `resend-php`, `resend-ruby`, `resend-go`, `mailgun-php` and
 * `laravel`. What is special of each, how it is told another address, was read in its source.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import {
  BODY,
  plainAddress,
  type Snippet,
  type SnippetValues,
  SUBJECT,
} from '../../console/src/pages/keys/snippet.ts'
import { snippetsFor } from '../../console/src/pages/keys/snippets.ts'
import { IMPLICIT, STARTTLS } from '../submission/rig.ts'
import { missing, phpRuntime, pythonRuntime, type Runtime } from './debian/packages.ts'
import { Stage } from './debian/stage.ts'

const run = promisify(execFile)
const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url))
const NOT_HERE = ['resend-python', 'resend-php', 'resend-ruby', 'resend-go', 'mailgun-php', 'laravel']

const SECURITIES = ['tls', 'starttls', 'none'] as const
type Security = (typeof SECURITIES)[number]
type Kind = 'sh' | 'node' | 'python' | 'php' | 'django'
const RUN: readonly [id: string, kind: Kind][] = [
  ['curl', 'sh'],
  ['curl-form', 'sh'],
  ['resend-node', 'node'],
  ['mailgun-js', 'node'],
  ['nodemailer-http', 'node'],
  ['mailgun-python', 'python'],
  ['symfony', 'php'],
  ['django', 'django'],
  ['smtp-curl', 'sh'],
  ['nodemailer-smtp', 'node'],
  ['smtp-python', 'python'],
  ['django-smtp', 'django'],
]

/** Debian's libraries of PHP, as Composer would bring them. */
const AUTOLOAD = `<?php
require 'Symfony/Component/Mailer/autoload.php';
require 'Symfony/Component/Mailer/Bridge/Mailgun/autoload.php';
require 'Symfony/Component/HttpClient/autoload.php';
`

/** Django as a project runs it: its settings are the first file, the second is what it does. */
const DJANGO = `import os, sys
sys.path.insert(0, os.getcwd())
os.environ["DJANGO_SETTINGS_MODULE"] = "settings"
import django
django.setup()
exec(open("anywhere").read())
`

describe('the snippets of the console', () => {
  let stage: Stage
  let directory: string
  let trust: string
  before(async () => {
    stage = await Stage.set({ submission: [STARTTLS, IMPLICIT, { ...STARTTLS, withoutLogin: true }] })
    trust = stage.place.trust
    directory = mkdtempSync(join(os.tmpdir(), 'postroad-snippets-'))
    symlinkSync(MODULES, join(directory, 'node_modules'))
    mkdirSync(join(directory, 'vendor'))
    writeFileSync(join(directory, 'vendor', 'autoload.php'), AUTOLOAD)
  })
  after(async () => {
    await stage?.[Symbol.asyncDispose]()
    if (directory) rmSync(directory, { recursive: true, force: true })
  })

  function ways(to: string, security: Security): SnippetValues {
    const { url, domain, key } = stage.place
    const [starttls, tls, none] = stage.rig.service.app.submission.urls.map((each) =>
      Number(new URL(each).port),
    )
    const smtp = { host: '127.0.0.1', port: { starttls, tls, none }[security]!, security }
    // Without a login there is no HTTPS either, so that every framework sends over SMTP.
    if (security === 'none')
      return { url: 'http://127.0.0.1:1', token: '', domain, to, smtp: { ...smtp, login: false } }
    return { url, token: key, domain, to, smtp: { ...smtp, login: true } }
  }

  function runtimeOf(kind: Kind): Runtime {
    if (kind === 'sh') return { command: '/bin/sh', args: [], env: { CURL_CA_BUNDLE: trust } }
    if (kind === 'node') return { command: process.execPath, args: [], env: { NODE_EXTRA_CA_CERTS: trust } }
    if (kind === 'php') {
      const php = phpRuntime()
      return { ...php, args: [...php.args, '-d', `openssl.cafile=${trust}`] }
    }
    const python = pythonRuntime()
    return { ...python, env: { ...python.env, REQUESTS_CA_BUNDLE: trust, SSL_CERT_FILE: trust } }
  }

  async function runSnippet({ files }: Snippet, kind: Kind): Promise<void> {
    for (const { name, text } of files) writeFileSync(join(directory, name ?? 'snippet.sh'), text)
    const { command, args, env } = runtimeOf(kind)
    let program = files[0]!.name ?? 'snippet.sh'
    if (kind === 'django') {
      program = 'manage.py'
      writeFileSync(join(directory, program), DJANGO)
    }
    await run(command, [...args, program], {
      cwd: directory,
      env: { ...process.env, ...env },
      timeout: 60_000,
    })
  }

  /** Why it cannot run on this machine. */
  function lacking(kind: Kind): string | false {
    if (kind === 'php') return missing('symfony')
    return kind === 'python' || kind === 'django' ? missing('anymail') : false
  }

  for (const [id, kind] of RUN) {
    const securities = SECURITIES.filter(
      (each) => id.includes('smtp') || each === 'tls' || (each === 'none' && id === 'symfony'),
    )
    for (const security of securities) {
      test(`${id}${securities.length > 1 ? ` with ${security}` : ''}`, { skip: lacking(kind) }, async () => {
        const to = `${id}-${security}@in.test`
        const snippet = snippetsFor(ways(to, security)).find((each) => each.id === id)
        assert.ok(snippet, 'there is no such snippet')
        await runSnippet(snippet, kind)
        const { parsed, recipients } = await stage.keptFor(to)
        assert.deepEqual(recipients, [to])
        assert.equal(parsed.subject, SUBJECT)
        assert.equal(parsed.text?.trim(), BODY)
        assert.equal(parsed.from?.address, `hello@${stage.place.domain}`)
      })
    }
  }

  test('each snippet is run here, or its client is listed as unavailable', () => {
    const shown = snippetsFor(ways('you@example.com', 'tls')).map(({ id }) => id)
    assert.deepEqual(shown.toSorted(), [...RUN.map(([id]) => id), ...NOT_HERE].toSorted())
  })

  test('a service without HTTPS offers no client that speaks nothing else; Laravel and Symfony use SMTP', () => {
    const plain = { ...ways('you@example.com', 'starttls'), url: 'http://127.0.0.1:8587' }
    const texts = (given: SnippetValues, id: string) => {
      const files = snippetsFor(given).find((each) => each.id === id)?.files
      return files?.map(({ text }) => text).join('\n')
    }
    assert.match(texts(plain, 'symfony')!, /'smtp:\/\/api:/)
    assert.match(texts(plain, 'laravel')!, /MAIL_SCHEME=smtp\n/)
    assert.equal(snippetsFor(plain).filter(({ overSmtp }) => overSmtp).length, 6)
  })

  test('a snippet shows another address if that of the person could be code', () => {
    assert.equal(plainAddress('ada@example.com'), 'ada@example.com')
    for (const address of ['"a b"@x.test', "o'neil@x.test", '#{1}@x.test', '$x@x.test', null])
      assert.equal(plainAddress(address), 'you@example.com')
  })
})

/** The programs that the page shows for checking a signature, as they stand, on what webhooks really send. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { SNIPPETS } from '../../console/src/pages/webhook/snippets.ts'
import { sampleEvent } from '../../src/events/webhooks/sample.ts'
import { newSigningKey, newWebhookSecret } from '../../src/events/webhooks/secrets.ts'
import { payload, webhookRequest } from '../../src/events/webhooks/sign.ts'

const run = promisify(execFile)
const PYTHON = '/usr/bin/python3'

/** Within the checkout, so that the packages are found. */
const folder = join(import.meta.dirname, `.snippets-${process.pid}`)

describe('programs that check a signature', () => {
  for (const dialect of ['json', 'form'] as const) {
    for (const { name, language, code } of SNIPPETS[dialect]) {
      const skip = language === 'python' && !existsSync(PYTHON) ? 'there is no Python' : false
      test(`${dialect}: ${name}`, { skip }, async (t) => {
        mkdirSync(folder, { recursive: true })
        t.after(() => rmSync(folder, { recursive: true, force: true }))
        const secret = dialect === 'json' ? newWebhookSecret() : newSigningKey()
        const now = Date.now()
        const sample = sampleEvent('delivered', 'company', 'acme.example', now)
        const told = payload(dialect, sample, 'http://mail.test')!
        const { headers, body } = webhookRequest({ id: 'w', dialect }, [secret], sample.event, told, now)
        const check = async (text: string) => {
          const given = JSON.stringify([text, headers])
          const isPython = language === 'python'
          const path = join(folder, isPython ? 'check.py' : 'check.mjs')
          const call = isPython
            ? `\nimport sys\nprint(json.dumps(verified(*json.loads(sys.argv[1]))))\n`
            : `\nconsole.log(JSON.stringify(await verified(...JSON.parse(process.argv[2]))))\n`
          writeFileSync(path, code + call)
          const program = isPython ? PYTHON : process.execPath
          const env = { ...process.env, WEBHOOK_SECRET: secret }
          return (await run(program, [path, given], { env })).stdout
        }
        const event = dialect === 'json' ? told : (JSON.parse(body) as Record<string, object>)['event-data']
        assert.deepEqual(JSON.parse(await check(body)), JSON.parse(JSON.stringify(event)))
        const forged = dialect === 'json' ? body.replace('delivered', 'bounced') : forgedForm(body)
        assert.notEqual(forged, body)
        await assert.rejects(check(forged))
      })
    }
  }
})

function forgedForm(body: string): string {
  const message = JSON.parse(body) as { signature: { token: string } }
  message.signature.token = `x${message.signature.token.slice(1)}`
  return JSON.stringify(message)
}

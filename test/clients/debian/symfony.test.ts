/** Symfony Mailer of Debian, over HTTPS and SMTP with TLS. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { missing, runPhp } from './packages.ts'
import { assertWhole, Stage } from './stage.ts'

const skip = missing('symfony')
const program = fileURLToPath(new URL('./symfony.php', import.meta.url))

test('Symfony Mailer sends by API, as MIME and over SMTP', { skip }, async () => {
  await using stage = await Stage.set()
  const outcomes = (await runPhp(program, stage.place)) as Record<string, { id?: string; error?: string }>
  for (const way of ['api', 'mime', 'smtp']) {
    const id = outcomes[way]?.id
    assert.ok(id !== undefined, JSON.stringify(outcomes[way]))
    const kept = await stage.keptFor(`${way}@in.test`)
    assertWhole(kept, way, `symfony ${way} – ünïcode ✓`)
    // Over SMTP the client keeps the Message-ID that it has made.
    assert.equal(kept.parsed.messageId?.replace(/[<>]/g, ''), id.replace(/[<>]/g, ''), way)
  }
  assert.match(outcomes.badKeyApi?.error ?? '', /Forbidden/)
  assert.match(outcomes.badKeySmtp?.error ?? '', /535/)
  assert.match(outcomes.badDomain?.error ?? '', /Domain not found: elsewhere\.test/)
})

/** A captured copy is the whole message, however large, whether the main thread, a delivery thread or a worker composes it. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import PostalMime from 'postal-mime'
import { ApiClient } from '../support/api-client.ts'
import { startService } from '../support/service.ts'

for (const deliveryThreads of [0, 1]) {
  test(`large messages are captured whole, with ${deliveryThreads} delivery threads`, async () => {
    await using service = await startService({ deliveryThreads })
    const { key } = await service.tenant('acme.example')
    const api = new ApiClient(service.url, key.token)
    // As base64: below and above what is composed elsewhere (256 KiB), and above what is read back to be sent (1 MiB).
    for (const size of [120_000, 300_000, 1_500_000]) {
      const file = randomBytes(size)
      const id = await api.accepted({
        from: 'news@acme.example',
        to: 'jane@x.test',
        subject: 'Figures',
        text: 'See the file.',
        attachments: [{ filename: 'figures.bin', content: file.toString('base64') }],
      })
      await api.lastEvent(id, 'delivered')
      const captured = await service.store.readCaptured(id)
      assert.deepEqual(
        captured.map(({ recipients }) => recipients),
        [[0]],
      )
      const { text, attachments } = await PostalMime.parse(captured[0]!.raw)
      assert.equal(text?.trim(), 'See the file.')
      const [attachment] = attachments
      assert.ok(file.equals(new Uint8Array(attachment!.content as ArrayBuffer)), `a file of ${size} octets`)
    }
  })
}

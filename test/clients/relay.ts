/** The next hop of these tests: the published `smtp-server` package, which is not ours, keeping what it is given. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'

export interface Arrival {
  sender: string
  recipients: string[]
  raw: Buffer
  parsed: Email
}

export interface Relay {
  port: number
  arrivals: Arrival[]
  /** The arrivals for `recipient`, once there is at least one. */
  for(recipient: string): Promise<Arrival[]>
  close(): Promise<void>
}

export async function startRelay(): Promise<Relay> {
  const arrivals: Arrival[] = []
  const waiting = new Set<() => void>()
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, session, callback) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', async () => {
        const raw = Buffer.concat(chunks)
        const { mailFrom, rcptTo } = session.envelope
        const sender = mailFrom === false ? '' : mailFrom.address
        const parsed = await PostalMime.parse(raw)
        arrivals.push({ sender, recipients: rcptTo.map(({ address }) => address), raw, parsed })
        callback()
        for (const wake of waiting) wake()
      })
    },
  })
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  return {
    port: (server.server.address() as AddressInfo).port,
    arrivals,
    for: async (recipient) => {
      for (;;) {
        const found = arrivals.filter(({ recipients }) => recipients.includes(recipient))
        if (found.length > 0) return found
        await new Promise<void>((resolve) => waiting.add(resolve))
      }
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** Requests of clients that discard the answers. */
import http from 'node:http'

export interface Asked {
  method: string
  url: string
  headers: Record<string, string>
  body: Buffer | null
}

export interface Heard {
  status: number
  type: string
  /** Octets of the body, and what it begins with. */
  octets: number
  beginning: string
}

const KEPT = 2_000

export class Asker {
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 64 })

  /** Rejects when the connection ends without a word. `leaves`: as soon as the answer has begun. */
  ask({ method, url, headers, body }: Asked, { leaves = false } = {}): Promise<Heard> {
    return new Promise((resolve, reject) => {
      const length = body === null ? {} : { 'content-length': String(body.length) }
      const request = http.request(url, { method, headers: { ...headers, ...length }, agent: this.#agent })
      let heard: Heard | null = null
      request.on('response', (response) => {
        const { statusCode: status = 0, headers: told } = response
        const said: Heard = { status, type: told['content-type'] ?? '', octets: 0, beginning: '' }
        heard = said
        response.on('data', (chunk: Buffer) => {
          if (said.beginning.length < KEPT) said.beginning += chunk.toString('latin1', 0, KEPT)
          said.octets += chunk.length
        })
        response.on('end', () => resolve(said))
        response.on('error', reject)
        if (leaves && status < 300) {
          resolve(said)
          request.destroy()
        }
      })
      // Answered before all of a body was written, which is then not wanted any more.
      request.on('error', (error) => (heard === null ? reject(error) : resolve(heard)))
      request.end(body ?? undefined)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}
